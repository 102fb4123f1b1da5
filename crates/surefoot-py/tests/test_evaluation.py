"""Evaluation: what the command prints, as values."""

import json
from fractions import Fraction

import pytest

import surefoot
from surefoot import Domain


def test_an_evaluation_says_what_the_command_says(farmland, run, tmp_path):
    truth = farmland / "domain.pddl"
    model = surefoot.learn(truth, farmland)
    (tmp_path / "learned.pddl").write_text(model.to_pddl())
    words = ["--truth", truth, "--learned", tmp_path / "learned.pddl", "--problems", farmland, "--format", "json"]
    told = run("evaluate", *words)
    assert told.returncode == 0, told.stderr
    report = json.loads(told.stdout)
    found = surefoot.evaluate(Domain.read(truth), model, farmland)
    assert found.mean.semantic_precision == report["mean"]["semantic_precision"] == 1.0
    assert [row.action for row in found.actions] == [row["action"] for row in report["actions"]]
    assert found.steps == report["steps"] and found.mean.mse == 0
    # Every metric that the command knows is a field here.
    assert set(report["mean"]) | {"action", "learned"} == set(surefoot.Scores.__dataclass_fields__)
    for name, value in report["mean"].items():
        assert getattr(found.mean, name) == (Fraction(value) if isinstance(value, str) else value)


@pytest.mark.parametrize("keywords", [{"inapplicable": 2.0}, {"time_limit": 0.0}, {"decimals": 2000}, {"planner": "nobody"}, {"tolerance": -1}])
def test_what_cannot_be_meant_is_a_value_error(farmland, keywords):
    with pytest.raises(ValueError):
        surefoot.evaluate(farmland / "domain.pddl", farmland / "domain.pddl", farmland, **keywords)


def test_a_tolerance_is_asked_for_and_said(farmland):
    truth = farmland / "domain.pddl"
    model = surefoot.learn(truth, farmland)
    exact, loose = surefoot.evaluate(truth, model, farmland), surefoot.evaluate(truth, model, farmland, tolerance="0.1")
    assert exact.tolerance == 0 and loose.tolerance == Fraction(1, 10)
    assert loose.mean.semantic_recall >= exact.mean.semantic_recall
    assert surefoot.evaluate(truth, model, farmland, tolerance=0) == exact


def test_coverage_is_counted_where_a_planner_is_named(farmland):
    model = surefoot.learn(farmland / "domain.pddl", farmland)
    found = surefoot.evaluate(farmland / "domain.pddl", model, farmland, planner="builtin", time_limit=2)
    assert found.coverage.planner == "builtin" and found.coverage.inapplicable == found.coverage.goal_unmet == 0
    assert sum([found.coverage.solved, found.coverage.unsolvable, found.coverage.limit, found.coverage.failed]) == 12
