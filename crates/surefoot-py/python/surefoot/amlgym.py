"""AMLGym: SAM and N-SAM* as algorithms of its suite, and its folders as they are.

>>> from surefoot.amlgym import Surefoot, benchmark
>>> Surefoot().learn("domain.pddl", ["0_traj", "1_traj"])            # doctest: +SKIP
>>> Surefoot().learn(*benchmark("ferry"))                            # doctest: +SKIP

`register()` adds the class to AMLGym's own registry, so that `amlgym.algorithms.get_algorithm("surefoot")` finds it. AMLGym itself is
needed for that alone.
"""

# AMLGym has no types.
# mypy: disable-error-code="import-untyped,import-not-found,misc,attr-defined"

import re
from copy import copy
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Dict, Iterator, List, Optional, Set, Tuple, Union

from . import Domain, Learner
from ._lists import conjuncts, parsed, written

__all__ = ["Surefoot", "benchmark", "register"]


@dataclass
class Surefoot:
    """An adapter with AMLGym's conventions: a domain's path and paths of trajectories in, PDDL text out.

    `algorithm` is "sam" (AMLGym's domains have no numbers), "nsam-star" or "nsam". AMLGym's SAM assumes injective bindings: it learns
    nothing from steps that apply an action to one object twice, and says that two arguments differ unless they were seen to be one.
    So does the adapter with `injective`; without it, it learns from all steps, and the model is safe without that assumption.
    """

    algorithm: str = "sam"
    injective: bool = True
    positive_preconditions: bool = False
    arity: Optional[int] = None

    _reference: ClassVar[Dict[str, Any]] = {
        "Authors": "A. Mordoch, R. Stern, B. Juba",
        "Title": "Learning Safe Numeric Planning Action Models",
    }

    def learn(self, domain_path: str, trajectory_paths: List[str]) -> str:
        """Learns a model; of the domain only types, predicates, functions and the signatures of actions are used."""
        learner = Learner(
            Domain.read(domain_path),
            self.algorithm,
            positive_preconditions=self.positive_preconditions,
            arity=self.arity,
        )
        everything = copy(learner)
        # Whatever is wrong with a file is told with its place.
        everything.observe([str(path) for path in trajectory_paths])
        if not self.injective:
            return everything.model().to_pddl()
        same: Set[Tuple[str, int, int]] = set()
        for path in trajectory_paths:
            with open(path, encoding="utf-8") as file:
                for step in _steps(file.read()):
                    name, *objects = step[1]
                    pairs = [(i, j) for j in range(len(objects)) for i in range(j) if objects[i] == objects[j]]
                    same.update((name, i, j) for i, j in pairs)
                    if not pairs:
                        learner.observe(step)
        return _injective(learner.model().to_pddl(), same)


def benchmark(
    domain: str, kind: str = "learning", folder: Optional[Union[str, "PathLike[str]"]] = None
) -> Tuple[str, List[str]]:
    """The domain and the trajectories of a benchmark of AMLGym, as `Surefoot.learn` and `surefoot.Learner.observe` take them.

    `folder` has AMLGym's `domains`, `trajectories` and `problems`; without it, it is that of the AMLGym that is installed. `kind` is
    "learning" or "learning_hard". The problem of each trajectory, which declares its objects, is found beside them by its name.
    """
    if folder is None:
        from importlib.util import find_spec

        found = find_spec("amlgym")
        if found is None or not found.submodule_search_locations:
            raise FileNotFoundError("AMLGym is not installed: name the folder that has its domains and trajectories")
        folder = Path(found.submodule_search_locations[0]) / "benchmarks"
    root = Path(folder)
    traces = [file for file in (root / "trajectories" / kind / domain).glob("*_traj") if file.is_file()]
    path = root / "domains" / f"{domain}.pddl"
    if not path.is_file() or not traces:
        raise FileNotFoundError(f"{root} has no benchmark {domain} of kind {kind}")
    # By number: 10_ferry_traj comes after 9_ferry_traj.
    traces.sort(key=lambda file: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", file.name)])
    return str(path), [str(file) for file in traces]


def _steps(text: str) -> Iterator[Tuple[Dict[str, Any], List[str], Dict[str, Any]]]:
    """The steps of a trajectory in either dialect.

    >>> next(_steps("(:trajectory (:state (at a)) (:action (go a b)) (:state (at b) (= (n) 1.5)))"))[1]
    ['go', 'a', 'b']
    """
    whole = [part for part in parsed(text.lower()) if isinstance(part, list)]
    states = [_state(part[1:]) for part in whole[::2]]
    actions = [part[1] for part in whole[1::2]]
    yield from zip(states, actions, states[1:])


def _state(facts: List[Any]) -> Dict[str, Any]:
    atoms = {tuple(fact) for fact in facts if fact[0] not in ("=", "not")}
    return {"atoms": atoms, "values": {tuple(fact[1]): fact[2] for fact in facts if fact[0] == "="}}


def _injective(text: str, same: Set[Tuple[str, int, int]]) -> str:
    """A domain learned from injective steps, without the inequality of arguments that were seen to be one."""
    head = "".join(line + "\n" for line in text.splitlines() if line.startswith(";"))
    lines = []
    for section in parsed(text)[1:]:
        if section[0] != ":action":
            lines.append(written(section))
            continue
        name, parts = section[1], dict(zip(section[2::2], section[3::2]))
        parameters = [word for word in parts[":parameters"] if word.startswith("?")]
        seen = {frozenset((parameters[i], parameters[j])) for action, i, j in same if action == name.lower()}
        kept = []
        for condition in conjuncts(parts.get(":precondition", ["and"])):
            if condition[0] == "not" and condition[1][0] == "=" and frozenset(condition[1][1:]) in seen:
                continue
            kept.append(condition)
        lines.append(f"(:action {name}\n  :parameters {written(parts[':parameters'])}")
        for part, inner in ((":precondition", kept), (":effect", conjuncts(parts.get(":effect", ["and"])))):
            lines.append("\n".join([f"  {part} (and", *(f"    {written(one)}" for one in inner)]) + ")")
        lines[-1] += ")"
    return head + "; Actions are applied to different objects only, unless they were seen otherwise.\n(define " + "\n".join(lines) + ")\n"


def register(name: str = "surefoot") -> None:
    """Adds the adapter to the registry of an installed AMLGym, under a name for `amlgym.algorithms.get_algorithm`."""
    from amlgym import algorithms
    from amlgym.algorithms.PassiveAlgorithmAdapter import PassiveAlgorithmAdapter

    PassiveAlgorithmAdapter.register(Surefoot)
    algorithms.registry[name.lower()] = Surefoot
    algorithms.Surefoot = Surefoot
