"""Numbers that are not exact: errors as keywords, floats of simulators, noisy sensors."""

from fractions import Fraction

import pytest
import surefoot

TANK = """(define (domain tank) (:types tank) (:functions (temperature ?t - tank) (stirred ?t - tank))
  (:action heat :parameters (?t - tank) :precondition (<= (temperature ?t) 90)
    :effect (and (assign (temperature ?t) (+ (* 0.97 (temperature ?t)) 2.4)) (increase (stirred ?t) 1))))"""


def state(temperature, stirred):
    return {"atoms": set(), "values": {("temperature", "t"): temperature, ("stirred", "t"): stirred}}


def simulated():
    """Two runs of a simulator that computes in floats; how often was stirred before does not follow from how hot it is."""
    steps = []
    for start, stirred in ((20.0, 0), (30.5, 40), (25.25, 13), (33.0, 3)):
        temperature = start
        for _ in range(12):
            after = 0.97 * temperature + 2.4
            steps.append((state(temperature, stirred), ("heat", "t"), state(after, stirred + 1)))
            temperature, stirred = after, stirred + 1
    return steps


OBJECTS = {"t": "tank"}


def learned(**options):
    learner = surefoot.Learner(surefoot.Domain.parse(TANK), **options)
    learner.observe(simulated(), objects=OBJECTS)
    return learner


def test_floats_are_taken_where_a_function_is_inexact_and_nowhere_else():
    with pytest.raises(TypeError, match="is a float, which is not exact"):
        learned()
    with pytest.raises(TypeError, match="is a float, which is not exact"):
        learned(error={"stirred": 0.5})
    model = learned(error={"temperature": 1e-9}).model()
    assert [row.learned for row in model.actions] == [True]
    assert "Each recorded value of (temperature ?t) is within 1e-9 of the true one." in model.assumptions


def test_the_refusal_leads_to_the_error():
    learner = surefoot.Learner(surefoot.Domain.parse(TANK))
    exact = [tuple(repr_of(part) for part in step) for step in simulated()]
    learner.observe(exact, objects=OBJECTS)
    with pytest.raises(surefoot.BadDataError) as raised:
        learner.model()
    assert set(raised.value.errors) == {"temperature"}
    assert 'error={"temperature": ' in str(raised.value) and "--error" not in str(raised.value)
    # What it says is what helps.
    learned(error=raised.value.errors).model()


def repr_of(part):
    if isinstance(part, tuple):
        return part
    return {"atoms": part["atoms"], "values": {key: str(value) for key, value in part["values"].items()}}


@pytest.mark.parametrize("error", [0.15, "0.15", Fraction(3, 20), {"*": 0.15}, {"temperature": 0.15, "stirred": "0.15"}])
def test_an_error_is_a_number_or_a_dict(error):
    spec = surefoot.Learner(surefoot.Domain.parse(TANK), error=error)
    spec.observe(simulated(), objects=OBJECTS)
    assert any("within 0.15 of the true one" in sentence for sentence in spec.model(on_bad_data="skip-action").assumptions)


@pytest.mark.parametrize("error", [-0.1, float("nan"), float("inf"), "little", {"pressure": 0.1}, [0.1]])
def test_what_is_no_error_is_refused(error):
    with pytest.raises(ValueError):
        surefoot.Learner(surefoot.Domain.parse(TANK), error=error)


def test_effects_with_few_decimals_are_exact():
    model = learned(error={"temperature": 1e-9}, effect_decimals=2).model()
    assert "Successors of heat: exact." in model.to_pddl()
    after = model.successor(state("35", 20), ("heat", "t"), OBJECTS)
    assert after["values"][("temperature", "t")] == Fraction("36.35")


def test_states_are_records():
    model = learned(error={"temperature": 1e-9}).model()
    inside, outside = state(31.0, 20), state(19.9, 0)
    assert model.applicable(inside, ("heat", "t"), OBJECTS) and not model.applicable(outside, ("heat", "t"), OBJECTS)
    assert model.mask(inside, [("heat", "t")], OBJECTS) == [True]
    assert model.applicable_actions(inside, OBJECTS) == [("heat", "t")]
    assert model.masker([("heat", "t")], OBJECTS)(inside)[0]
    assert model.answer(outside, ("heat", "t"), OBJECTS).answer == "unknown"
    # It was recorded, but its true values may be outside of what is known.
    assert "known within errors" in str(model.explain(state(20.0, 0), ("heat", "t"), OBJECTS))


def test_evidence_is_merged_and_saved():
    steps, domain = simulated(), surefoot.Domain.parse(TANK)
    whole = learned(error={"temperature": 1e-9}).model().to_pddl()
    parts = [surefoot.Learner(domain, error={"temperature": 1e-9}) for _ in range(2)]
    for part, steps in zip(parts, (steps[:20], steps[20:])):
        part.observe(steps, objects=OBJECTS)
    parts[0].merge(parts[1])
    assert parts[0].model().to_pddl() == whole
    again = surefoot.Learner.load(bytes(parts[0]))
    assert again.model().to_pddl() == whole


def test_errors_of_successors_are_measured_beside_those_promised(tmp_path):
    domain = surefoot.Domain.parse(TANK)
    (tmp_path / "p.pddl").write_text(
        "(define (problem p) (:domain tank) (:objects t - tank)"
        " (:init (= (temperature t) 21) (= (stirred t) 3)) (:goal (>= (stirred t) 5)))"
    )
    found = surefoot.evaluate(domain, learned(error={"temperature": 1e-6}).model(), tmp_path, walks=2, steps=8)
    both = found.successors["heat"]
    assert 0 <= both["successor_error"] <= both["successor_bound"] and both["successor_bound"] > 0
