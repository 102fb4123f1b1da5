"""How much traces are worth: what `surefoot assess` says, as plain values."""

import json
from dataclasses import dataclass, field
from typing import List, Optional, Union

from ._surefoot import assess as assess


@dataclass(frozen=True)
class Estimate:
    """A share that is not known."""

    #: The mean over traces, each tried in the model of the others. None of fewer than two traces.
    estimate: Optional[float]
    #: Proved, with the confidence asked for; 0 where nothing can be said, None where nothing is proved.
    at_least: Optional[float]
    #: Not proved.
    at_most: float


@dataclass(frozen=True)
class Compression:
    """What a few traces that suffice say of new traces as a whole."""

    #: So many traces suffice for a model that allows all others.
    sufficient: int
    #: Proved, with the confidence asked for.
    at_least: float
    #: Which traces these are, from 0.
    which: List[int]


@dataclass(frozen=True)
class Theory:
    """What can be said before any trace is seen."""

    #: At most so many steps determine a model under arity 1.
    determining_steps: Optional[int]
    #: So many traces are enough under arity 1, whatever their distribution.
    traces: Optional[int]
    #: Whether this is about the model at hand: arity 1 was chosen, or no condition can mention more than one number.
    applies: bool
    #: Why there is no number of traces: "none_is_enough", "not_counted" or "too_large".
    missing: Optional[str]


@dataclass(frozen=True)
class Refusal:
    """What refuses steps, alone or with others."""

    reason: str
    steps: int


@dataclass(frozen=True)
class ActionAssessment:
    """How many steps of an action the models of the other traces refuse, and why."""

    action: str
    steps: int
    refused: int
    reasons: List[Refusal]


@dataclass(frozen=True)
class WrongBound:
    """A bound on the share of new traces in which an allowed step goes wrong."""

    #: Proved, with the confidence asked for.
    at_most: float
    #: The same model is learned from so many traces, and nothing goes wrong in the others.
    sufficient: int


@dataclass(frozen=True)
class Wrong:
    """How often an allowed step fails, or ends in another state than predicted, whatever is true of the world."""

    #: How many traces were left out and tried in a model of others, and how many of their steps that model allows.
    tried: int
    allowed: int
    #: How many of these went wrong, in how many traces, and the first of them with their places.
    wrong: int
    wrong_traces: int
    first: List[str]
    #: Traces that could not be tried, since no model was learned from the others.
    without_model: int
    #: None where nothing is proved.
    bound: Optional[WrongBound]


@dataclass(frozen=True)
class Assessment:
    """What can be said about traces that were not seen. Each bound holds by itself with the confidence asked for."""

    traces: int
    steps: int
    #: How many traces have the text of one before them.
    copies: int
    confidence: float
    wanted: float
    #: Of the steps of a new trace, the share that is allowed.
    step_share: Estimate
    #: The share of new traces that are allowed as a whole.
    whole_traces: Estimate
    #: None where it does not hold.
    compression: Optional[Compression]
    theory: Theory
    #: How many more traces the share that is wanted seems to take: a number, "more than as many again", or None.
    more_traces: Union[int, str, None]
    #: The weakest first.
    actions: List[ActionAssessment]
    left_out_at_a_time: int
    #: Why bounds that are None do not hold.
    void: Optional[str]
    #: Relies on no assumption of the model.
    wrong: Wrong
    #: All of it in words.
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


def _made(numbers: str, text: str) -> Assessment:
    found = json.loads(numbers)
    for name, kind in (("step_share", Estimate), ("whole_traces", Estimate), ("compression", Compression), ("theory", Theory)):
        found[name] = found[name] and kind(**found[name])
    wrong = found.pop("wrong")
    wrong["bound"] = wrong["bound"] and WrongBound(**wrong["bound"])
    actions = [dict(row, reasons=[Refusal(**reason) for reason in row["reasons"]]) for row in found.pop("actions")]
    return Assessment(**found, wrong=Wrong(**wrong), actions=[ActionAssessment(**row) for row in actions], text=text)
