"""What can go wrong with input. All are ValueErrors that know where."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional, Tuple


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

    `step` is the index of the first one among the steps of a call, where they come from no file.
    """

    step: Optional[int] = None
