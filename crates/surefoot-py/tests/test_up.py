"""unified-planning, the real package: conversions lose nothing, what is learned through them is safe, and engines do their work."""

import warnings
from fractions import Fraction

import pytest

up = pytest.importorskip("unified_planning")
from unified_planning.engines import PlanGenerationResultStatus, ValidationResultStatus  # noqa: E402
from unified_planning.exceptions import UPUsageError  # noqa: E402
from unified_planning.plans import ActionInstance, SequentialPlan  # noqa: E402
from unified_planning.shortcuts import (  # noqa: E402
    GE,
    LE,
    Bool,
    BoolType,
    Equals,
    Exists,
    Fluent,
    Forall,
    InstantaneousAction,
    Int,
    MinimizeSequentialPlanLength,
    Not,
    Object,
    OneshotPlanner,
    Or,
    PlanValidator,
    Plus,
    RealType,
    SequentialSimulator,
    Times,
    UserType,
    Variable,
    get_environment,
)

import surefoot  # noqa: E402
import surefoot.up  # noqa: E402

get_environment().credits_stream = None


def delivery(fuel=10, places=3):
    """A truck drives between places, each drive burns fuel by distance; names are not PDDL's."""
    Vehicle, Place = UserType("Vehicle"), UserType("Place")
    Truck = UserType("Truck", Vehicle)
    problem = up.model.Problem("Delivery 1")
    at = problem.add_fluent("Is at", BoolType(), default_initial_value=False, v=Vehicle, p=Place)
    visited = problem.add_fluent("visited", BoolType(), default_initial_value=False, p=Place)
    tank = problem.add_fluent("tank", RealType(), default_initial_value=0, v=Vehicle)
    distance = problem.add_fluent("distance", RealType(), default_initial_value=Fraction(5, 3), a=Place, b=Place)
    drive = InstantaneousAction("Drive!", t=Truck, a=Place, b=Place)
    t, a, b = drive.parameters
    drive.add_precondition(at(t, a))
    drive.add_precondition(Not(Equals(a, b)))
    drive.add_precondition(GE(tank(t), distance(a, b)))
    drive.add_effect(at(t, a), False)
    drive.add_effect(at(t, b), True)
    drive.add_effect(visited(b), True)
    drive.add_decrease_effect(tank(t), distance(a, b))
    problem.add_action(drive)
    truck = Object("Truck 1", Truck)
    spots = [Object(f"place {i}", Place) for i in range(places)]
    problem.add_objects([truck, *spots])
    problem.set_initial_value(at(truck, spots[0]), True)
    problem.set_initial_value(tank(truck), fuel)
    problem.add_goal(visited(spots[-1]))
    return problem


def drives(problem, *route):
    action = problem.action("Drive!")
    truck = problem.object("Truck 1")
    objects = [problem.object(f"place {i}") for i in route]
    return SequentialPlan([ActionInstance(action, (truck, one, other)) for one, other in zip(objects, objects[1:])])


def roll_outs():
    return [surefoot.up.rollout(problem := delivery(fuel), drives(problem, 0, 1, 2, 0).actions) for fuel in (5, 7, 20)]


def test_states_and_plans_go_there_and_back():
    problem = delivery()
    converter = surefoot.up.Converter(problem)
    plan = drives(problem, 0, 1, 2)
    states, actions = surefoot.up.rollout(problem, plan.actions)
    for state in states:
        there = converter.state(state)
        again = converter.back_state(there)
        for key in problem.initial_values:
            assert again.get_value(key) == state.get_value(key)
        assert converter.state(again) == there
    assert converter.back_plan(converter.plan(plan)) == plan
    assert converter.state(states[1])["values"][("tank", "truck_1")] == Fraction(25, 3)


def test_the_meaning_of_a_problem_is_kept_step_by_step():
    problem = delivery()
    converter = surefoot.up.Converter(problem)
    domain = converter.whole_domain()
    states, actions = surefoot.up.rollout(problem, drives(problem, 0, 1, 2, 0, 1).actions)
    for before, action, after in zip(states, actions, states[1:]):
        assert domain.successor(converter.state(before), converter.action(action)) == converter.state(after)


def test_a_learned_problem_allows_only_what_the_real_one_allows():
    problem = delivery()
    learned = surefoot.up.learn(problem, roll_outs(), arity=2)
    assert [action.name for action in learned.actions] == ["Drive!"]
    with SequentialSimulator(problem=problem) as real, SequentialSimulator(problem=learned) as model:
        seen = allowed = 0
        here = real.get_initial_state()
        for route in [(0, 1), (1, 2), (2, 0), (0, 2), (2, 1), (1, 0)]:
            for one in drives(problem, *route).actions:
                ours = ActionInstance(learned.action("Drive!"), one.actual_parameters)
                seen += 1
                if model.is_applicable(model.get_initial_state() if seen == 1 else here, ours.action, ours.actual_parameters):
                    allowed += 1
                    assert real.is_applicable(here, one.action, one.actual_parameters)
                    here = real.apply(here, one.action, one.actual_parameters)
    assert allowed >= 3


