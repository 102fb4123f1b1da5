"""Assessments: what the command prints, as values."""

import json

import pytest

import surefoot


def test_an_assessment_says_what_the_command_says(farmland, run):
    told = run("assess", "-d", farmland / "domain.pddl", farmland, "--format", "json")
    assert told.returncode == 0, told.stderr
    report = json.loads(told.stdout)
    found = surefoot.assess(farmland / "domain.pddl", farmland)
    assert set(report) | {"text"} == set(surefoot.Assessment.__dataclass_fields__)
    for name in ("traces", "steps", "copies", "confidence", "wanted", "more_traces", "left_out_at_a_time", "void"):
        assert getattr(found, name) == report[name]
    for name in ("step_share", "whole_traces", "compression", "theory"):
        assert vars(getattr(found, name)) == report[name]
    assert [(row.action, row.refused) for row in found.actions] == [(row["action"], row["refused"]) for row in report["actions"]]
    assert str(found) == run("assess", "-d", farmland / "domain.pddl", farmland).stdout


def test_dials_and_questions_are_taken(farmland):
    surer = surefoot.assess(farmland / "domain.pddl", farmland, confidence=0.99, share=0.5, arity=1)
    usual = surefoot.assess(farmland / "domain.pddl", farmland, arity=1)
    assert surer.confidence == 0.99 and surer.wanted == 0.5 and surer.theory.applies
    assert surer.step_share.at_least <= usual.step_share.at_least
    assert surer.step_share.estimate == usual.step_share.estimate


@pytest.mark.parametrize("keywords", [{"confidence": 1.0}, {"share": 0.0}, {"set_aside_share": 2.0}, {"algorithm": "nobody"}])
def test_what_cannot_be_meant_is_a_value_error(farmland, keywords):
    with pytest.raises(ValueError):
        surefoot.assess(farmland / "domain.pddl", farmland, **keywords)


def test_what_goes_wrong_is_counted_whatever_is_true(farmland):
    wrong = surefoot.assess(farmland / "domain.pddl", farmland).wrong
    assert wrong.wrong == wrong.wrong_traces == 0 and wrong.allowed > 0 and wrong.first == []
    assert 0 < wrong.bound.at_most < 0.9 and wrong.bound.sufficient > 0
