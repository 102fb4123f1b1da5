"""Learns PDDL action models from recorded executions, safely: a plan made with a learned model works in the real world.

>>> import surefoot
>>> domain = surefoot.Domain.parse('''(define (domain walking)
...   (:types person place) (:predicates (at ?p - person ?a - place)) (:functions (energy ?p - person))
...   (:action walk :parameters (?p - person ?from ?to - place)))''')
>>> learner = surefoot.Learner(domain)
>>> before = {"atoms": {("at", "ann", "home")}, "values": {("energy", "ann"): 7}}
>>> after = {"atoms": {("at", "ann", "work")}, "values": {("energy", "ann"): 5}}
>>> learner.observe((before, ("walk", "ann", "home", "work"), after))
1
>>> model = learner.model()
>>> model.applicable(before, ("walk", "ann", "home", "work"))
True
>>> model.successor(before, ("walk", "ann", "home", "work")) == after
True

States are ordinary dicts and sets: `{"atoms": {("at", "ann", "home")}, "values": {("energy", "ann"): 7}}`; what is not among the
atoms is false, a function without a value is undefined. A pair of a set and a dict does as well. Actions and atoms are tuples of
names. Numbers are exact: ints, `fractions.Fraction`, `decimal.Decimal`, decimal strings and numbers of numpy go in, `Fraction` comes
out. A float is taken where its decimals say exactly what it is (0.5, not 0.1), or where the learner was made with `decimals=N`. A value
that is `None` or NaN is unknown, which is neither zero nor undefined; atoms of which nobody knows go into `"unknown": {...}`.
"""

import sys as _sys

from ._errors import BadDataError, Diagnosis, ReadError, ReadWarning, SurefootError
from ._surefoot import Domain, Learner, Log, Masker, Model, Problem, __version__, learn, plan, set_program, trace, validate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._assessment import Assessment, assess
    from ._frames import from_dataframe
    from ._evaluation import Coverage, Evaluation, Scores, evaluate
    from ._results import ActionSummary, Answer, Explanation, LogScore, Planned, Verdict, Violation

# What takes longer to import than all the rest, by the module it is in: imported when it is asked for.
_LATER = {
    **dict.fromkeys(("Assessment", "assess"), "_assessment"),
    "from_dataframe": "_frames",
    **dict.fromkeys(("Coverage", "Evaluation", "Scores", "evaluate"), "_evaluation"),
    **dict.fromkeys(("ActionSummary", "Answer", "Explanation", "LogScore", "Planned", "Verdict", "Violation"), "_results"),
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'surefoot' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(f"surefoot.{_LATER[name]}"), name)
    globals()[name] = found
    return found


# Planners run under the care of this program, which an embedding one may not know how to start.
if _sys.executable:
    set_program([_sys.executable, "-m", "surefoot"])
del set_program

__all__ = [
    "ActionSummary",
    "Answer",
    "Assessment",
    "BadDataError",
    "Coverage",
    "Diagnosis",
    "Domain",
    "Evaluation",
    "Explanation",
    "Learner",
    "Log",
    "LogScore",
    "Masker",
    "Model",
    "Planned",
    "Problem",
    "ReadError",
    "ReadWarning",
    "Scores",
    "SurefootError",
    "Verdict",
    "Violation",
    "__version__",
    "assess",
    "evaluate",
    "from_dataframe",
    "learn",
    "plan",
    "trace",
    "validate",
]