def test_plans_are_traces_too():
    problem = delivery()
    taught, _ = surefoot.up.learner(problem, [drives(problem, 0, 1, 2)])
    same, _ = surefoot.up.learner(problem, [surefoot.up.rollout(problem, drives(problem, 0, 1, 2).actions)])
    assert taught == same
    with pytest.raises(UPUsageError, match="cannot be taken"):
        surefoot.up.learn(problem, [drives(problem, 1, 2)])


def test_a_plan_is_rolled_out_as_it_is():
    problem = delivery()
    plan = drives(problem, 0, 1, 2)
    states, actions = surefoot.up.rollout(problem, plan)
    assert (len(states), actions) == (3, plan.actions)
    assert (states, actions) == surefoot.up.rollout(problem, plan.actions)
    with pytest.raises(UPUsageError, match="cannot be taken, after 1 actions"):
        surefoot.up.rollout(problem, drives(problem, 0, 1, 1))


def test_a_recorder_remembers_what_worked_and_what_did_not():
    problem = delivery(fuel=4)
    recorder = surefoot.up.Recorder(problem)
    drive, truck = problem.action("Drive!"), problem.object("Truck 1")
    place = [problem.object(f"place {index}") for index in range(3)]
    worked = [recorder.attempt(drive, truck, place[one], place[other]) for one, other in [(0, 1), (0, 2), (1, 2), (2, 0)]]
    # It is no longer there, and then the tank is empty.
    assert worked == [True, False, True, False]
    assert [after is None for _, _, after in recorder.attempts] == [False, True, False, True]
    assert recorder.attempts[1][0] is recorder.attempts[2][0]
    real = recorder.simulator
    assert real.apply(recorder.attempts[1][0], *(recorder.attempts[1][1].action, recorder.attempts[1][1].actual_parameters)) is None
    # What worked teaches what the roll-out of a plan teaches.
    steps = [step for step in recorder.attempts if step[2] is not None]
    taught, _ = surefoot.up.learner(problem, [steps])
    same, _ = surefoot.up.learner(problem, [drives(problem, 0, 1, 2)])
    assert taught == same
    with pytest.raises(UPUsageError, match="a trace of 2 actions has 3 states, found 2"):
        states, actions = surefoot.up.rollout(problem, drives(problem, 0, 1, 2))
        surefoot.up.learner(problem, [(states[:2], actions)])


def test_failed_attempts_teach_what_is_forbidden():
    problem = delivery(fuel=4)
    recorder = surefoot.up.Recorder(problem)
    for one, other in [(0, 1), (1, 2), (2, 0)]:
        recorder.attempt(drives(problem, one, other).actions[0])
    assert [after is None for _, _, after in recorder.attempts] == [False, False, True]
    taught, converter = surefoot.up.learner(problem, [recorder])
    without, _ = surefoot.up.learner(problem, [recorder.attempts[:2]])
    assert taught != without, "the failure is kept"
    # Nothing is allowed that failed, and what was learned of what worked is the same.
    before, failed, _ = recorder.attempts[2]
    assert not taught.model().applicable(converter.state(before), converter.action(failed))
    assert taught.model().domain == without.model().domain


def test_a_recorder_starts_where_it_is_told_and_takes_any_simulator():
    problem = delivery()
    with SequentialSimulator(problem=problem) as simulator:
        recorder = surefoot.up.Recorder(problem, simulator)
        start = recorder.state
        assert recorder.attempt(drives(problem, 0, 1).actions[0])
        recorder.state = start
        assert recorder.attempt(drives(problem, 0, 2).actions[0])
    assert surefoot.up.learner(problem, [recorder])[0] == surefoot.up.learner(
        problem, [drives(problem, 0, 1), drives(problem, 0, 2)]
    )[0]


def test_what_is_written_is_read_by_the_reader_of_unified_planning(tmp_path):
    from unified_planning.io import PDDLReader

    text = """(define (domain counting) (:requirements :numeric-fluents) (:predicates (ready)) (:functions (a) (b) (c))
      (:action up :parameters () :precondition (and (ready) (<= (+ (a) (b) (c) 1) (* 2 (b) (c)))) :effect (increase (a) (+ (b) (c) 1))))"""
    domain = surefoot.Domain.parse(text)
    init = "(ready) (= (a) 0) (= (b) 2) (= (c) 3)"
    goal = "(>= (+ (a) (b) (c)) 9)"
    task = surefoot.Problem.parse(f"(define (problem p) (:domain counting) (:init {init}) (:goal {goal}))", domain)
    for binary in (False, True):
        files = [tmp_path / "domain.pddl", tmp_path / "problem.pddl"]
        for file, what in zip(files, (domain, task)):
            file.write_text(what.to_pddl(binary=binary))
        assert ("(+ (+ (+ (a) (b)) (c)) 1)" in files[0].read_text()) == binary
        read = PDDLReader().parse_problem(*map(str, files))
        with SequentialSimulator(problem=read) as simulator:
            state = simulator.get_initial_state()
            for step in range(3):
                state, ours = simulator.apply(state, read.action("up"), ()), domain.successor(task.initial_state, ("up",))
                if step == 0:
                    assert state.get_value(read.fluent("a")()).constant_value() == ours["values"][("a",)]
            assert state is None or simulator.is_goal(state)


