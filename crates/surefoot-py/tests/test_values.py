"""Values as people have them: numbers of numpy and pandas, floats, what is missing; and errors that name the step."""

import copy
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import surefoot
from surefoot import Domain, Learner


def state(n, ready=True):
    return {"atoms": {("ready",)} if ready else set(), "values": {("n",): n}}


def learned(domain, numbers, **options):
    learner = Learner(domain, **options)
    for low, high in numbers:
        learner.observe((state(low), ("up",), state(high)))
    return learner


@pytest.mark.parametrize(
    "made",
    [
        np.int64, np.int8, np.uint16, np.float64, np.float32, np.float16, np.array, float,
        lambda n: np.array([n, n])[0], lambda n: pd.Series([n]).iloc[0], lambda n: np.array(n, dtype=object), Decimal, str,
    ],
)  # fmt: skip
def test_numbers_of_numpy_are_the_numbers_they_are(counting, made):
    assert learned(counting, [(made(1), made(2)), (made(4), made(5))]) == learned(counting, [(1, 2), (4, 5)])


def test_a_float_is_taken_where_its_decimals_are_what_it_is(counting):
    exact = learned(counting, [(Fraction(1, 2), Fraction(3, 2))])
    assert learned(counting, [(0.5, 1.5)]) == learned(counting, [(np.float32(0.5), np.float64(1.5))]) == exact
    for inexact in (0.1, np.float64(0.1), np.float32(0.1), 1e300):
        with pytest.raises(TypeError, match="not exact.*decimals=N"):
            learned(counting, [(inexact, 1)])
    # A number of fewer bits is what it is, not what it was rounded from.
    rounded = learned(counting, [(np.float32(0.1), np.float32(1.1))], decimals=3)
    assert rounded == learned(counting, [("0.1", "1.1")], decimals=3)
    assert learned(counting, [(np.float32(0.1), 1)], decimals=12) != learned(counting, [("0.1", 1)], decimals=12)


@pytest.mark.parametrize("wrong", [np.bool_(True), True, np.array([1, 2]), np.array([1]), "one", object(), 1j, np.complex128(1)])
def test_what_is_no_number_is_refused(counting, wrong):
    with pytest.raises((TypeError, ValueError), match=r"step 0: the value of \('n',\)"):
        learned(counting, [(wrong, 2)])


@pytest.mark.parametrize("infinite", [float("inf"), -np.inf, np.float32("inf"), Decimal("Infinity")])
def test_infinity_is_no_value(counting, infinite):
    with pytest.raises(ValueError, match="inf.*say None or NaN|Inf.*say None or NaN"):
        learned(counting, [(infinite, 2)])


MISSING = [None, float("nan"), np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("NaN"), np.ma.masked]


@pytest.mark.parametrize("missing", MISSING)
def test_what_is_missing_is_unknown_and_not_zero(counting, missing):
    model = learned(counting, [(0, 1), (5, 6)]).model()
    assert model.applicable(state(0), ("up",)) and not model.applicable(state(missing), ("up",))
    assert "unknown" in str(model.explain(state(missing), ("up",)).violations[0])
    # Undefined is something else: the function has no value at all.
    assert "has no value" in str(model.explain({"atoms": {("ready",)}, "values": {}}, ("up",)).violations[0])


def test_an_unknown_atom_is_neither_true_nor_false(counting):
    domain = Domain.parse("""(define (domain d) (:predicates (a) (b))
        (:action go :parameters () :precondition (and (a) (not (b))) :effect (b)))""")
    known, unknown = {"atoms": {("a",)}}, {"atoms": {("a",)}, "unknown": {("b",)}}
    assert domain.applicable(known, ("go",)) and not domain.applicable(unknown, ("go",))
    assert domain.mask(unknown, ["go"]) == [False] and domain.applicable_actions(unknown) == []
    with pytest.raises(ValueError, match="both given and unknown"):
        domain.applicable({"atoms": {("a",)}, "unknown": {("a",)}}, ("go",))
    with pytest.raises(TypeError, match="expected a state"):
        domain.applicable({"atoms": {("a",)}, "unkown": {("b",)}}, ("go",))
    other = Domain.parse("""(define (domain d) (:predicates (a)) (:functions (n) (m))
        (:action go :parameters () :precondition (a) :effect (assign (n) 1)))""")
    half = {"atoms": {("a",)}, "values": {("n",): None}, "unknown": ["m"]}
    assert other.successor(half, ("go",)) == {"atoms": {("a",)}, "values": {("n",): 1, ("m",): None}}


def test_every_error_names_the_step(counting):
    good, bad = state(1), state("x")
    for broken, index in [
        ((bad, ("up",), good), 0),
        ([(good, ("up",), state(2)), (state(2), ("up",), bad)], 1),
        ([(good, ("up",), state(2)), (bad, ("up",), good)], 1),
        ([(good, ("up",), state(2)), (state(2), ("down",), good)], 1),
        ({"states": [good, state(2), state(3), bad], "actions": [("up",)] * 3}, 2),
        ({"states": [bad, state(2)], "actions": [("up",)]}, 0),
    ]:
        with pytest.raises((ValueError, TypeError), match=f"^step {index}: ") as caught:
            Learner(counting).observe(broken)
        assert caught.value.step == index


def test_words_may_be_arrays_and_values_any_mapping(counting):
    domain = Domain.parse("""(define (domain d) (:types robot place) (:predicates (at ?r - robot ?p - place)) (:functions (e ?r - robot))
        (:action go :parameters (?r - robot ?a ?b - place)))""")
    plain, odd = Learner(domain), Learner(domain)
    plain.observe((({("at", "r", "a")}, {("e", "r"): 2}), ("go", "r", "a", "b"), ({("at", "r", "b")}, {("e", "r"): 1})))
    before = ([np.array(["at", "r", "a"])], pd.Series({("e", "r"): 2}))
    after = (np.array([["at", "r", "b"]]), pd.Series([1], index=pd.MultiIndex.from_tuples([("e", "r")])))
    odd.observe((before, np.array(["go", "r", "a", "b"]), after))
    assert plain == odd


def test_options_may_be_numbers_of_numpy(counting):
    assert Learner(counting, arity=np.int64(2), digits=np.array(3)).options == Learner(counting, arity=2, digits=3).options


def test_states_by_what_differs_are_states_as_they_are(depots):
    """States with tuples of their own, in another order, frozen, or changed in place, teach the same."""
    domain = Domain.read(depots / "domain.pddl")
    plain = Learner(domain)
    others = [Learner(domain) for _ in range(4)]
    for path in sorted(depots.glob("*.solution"))[:8]:
        problem = surefoot.Problem.read(path.with_suffix(".pddl"), domain)
        trajectory = surefoot.trace(domain, problem, path)
        del trajectory["objects"]
        plain.observe(trajectory)

        def rewritten(change):
            return {"states": [change(one) for one in trajectory["states"]], "actions": trajectory["actions"]}

        others[0].observe(rewritten(copy.deepcopy))
        others[1].observe(rewritten(lambda one: (frozenset(one["atoms"]), dict(reversed(list(one["values"].items()))))))
        others[2].observe(rewritten(lambda one: (list(one["atoms"]), {" ".join(key): value for key, value in one["values"].items()})))
        shuffled = rewritten(lambda one: one)
        shuffled["states"][::2] = [copy.deepcopy(dict(reversed(list(one.items())))) for one in shuffled["states"][::2]]
        others[3].observe(shuffled)
    for other in others:
        assert bytes(other) == bytes(plain)
