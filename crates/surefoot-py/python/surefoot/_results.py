"""What calls return: plain values."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Dict, List, Optional, Tuple

Words = Tuple[str, ...]


@dataclass(frozen=True)
class ActionSummary:
    """What became of one action; numbers are zero where it was not learned, None where only safe learners have them."""

    action: str
    learned: bool
    #: "learned", or why not.
    result: str
    #: How many of its steps were set aside as recording errors.
    set_aside: Optional[int] = 0
    #: Distinct observed vectors that are kept.
    vectors: Optional[int] = 0
    #: Functions, or products of them, that numeric conditions are linear in.
    columns: Optional[int] = 0
    #: The dimension of what was observed.
    dimension: Optional[int] = 0
    literals: int = 0
    equations: int = 0
    facets: int = 0
    effects: int = 0
    numeric_effects: int = 0
    #: Whether the facets exceeded the budget, so that the region is a part of the safe one.
    inner: bool = False
    #: How many observed vectors that part leaves out.
    uncovered: Optional[int] = 0
    #: How many of the steps it was shown the model refuses.
    refused: Optional[int] = 0


@dataclass(frozen=True)
class Violation:
    """A condition that does not hold; `left` and `right` are the values it compares, if it does."""

    condition: str
    reason: str
    left: Optional[Fraction] = None
    right: Optional[Fraction] = None

    def __str__(self) -> str:
        return f"{self.condition}: {self.reason}" if self.condition else self.reason


@dataclass(frozen=True)
class Explanation:
    """Why a model allows an action in a state, or not."""

    action: Words
    applicable: bool
    violations: List[Violation] = field(default_factory=list)
    #: What the action changes, where it is applicable.
    adds: List[Words] = field(default_factory=list)
    deletes: List[Words] = field(default_factory=list)
    values: Dict[Words, Fraction] = field(default_factory=dict)
    #: By column: its value in the nearest observed vector, and here.
    nearest: Optional[Dict[str, Tuple[Fraction, Fraction]]] = None
    #: How many observed vectors there were to choose from.
    among: int = 0
    #: What the records tell: "allowed", "forbidden" (no model that explains them allows it) or "unknown". None where they are not known.
    answer: Optional[str] = None
    #: The recorded failure that proves that it is forbidden, in words.
    witness: Optional[str] = None
    #: The explanation for people, in at most five lines.
    lines: List[str] = field(default_factory=list)
    #: What would allow the action if it were true of the world. Asked only where the record bears it out and nothing speaks against it.
    questions: List[str] = field(default_factory=list)
    #: For each question, the options of `Learner.model` that say yes to it.
    admissions: List[Dict[str, Any]] = field(default_factory=list)

    def __str__(self) -> str:
        name = f"({' '.join(self.action)})"
        if self.applicable:
            lines = [f"{name} is applicable. It"]
            lines += [f"  makes ({' '.join(atom)}) false" for atom in self.deletes]
            lines += [f"  makes ({' '.join(atom)}) true" for atom in self.adds]
            lines += [f"  changes ({' '.join(function)}) to {value}" for function, value in self.values.items()]
            return "\n".join(lines)
        return "\n".join(self.lines)


@dataclass(frozen=True)
class Answer:
    """What the records tell of an action in a state."""

    #: "allowed", "forbidden" or "unknown".
    answer: str
    #: Which failed attempt proves that it is forbidden, in words.
    because: Optional[str] = None

    def __str__(self) -> str:
        return self.answer if self.because is None else f"{self.answer}: {self.because}"


@dataclass(frozen=True)
class LogScore:
    """What a model says of a log, or of one action in it. Of a safe model whose assumptions are true, nothing in the log contradicts it."""

    #: Steps that worked and that the model decides, and those of them that it allows.
    worked: int
    allowed: int
    #: Those that it allows with another state after than the one recorded.
    mistaken: int
    #: Attempts that failed and that the model decides, and those of them that it allows.
    failed: int
    allowed_failures: int
    #: Events that the model would decide by what is unknown of the state; they count nowhere else.
    undecided: int
    #: By action; empty for one action.
    actions: Dict[str, "LogScore"] = field(default_factory=dict)
    #: The first events that contradict the model, with their places.
    contradictions: List[str] = field(default_factory=list)
    #: How many traces there are, and how many of them have an event that contradicts the model.
    traces: int = 0
    wrong_traces: int = 0
    #: With confidence 95 %, at most this share of new traces contains an event that contradicts the model, whatever is true of the world: provided that the model was not learned from these traces, and that they and the new ones are independent draws from one source. None for one action.
    wrong_at_most: Optional[float] = None

    @property
    def recall(self) -> Optional[float]:
        """Of the steps that worked, the share that is allowed; None where none worked."""
        return self.allowed / self.worked if self.worked else None

    @property
    def contradicted(self) -> bool:
        """Whether something in the log shows that an assumption of the model is false."""
        return self.mistaken + self.allowed_failures > 0

    def __str__(self) -> str:
        rows = [("action", "worked", "allowed", "otherwise", "failed", "allowed", "undecided")]
        for name, row in [*self.actions.items(), ("all", self)]:
            numbers = (row.worked, row.allowed, row.mistaken, row.failed, row.allowed_failures, row.undecided)
            rows.append((name, *map(str, numbers)))  # type: ignore[arg-type]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]) for row in rows]
        if self.contradicted:
            lines.append("the log contradicts the model, so an assumption of it is false:")
            lines += [f"  {line}" for line in self.contradictions]
        return "\n".join(lines)


@dataclass(frozen=True)
class Planned:
    """What a planner came to."""

    #: "solved", "unsolvable", "time-limit", "memory-limit", "unknown", "unsupported" or "failed".
    status: str
    planner: str
    seconds: float
    plan: Optional[List[Words]] = None
    #: The value of the problem's metric after the plan.
    metric: Optional[Fraction] = None
    message: Optional[str] = None
    #: How much work it was, for the built-in planner.
    expanded: Optional[int] = None
    evaluated: Optional[int] = None
    stored: Optional[int] = None

    @property
    def solved(self) -> bool:
        """Whether there is a plan."""
        return self.plan is not None


@dataclass(frozen=True)
class Verdict:
    """What became of a plan."""

    valid: bool
    #: How long the plan is.
    steps: int
    metric: Optional[Fraction] = None
    #: The index, from 0, of the first step that cannot be taken.
    failing_step: Optional[int] = None
    action: Optional[Words] = None
    #: Why it cannot, or which goals are not met.
    reasons: List[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return self.valid
