"""The adapter against AMLGym's interface, without its several gigabytes: the same conventions, the same trace dialect."""

import abc
import dataclasses
import sys
import types
from typing import List

import pytest

import surefoot
from surefoot.amlgym import Surefoot, benchmark, register

DOMAIN = """(define (domain ferry)
  (:requirements :strips :typing)
  (:types car location)
  (:predicates (at_ferry ?l - location) (at ?c - car ?l - location) (empty_ferry) (on ?c - car))
  (:action sail :parameters (?from - location ?to - location)
    :precondition (and (at_ferry ?from)) :effect (and (at_ferry ?to) (not (at_ferry ?from))))
  (:action board :parameters (?car - car ?loc - location)
    :precondition (and (at ?car ?loc) (at_ferry ?loc) (empty_ferry))
    :effect (and (on ?car) (not (at ?car ?loc)) (not (empty_ferry))))
  (:action debark :parameters (?car - car ?loc - location)
    :precondition (and (on ?car) (at_ferry ?loc))
    :effect (and (at ?car ?loc) (empty_ferry) (not (on ?car)))))
"""

# As its class Trajectory writes it.
TRACE = """(:trajectory

(:state (at c1 l1) (at c2 l0) (at_ferry l0) (empty_ferry))

(:action (sail l0 l1))

(:state (at c1 l1) (at c2 l0) (at_ferry l1) (empty_ferry))

(:action (board c1 l1))

(:state (at c2 l0) (at_ferry l1) (on c1))

(:action (sail l1 l0))

(:state (at c2 l0) (at_ferry l0) (on c1))

(:action (debark c1 l0))

(:state (at c1 l0) (at c2 l0) (at_ferry l0) (empty_ferry))

)"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "ferry.pddl").write_text(DOMAIN)
    (tmp_path / "0_ferry_traj").write_text(TRACE)
    return str(tmp_path / "ferry.pddl"), [str(tmp_path / "0_ferry_traj")]


@pytest.fixture
def amlgym(monkeypatch):
    """AMLGym's registry and base class, as version 1.0.13 has them."""

    @dataclasses.dataclass
    class PassiveAlgorithmAdapter(abc.ABC):
        @abc.abstractmethod
        def learn(self, domain_path: str, trajectory_paths: List[str]) -> str:
            raise NotImplementedError

    package, algorithms = types.ModuleType("amlgym"), types.ModuleType("amlgym.algorithms")
    base = types.ModuleType("amlgym.algorithms.PassiveAlgorithmAdapter")
    base.PassiveAlgorithmAdapter = PassiveAlgorithmAdapter
    algorithms.registry = {}
    algorithms.get_algorithm = lambda name, **options: algorithms.registry[name.lower()](**options)
    package.algorithms = algorithms
    for module in (package, algorithms, base):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return algorithms


def test_an_adapter_learns_pddl_text_from_paths(files):
    text = Surefoot().learn(*files)
    model = surefoot.Domain.parse(text)
    assert list(model.actions) == ["sail", "board", "debark"]
    state = {"atoms": {("at", "c1", "l1"), ("at_ferry", "l1"), ("empty_ferry",)}}
    assert model.successor(state, ("board", "c1", "l1"))["atoms"] == {("at_ferry", "l1"), ("on", "c1")}
    assert not model.applicable({"atoms": {("at", "c1", "l1"), ("at_ferry", "l0"), ("empty_ferry",)}}, ("board", "c1", "l1"))


def test_bindings_are_taken_to_be_injective_unless_said_otherwise(files, tmp_path):
    assert "(not (= ?from ?to))" in Surefoot().learn(*files)
    # A ferry that sails to where it is changes nothing, and is no reason to forget what other steps say.
    more = tmp_path / "1_ferry_traj"
    more.write_text("(:trajectory (:state (at_ferry l0)) (:action (sail l0 l0)) (:state (at_ferry l0)))")
    domain, traces = files
    text = Surefoot().learn(domain, [*traces, str(more)])
    assert "(not (at_ferry ?to))" in text and "(not (= ?from ?to))" not in text
    general = surefoot.Domain.parse(Surefoot(injective=False).learn(domain, [*traces, str(more)]))
    assert general.applicable({"atoms": {("at_ferry", "l0")}}, ("sail", "l0", "l0"))


def test_numeric_algorithms_are_reached_through_the_same_interface(files):
    numeric, boolean = (surefoot.Domain.parse(Surefoot(algorithm=name).learn(*files)) for name in ("nsam-star", "sam"))
    assert numeric == boolean
    with pytest.raises(ValueError, match="algorithm is one of"):
        Surefoot(algorithm="offlam").learn(*files)


def test_registered_it_is_found_by_name_and_is_one_of_its_adapters(amlgym, files):
    register()
    agent = amlgym.get_algorithm("Surefoot", algorithm="sam")
    assert agent.learn(*files) == Surefoot().learn(*files)
    from amlgym.algorithms.PassiveAlgorithmAdapter import PassiveAlgorithmAdapter

    assert isinstance(agent, PassiveAlgorithmAdapter) and amlgym.Surefoot is Surefoot


@pytest.fixture
def benchmarks(tmp_path):
    """A folder of AMLGym's benchmarks, as its package has them."""
    for folder in ("domains", "trajectories/learning/ferry", "problems/learning/ferry"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "domains/ferry.pddl").write_text(DOMAIN)
    for index in (0, 1, 10, 2):
        (tmp_path / f"trajectories/learning/ferry/{index}_ferry_traj").write_text(TRACE)
        problem = "(define (problem p) (:domain ferry) (:objects c1 c2 - car l0 l1 - location) (:init (empty_ferry)) (:goal (and)))"
        (tmp_path / f"problems/learning/ferry/{index}_ferry_prob.pddl").write_text(problem)
    return tmp_path


def test_its_folders_are_read_as_they_are(benchmarks, run):
    domain, traces = benchmark("ferry", folder=benchmarks)
    assert [trace.rsplit("/")[-1] for trace in traces] == [f"{index}_ferry_traj" for index in (0, 1, 2, 10)]
    text = Surefoot().learn(domain, traces)
    assert list(surefoot.Domain.parse(text).actions) == ["sail", "board", "debark"]
    # A folder is as good as its files, and the command reads it too.
    folder = benchmarks / "trajectories/learning/ferry"
    learner = surefoot.Learner(surefoot.Domain.read(domain), "sam")
    assert learner.observe(str(folder)) == 16
    said = run("learn", "--algorithm", "sam", "-d", domain, folder)
    assert said.returncode == 0 and "inferred" not in said.stderr, said.stderr
    assert surefoot.Domain.parse(said.stdout) == surefoot.Domain.parse(learner.model().to_pddl())
    with pytest.raises(FileNotFoundError, match="no benchmark ferry of kind learning_hard"):
        benchmark("ferry", "learning_hard", benchmarks)


def test_without_its_package_the_folder_has_to_be_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(FileNotFoundError, match="not installed"):
        benchmark("ferry")
