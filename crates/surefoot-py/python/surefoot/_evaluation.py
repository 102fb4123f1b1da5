"""How good a learned model is: the figures of `surefoot evaluate`, as plain values."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Dict, List, Optional

from ._surefoot import evaluate as evaluate


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
    #: What the recall lacks, by the part of the learned precondition that refuses: atoms, numbers, both; or all, without a model.
    lost_boolean: Optional[float]
    lost_numeric: Optional[float]
    lost_both: Optional[float]
    lost_unlearned: Optional[float]
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
    #: By how much numeric comparisons could be missed; zero: they were exact.
    tolerance: Fraction = Fraction(0)
    #: By action of a model that knows numbers within errors only: the largest error of a function after a step (`successor_error`),
    #: beside the one that the model promises (`successor_bound`).
    successors: Dict[str, Dict[str, Fraction]] = field(default_factory=dict)
