"""Plans: found by the built-in planner or others, and never returned unless they work."""

import sys
import warnings
from fractions import Fraction

import pytest

import surefoot
from surefoot import Domain, Problem, plan, trace, validate


def test_a_plan_made_with_a_learned_model_works_in_the_real_world(farmland):
    real = Domain.read(farmland / "domain.pddl")
    model = surefoot.learn(real, farmland)
    solved = 0
    for path in sorted(farmland.glob("*.pddl"))[:6]:
        if path.name == "domain.pddl":
            continue
        problem = Problem.read(path, real)
        found = plan(model, problem, time_limit=10)
        if found.solved:
            solved += 1
            assert found.status == "solved" and validate(real, problem, found.plan).valid
            assert problem.is_goal(trace(real, problem, found.plan)["states"][-1])
    assert solved >= 1


def test_verdicts_of_the_three_kinds(counting):
    problem = Problem.parse("(define (problem p) (:domain counting) (:init (ready) (= (n) 1)) (:goal (= (n) 3)) (:metric minimize (n)))", counting)
    valid = validate(counting, problem, [("up",), ("up",)])
    assert valid and valid.metric == 3 and valid.steps == 2
    short = validate(counting, problem, ["(up)"])
    assert not short and short.failing_step is None and short.reasons == ["(= (n) 3): 2 = 3 is false"]
    long = validate(counting, problem, [("up",)] * 3)
    assert (long.failing_step, long.action) == (2, ("up",))
    with pytest.raises(ValueError, match="cannot be taken"):
        trace(counting, problem, [("up",)] * 3)


def test_a_task_without_a_plan_is_unsolvable(counting):
    problem = Problem.parse("(define (problem p) (:domain counting) (:init (= (n) 1)) (:goal (= (n) 3)))", counting)
    assert plan(counting, problem).status == "unsolvable"


def test_another_planner_runs_under_our_care_though_the_program_is_python(counting, tmp_path):
    problem = Problem.parse("(define (problem p) (:domain counting) (:init (ready) (= (n) 1)) (:goal (= (n) 3)))", counting)
    script = tmp_path / "planner.py"
    script.write_text("import sys; open(sys.argv[3], 'w').write('(up)\\n(up)\\n')")
    found = plan(counting, problem, planner=f"{sys.executable} {script} {{domain}} {{problem}} {{plan}}")
    assert found.plan == [("up",), ("up",)]
    script.write_text("import sys; open(sys.argv[3], 'w').write('(up)\\n')")
    assert plan(counting, problem, planner=f"{sys.executable} {script} {{domain}} {{problem}} {{plan}}").status == "failed"
    script.write_text("import time; time.sleep(100)")
    late = plan(counting, problem, planner=f"{sys.executable} {script} {{domain}} {{problem}}", time_limit=1)
    assert late.status == "time-limit" and late.seconds < 10
    with pytest.raises(surefoot.SurefootError, match="unknown planner"):
        plan(counting, problem, planner="nobody")


def test_what_is_passed_over_in_a_problem_is_a_warning():
    domain = surefoot.Domain.parse(
        """(define (domain d) (:predicates (done)) (:functions (cost))
             (:action do :parameters () :precondition (and) :effect (and (done) (increase (cost) 2))))"""
    )
    text = "(define (problem p) (:domain d) (:init (= (fuel) 7)) (:goal (done)) (:metric minimize (cost)))"
    with pytest.warns(surefoot.ReadWarning) as found:
        problem = surefoot.Problem.parse(text, domain)
    said = [str(warning.message).splitlines()[0] for warning in found]
    assert said == [
        "warning: `(cost)` has no initial value; it is only increased, and nothing reads it: it starts at 0",
        "warning: the domain declares no function `fuel`: its value is passed over",
    ]
    assert problem.initial_state["values"] == {("cost",): 0}
    assert surefoot.validate(domain, problem, surefoot.plan(domain, problem).plan).valid
    with warnings.catch_warnings():
        warnings.simplefilter("error", surefoot.ReadWarning)
        with pytest.raises(surefoot.ReadWarning, match="starts at 0"):
            surefoot.Problem.parse(text, domain)


def noisy_tank():
    """A model of a tank whose level is recorded within 0.1."""
    domain = surefoot.Domain.parse(
        "(define (domain tanks) (:functions (level)) (:action fill :parameters ()))"
    )
    learner = surefoot.Learner(domain, error={"level": 0.1}, effect_decimals=0)
    for level in range(0, 21):
        off = (level % 3 - 1) * Fraction(1, 10)
        before = {"atoms": set(), "values": {("level",): level + off}}
        after = {"atoms": set(), "values": {("level",): level + 2 - off}}
        learner.observe((before, ("fill",), after))
    return learner.model()


def test_a_model_of_inexact_records_plans_with_errors_and_margins():
    model = noisy_tank()
    goal = "(and (>= (level) 9) (<= (level) 12))"
    text = "(define (problem p) (:domain tanks) (:init (= (level) 5)) (:goal {}))"
    plain = surefoot.Problem.parse(text.format(goal), model)
    with pytest.raises(ValueError, match=r"problem\.with_errors\(model\)"):
        surefoot.plan(model, plain)
    problem = plain.with_errors(model)
    assert problem.initial_state["values"][("error-of-level",)] == Fraction(1, 10)
    assert "(error-of-level)" in problem.goal
    planned = surefoot.plan(model, problem)
    assert planned.plan == [("fill",)] * 3
    assert surefoot.validate(model, problem, planned.plan).valid
    assert plain.with_errors(model, 0.25).initial_state["values"][("error-of-level",)] == Fraction(1, 4)
    with pytest.raises(ValueError, match="cannot be promised"):
        surefoot.Problem.parse(text.format("(= (level) 9)"), model).with_errors(model)
    with pytest.raises(ValueError, match="no function height"):
        plain.with_errors(model, {"height": 1})


def test_a_model_of_inexact_records_is_scored_within_its_errors():
    model = noisy_tank()
    state = lambda level: {"atoms": set(), "values": {("level",): level}}
    near = model.score([(state(5), ("fill",), state(Fraction(72, 10)))])
    assert (near.allowed, near.contradicted) == (1, False)
    far = model.score([(state(5), ("fill",), state(Fraction(75, 10)))])
    assert far.contradicted
