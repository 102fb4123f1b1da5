"""A model promises safety: what it allows works, and it says why it does not allow the rest."""

import json
import pickle
import re

import pytest

import surefoot
from surefoot import Domain, Learner, Problem


def test_all_that_was_recorded_is_allowed_and_all_that_is_allowed_works(depots):
    real = Domain.read(depots / "domain.pddl")
    model = surefoot.learn(real, depots)
    allowed = 0
    for path in sorted(depots.glob("*.solution"))[:6]:
        problem = Problem.read(path.with_suffix(".pddl"), real)
        trajectory = surefoot.trace(real, problem, path)
        for before, action, after in zip(trajectory["states"], trajectory["actions"], trajectory["states"][1:]):
            assert model.applicable(before, action, problem.objects)
            assert model.successor(before, action, problem.objects) == after == real.successor(before, action, problem.objects)
            # Other actions of the plan, here: whatever the model allows, the real domain does too, with the same result.
            for other in trajectory["actions"][:10]:
                if model.applicable(before, other, problem.objects):
                    allowed += 1
                    assert model.successor(before, other, problem.objects) == real.successor(before, other, problem.objects)
    assert allowed > 10


def test_a_refusal_names_values_in_few_lines_and_asks_nothing_that_the_record_does_not_bear_out(counting):
    def state(n):
        return {"atoms": {("ready",)}, "values": {("n",): n}}

    learner = Learner(counting)
    for n in (0, 1):
        learner.observe((state(n), ("up",), state(n + 1)))
    refusal = learner.model().explain(state(2), ("up",))
    assert not refusal.applicable
    [violation] = refusal.violations
    assert (violation.left, violation.right) == (2, 1)
    assert refusal.nearest == {"(n)": (1, 2)} and refusal.among == 2
    assert refusal.lines[1] == "n is 2; every recorded value with which up worked is 1 or less"
    assert str(refusal).splitlines() == refusal.lines and len(refusal.lines) <= 5
    # What counts up may well stop at a limit: nobody is asked whether more never hurts.
    assert refusal.questions == refusal.admissions == []
    consent = learner.model().explain(state(1), ("up",))
    assert consent.applicable and consent.values == {("n",): 2}


def test_a_question_is_asked_where_the_record_bears_it_out_and_yes_admits_the_step():
    domain = Domain.parse("(define (domain d) (:functions (fuel) (load)) (:action go :parameters ()))")

    def state(fuel, load):
        return {"atoms": set(), "values": {("fuel",): fuel, ("load",): load}}

    learner = Learner(domain)
    for fuel, load in [(2, 0), (3, 1), (4, 0), (6, 2), (7, 1), (9, 0), (10, 2), (12, 1)]:
        learner.observe((state(fuel, load), ("go",), state(fuel - 1, load)))
    model = learner.model()
    full = model.explain(state(50, 1), ("go",))
    assert any("more fuel never hurts go?" in question for question in full.questions)
    for options in full.admissions:
        assert learner.model(**options).applicable(state(50, 1), ("go",))
    # An empty tank is no reason to ask whether less of it never hurts: going takes fuel.
    assert not any("fuel" in question for question in model.explain(state(0, 1), ("go",)).questions)


def test_an_action_that_was_never_seen_is_not_allowed_and_explained(counting):
    model = Learner(counting).model()
    here = {"atoms": {("ready",)}, "values": {("n",): 1}}
    assert not model.applicable(here, ("up",)) and model.successor(here, ("up",)) is None
    assert "never observed" in str(model.explain(here, ("up",)))
    assert [row.learned for row in model.actions] == [False]


def test_the_certificate_is_accepted_by_the_independent_checker(farmland, run, tmp_path):
    learner = Learner(Domain.read(farmland / "domain.pddl"))
    learner.observe(farmland)
    model = learner.model()
    (tmp_path / "learned.pddl").write_text(model.to_pddl())
    (tmp_path / "proof.json").write_text(model.certificate())
    words = ["check", "-d", farmland / "domain.pddl", "-m", tmp_path / "learned.pddl", "-c", tmp_path / "proof.json", farmland]
    checked = run(*words)
    assert checked.returncode == 0, checked.stderr + checked.stdout
    proof = json.loads(model.certificate())
    proof["traces"] = []
    (tmp_path / "proof.json").write_text(json.dumps(proof))
    assert run(*words).returncode == 1
    with pytest.raises(ValueError, match="traces="):
        Learner.load(bytes(learner)).model().certificate()
    assert Learner.load(bytes(learner)).model().certificate([farmland]) == model.certificate()


def test_a_model_shows_itself_in_notebooks_with_pictures_of_what_was_observed(depots):
    page = surefoot.learn(depots / "domain.pddl", depots)._repr_html_()
    assert page.count("<svg") >= 1 and 'class="region' in page
    points = "".join(re.findall(r'<path class="seen" d="([^"]*)"', page))
    assert points.count("M") > 20, "each observation is a dot of its picture's path"
    assert "<title" in page and "assumptions" in page


def test_a_model_can_be_sent_to_another_process(depots):
    learner = Learner(Domain.read(depots / "domain.pddl"), arity=3)
    learner.observe(depots)
    model = learner.model(positive_preconditions=True)
    again = pickle.loads(pickle.dumps(model))
    assert (again.to_pddl(), again.options, again.assumptions) == (model.to_pddl(), model.options, model.assumptions)
    with pytest.raises(ValueError, match="traces="):
        again.certificate()
    assert again.certificate([depots]) == model.certificate()


def test_what_was_observed_is_allowed_even_where_facets_are_too_many_for_pddl():
    domain = Domain.parse("""(define (domain mixing) (:predicates (done)) (:functions (a) (b))
        (:action mix :parameters ()))""")
    corners = [(3, 1), (1, 3), (-1, 3), (-3, 1), (-3, -1), (-1, -3), (1, -3), (3, -1)]
    learner = Learner(domain, facet_budget=4)

    def state(a, b, atoms=()):
        return {"atoms": set(atoms), "values": {("a",): a, ("b",): b}}

    for a, b in corners:
        learner.observe((state(a, b), ("mix",), state(a, b, [("done",)])))
    model = learner.model()
    assert model.actions[0].inner and (model.actions[0].uncovered or 0) > 0
    assert all(model.applicable(state(a, b), ("mix",)) for a, b in corners)
    refused = model.explain(state(3, 2), ("mix",))
    assert not refused.applicable and refused.violations[0].left > refused.violations[0].right


def test_options_of_one_model_do_not_change_the_learner(depots):
    learner = Learner(Domain.read(depots / "domain.pddl"))
    learner.observe(depots)
    before = learner.model().to_pddl()
    assert learner.model(arity=1, effect_arity=2).to_pddl() != before
    assert learner.model(algorithm="sam").to_pddl() != before
    assert learner.model().to_pddl() == before
    with pytest.raises(TypeError, match="no option"):
        learner.model(aritty=1)
    with pytest.raises(ValueError, match="algorithm is one of"):
        learner.model(algorithm="sum")


def test_a_model_of_planminer_says_that_it_is_not_safe(depots):
    model = surefoot.learn(depots / "domain.pddl", depots, algorithm="planminer")
    assert model.not_safe and "NOT SAFE" in repr(model) and "; NOT SAFE" in model.to_pddl()
    with pytest.raises(ValueError, match="only safe models have certificates"):
        model.certificate()
    with pytest.raises(ValueError, match="learns from all traces at once"):
        Learner(Domain.read(depots / "domain.pddl"), algorithm="planminer")
    assert surefoot.learn(depots / "domain.pddl", depots).not_safe is None
