"""Attempts that failed are evidence, also from Python: after=None."""

import pytest

import surefoot
from surefoot import Learner


def state(n, ready=True):
    return {"atoms": {("ready",)} if ready else set(), "values": {("n",): n}}


STEPS = [
    (state(0), ("up",), state(1)),
    (state(1), ("up",), state(2)),
    (state(3), ("up",), None),
    (state(1, ready=False), ("up",), None),
]


def test_failures_are_learned_in_every_form(counting):
    at_once, one_by_one, together, merged = (Learner(counting) for _ in range(4))
    assert at_once.observe(STEPS) == 4
    for step in STEPS:
        assert one_by_one.observe(step) == 1
    together.observe({"states": [state(0), state(1), state(2)], "actions": [("up",)] * 2})
    together.observe({"states": [state(3), None], "actions": [("up",)]})
    together.observe(iter(STEPS[3:]))
    for step in reversed(STEPS):
        merged.merge(surefoot.Learner.load(bytes(one(counting, step))))
    assert at_once == one_by_one == together == merged != Learner(counting)
    without = Learner(counting)
    without.observe(STEPS[:2])
    assert without != at_once and without.model().to_pddl() == at_once.model().to_pddl()


def one(domain, step):
    learner = Learner(domain)
    learner.observe(step)
    return learner


def test_a_failure_in_a_list_leaves_the_state_as_it_was(counting):
    start, end = state(0), state(1)
    learner, plain = Learner(counting), Learner(counting)
    learner.observe([(state(5), ("up",), None), (start, ("up",), end)])
    plain.observe([(start, ("up",), end)])
    plain.observe((state(5), ("up",), None))
    assert learner == plain


def test_the_three_answers(counting):
    learner = Learner(counting)
    learner.observe(STEPS)
    model = learner.model()
    assert model.answer(state(0), ("up",)).answer == "allowed"
    forbidden = model.answer(state(3), ("up",))
    assert forbidden.answer == "forbidden" and forbidden.because and "forbidden" in str(forbidden)
    assert model.answer(state(4), ("up",)).answer == "forbidden", "it lies beyond the failure"
    assert model.answer(state(2), ("up",)).answer == "unknown"
    assert model.answer(state(None), ("up",)).answer == "unknown"
    assert surefoot.Model.load(saved(model)).answer(state(3), ("up",)) == forbidden


def saved(model):
    import tempfile
    from pathlib import Path

    path = Path(tempfile.mkdtemp()) / "model"
    model.save(path)
    return path


def test_a_failure_where_the_model_allows_the_action_is_bad_data(counting):
    learner = Learner(counting)
    learner.observe([*STEPS, (state(1), ("up",), None)])
    with pytest.raises(surefoot.BadDataError):
        learner.model()
    assert [row.learned for row in learner.model(on_bad_data="skip-action").actions] == [False]
    # Set aside, it would be allowed.
    with pytest.raises(surefoot.BadDataError, match="An attempt that failed cannot be set aside"):
        learner.model(on_bad_data="quarantine")


def test_a_failure_with_something_unknown_refutes_only_what_allows_it_anyway(counting):
    learner, plain = Learner(counting), Learner(counting)
    assert learner.observe([*STEPS[:2], (state(None), ("up",), None)]) == 3
    plain.observe(STEPS[:2])
    # It is kept, since a model learned from more may allow it whatever the number was. This one does not.
    assert learner != plain
    assert learner.model().to_pddl() == plain.model().to_pddl()
