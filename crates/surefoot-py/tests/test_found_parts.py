"""Parts of actions that are found in the records, from Python."""

import pytest

import surefoot

DOMAIN = """(define (domain hall) (:predicates (docked)) (:functions (battery))
  (:action charge :parameters ()))"""


def state(level):
    return {"atoms": {("docked",)}, "values": {("battery",): level}}


def charged(levels):
    def trace(level):
        return {"states": [state(level), state(min(level + 30, 100))], "actions": [("charge",)]}

    return [trace(level) for level in levels]


TRACES = charged([*range(0, 67, 2), *range(74, 101)])


def test_parts_are_found_and_proposed():
    domain = surefoot.Domain.parse(DOMAIN)
    model = surefoot.learn(domain, TRACES, parts="found")
    assert "The parts of charge were found in the data, not declared" in model.to_pddl()
    assert model.applicable(state(20), ("charge",)) and model.applicable(state(80), ("charge",))
    assert not model.applicable(state(70), ("charge",))
    with pytest.raises(surefoot.BadDataError, match='parts="found" learns charge so'):
        surefoot.learn(domain, TRACES)
    plain = surefoot.learn(domain, TRACES[:20])
    assert surefoot.learn(domain, TRACES[:20], parts="found").to_pddl() == plain.to_pddl()


def test_a_learner_that_sees_records_one_by_one_finds_none():
    domain = surefoot.Domain.parse(DOMAIN)
    with pytest.raises(ValueError, match="from all records at once"):
        surefoot.Learner(domain, parts="found")
    with pytest.raises(ValueError, match="the word"):
        surefoot.learn(domain, TRACES, parts="fond")
