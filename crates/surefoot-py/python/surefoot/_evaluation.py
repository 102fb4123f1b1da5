"""How good a learned model is: the figures of `surefoot evaluate`, as plain values."""

import os
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Dict, List, Optional, Union

from ._surefoot import Domain, Model, evaluate_json


@dataclass(frozen=True)
class Scores:
    """The metrics of the paper for one action, or their means over all actions. None where there is nothing to share."""

    precondition_precision: float
    precondition_recall: float
    effect_precision: float
    effect_recall: float
    semantic_precision: float
    semantic_recall: Optional[float]
    #: The mean squared error of numeric effects, exactly.
    mse: Fraction
    boolean_effect_agreement: Optional[float]
    action: Optional[str] = None
    learned: Optional[bool] = None


@dataclass(frozen=True)
class Coverage:
    """What became of the test problems, planned with the learned model and tried in the real one."""

    planner: str
    coverage: float
    solved: int
    unsolvable: int
    limit: int
    inapplicable: int
    goal_unmet: int
    failed: int
    #: By problem: what became of it.
    problems: Dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Evaluation:
    """A learned model beside the real one."""

    mean: Scores
    actions: List[Scores]
    #: How many steps were compared.
    steps: int
    coverage: Optional[Coverage] = None


def evaluate(
    truth: Union[Domain, str, "os.PathLike[str]"],
    learned: Union[Model, Domain, str, "os.PathLike[str]"],
    problems: Union[str, "os.PathLike[str]"],
    *,
    traces: Union[str, "os.PathLike[str]", None] = None,
    walks: int = 1,
    steps: int = 200,
    inapplicable: float = 0.25,
    seed: int = 0,
    planner: Optional[str] = None,
    time_limit: float = 60.0,
    decimals: Optional[int] = None,
) -> Evaluation:
    """Compares a learned model with the real domain, by the metrics of the paper: on random walks from the problems of a folder,
    on recorded traces, and, with a planner, by solving the problems.
    """
    # Imported here, since both take longer than all the rest.
    import json
    import tempfile

    with tempfile.TemporaryDirectory(prefix="surefoot-") as folder:

        def file(value: Any, name: str) -> str:
            if not isinstance(value, (Domain, Model)):
                return str(os.fspath(value))
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as out:
                out.write(value.to_pddl())
            return path

        options: List[str] = ["--truth", file(truth, "truth.pddl"), "--learned", file(learned, "learned.pddl")]
        options += ["--problems", os.fspath(problems), "--walks", str(walks), "--steps", str(steps)]
        options += ["--inapplicable", str(inapplicable), "--seed", str(seed), "--time-limit", str(time_limit)]
        for option, value in (("--traces", traces), ("--planner", planner), ("--decimals", decimals)):
            if value is not None:
                options += [option, str(value)]
        report = json.loads(evaluate_json(options))
    coverage = report.get("coverage")
    if coverage is not None:
        coverage["problems"] = {row["problem"]: row["outcome"] for row in coverage["problems"]}
        coverage = Coverage(**{name: coverage[name] for name in Coverage.__dataclass_fields__})
    return Evaluation(_scores(report["mean"]), [_scores(row) for row in report["actions"]], report["steps"], coverage)


def _scores(row: Dict[str, Any]) -> Scores:
    known: Dict[str, Any] = {name: row.get(name) for name in Scores.__dataclass_fields__}
    known["mse"] = Fraction(row["mse"])
    return Scores(**known)
