"""What can go wrong with input. All are ValueErrors that know where."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple


class SurefootError(ValueError):
    """Input that cannot be worked with.

    `file`, `line` and `column` say where, counted from 1; None where no text is to blame, or a file as a whole.
    """

    def __init__(
        self, message: str, file: Optional[str] = None, line: Optional[int] = None, column: Optional[int] = None
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(self), (*self.args, self.file, self.line, self.column), {**self.__dict__})


class ReadError(SurefootError):
    """A file that is missing, or a text that is not what it should be.

    >>> import surefoot
    >>> try:
    ...     surefoot.Domain.parse("(define (domain d)\\n  (:predicates (on ?x - brick)))", name="d.pddl")
    ... except surefoot.ReadError as error:
    ...     print(error.file, error.line, error.column)
    d.pddl 2 25
    """


class ReadWarning(UserWarning):
    """Something wrong with a text that was read all the same; it says what was read in its place.

    `warnings.simplefilter("error", surefoot.ReadWarning)` makes it an error.
    """


class BadDataError(SurefootError):
    """Recorded steps that no model of the class explains.

    `step` is the index of the first one among the steps of a call, where they come from no file. `diagnoses` says what the steps look like,
    one Diagnosis for each action and what changes in it as nothing explains.

    >>> import surefoot
    >>> domain = surefoot.Domain.parse("(define (domain d) (:functions (stone)) (:action collect :parameters ()))")
    >>> learner = surefoot.Learner(domain)
    >>> state = lambda stone: {"atoms": set(), "values": {("stone",): stone}}
    >>> learner.observe([(state(n % 10), ("collect",), state(min(n % 10 + 1, 9))) for n in range(40)])
    40
    >>> try:
    ...     learner.model()
    ... except surefoot.BadDataError as error:
    ...     [found] = error.diagnoses
    ...     print(found.kind, found.about, found.odd, found.details["condition"]["number"])
    pieces ('(stone)',) 4 9
    """

    step: Optional[int] = None
    diagnoses: Tuple[Diagnosis, ...] = ()
    #: Where numbers are not exact: by function, the least error that explains all steps, as `error` takes it.
    errors: Optional[Dict[str, str]] = None


class Diagnosis:
    """What the steps of an action look like that no model of the class explains. `str` of it is a paragraph for people.

    `kind` is "pieces" (outcomes that depend on a condition, such as a cap), "product", "rounding", "inexact", "unchanged", "outliers", "own-rule", "chance" or
    "unexplained"; `details` has what goes with it. `about` names the functions and atoms, `odd` of `looked_at` steps (of `steps`) do not fit
    the others, the first at `places`: (file, line, column). `unknown` steps were not looked at, since a value in them is unknown. `twins` are two steps that begin alike and end differently.
    """

    __slots__ = ("kind", "action", "about", "steps", "looked_at", "unknown", "odd", "places", "twins", "details", "words")

    kind: str
    action: str
    about: Tuple[str, ...]
    steps: int
    looked_at: int
    unknown: int
    odd: int
    places: Tuple[Tuple[str, int, int], ...]
    twins: Optional[Tuple[Tuple[str, int, int], ...]]
    details: Dict[str, Any]
    words: str

    def __init__(self, values: Dict[str, Any], words: str) -> None:
        def place(found: Dict[str, Any]) -> Tuple[str, int, int]:
            return (found["file"], found["line"], found["column"])

        rest = dict(values)
        for name in ("kind", "action", "steps", "looked_at", "unknown", "odd"):
            setattr(self, name, rest.pop(name))
        self.about = tuple(rest.pop("about"))
        self.places = tuple(place(found) for found in rest.pop("places"))
        twins = rest.pop("twins")
        self.twins = None if twins is None else tuple(place(found) for found in twins)
        self.details = rest
        self.words = words

    def __str__(self) -> str:
        return self.words

    def __repr__(self) -> str:
        return f"<Diagnosis {self.kind}: {self.words}>"


def _diagnoses(values: str, words: List[str]) -> Tuple[Diagnosis, ...]:
    import json

    return tuple(Diagnosis(found, said) for found, said in zip(json.loads(values), words))