def test_the_planner_and_the_validator_are_engines():
    problem = delivery()
    with OneshotPlanner(name="surefoot") as planner:
        result = planner.solve(problem, timeout=20)
    assert result.status == PlanGenerationResultStatus.SOLVED_SATISFICING
    with PlanValidator(name="surefoot") as ours, PlanValidator(name="sequential_plan_validator") as theirs:
        assert ours.validate(problem, result.plan) and theirs.validate(problem, result.plan)
        broken = drives(problem, 0, 1, 0)
        for engine in (ours, theirs):
            refused = engine.validate(problem, broken)
            assert refused.status == ValidationResultStatus.INVALID and refused.reason.name == "UNSATISFIED_GOALS"
        stuck = drives(problem, 1, 2)
        refused = ours.validate(problem, stuck)
        assert refused.reason.name == "INAPPLICABLE_ACTION" and refused.inapplicable_action == stuck.actions[0]


def test_a_problem_without_a_plan_is_unsolvable():
    with OneshotPlanner(name="surefoot") as planner:
        assert planner.solve(delivery(fuel=1)).status == PlanGenerationResultStatus.UNSOLVABLE_PROVEN


def test_enhsp_solves_a_problem_in_a_model_learned_through_this_interface():
    pytest.importorskip("up_enhsp")
    problem = delivery()
    learned = surefoot.up.learn(problem, roll_outs(), arity=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with OneshotPlanner(name="enhsp") as planner:
            result = planner.solve(learned, timeout=60)
    assert result.status == PlanGenerationResultStatus.SOLVED_SATISFICING, result.log_messages
    # In the real world, too.
    converter = surefoot.up.Converter(problem)
    real = converter.back_plan(converter.plan(result.plan))
    with PlanValidator(name="surefoot") as ours, PlanValidator(name="sequential_plan_validator") as theirs:
        assert ours.validate(problem, real) and theirs.validate(problem, real)


def test_formulas_of_all_kinds_mean_the_same_on_both_sides():
    Thing = UserType("Thing")
    problem = up.model.Problem("formulas")
    on = problem.add_fluent("on", BoolType(), default_initial_value=False, x=Thing)
    size = problem.add_fluent("size", RealType(), default_initial_value=Fraction(1, 3), x=Thing)
    act = InstantaneousAction("act", x=Thing)
    x, v = act.parameter("x"), Variable("v", Thing)
    act.add_precondition(Or(Not(on(x)), Exists(on(v), v)))
    act.add_precondition(LE(Times(2, Plus(size(x), 1, Fraction(1, 7))), 10))
    act.add_precondition(Forall(LE(size(v), 100), v))
    act.add_effect(on(x), True)
    act.add_effect(size(v), Plus(size(v), 1), Or(on(v), Equals(v, x)), forall=[v])
    problem.add_action(act)
    things = [Object(name, Thing) for name in ("a", "b", "c")]
    problem.add_objects(things)
    problem.add_goal(GE(size(things[0]), Int(3)))
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    converter = surefoot.up.Converter(problem)
    domain = converter.whole_domain()
    action = problem.action("act")
    with SequentialSimulator(problem=problem) as simulator:
        state = simulator.get_initial_state()
        for step in range(6):
            for thing in things:
                theirs = simulator.apply(state, action, (thing,))
                ours = domain.successor(converter.state(state), ("act", thing.name))
                assert (ours is None) == (theirs is None)
                assert theirs is None or converter.state(theirs) == ours
            state = simulator.apply(state, action, (things[step % 3],)) or state
    with OneshotPlanner(name="surefoot") as planner:
        result = planner.solve(problem)
    with PlanValidator(name="surefoot") as validator:
        verdict = validator.validate(problem, result.plan)
        assert verdict and verdict.metric_evaluations[problem.quality_metrics[0]] == len(result.plan.actions)


def test_what_is_not_read_is_refused_by_name():
    problem = up.model.Problem("odd")
    problem.add_fluent("where", UserType("Place"))
    with pytest.raises(UPUsageError, match="fluent where"):
        surefoot.up.Converter(problem)
    assert Bool(True) is not None
