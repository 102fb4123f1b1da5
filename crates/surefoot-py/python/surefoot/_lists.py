"""PDDL as nested lists of words, for those who rearrange it."""

import re
from typing import Any, List


def parsed(text: str) -> List[Any]:
    """The first list of a text; comments are left out.

    >>> parsed("(and (at ?t a) ; here\\n (not (= ?x ?y)))")
    ['and', ['at', '?t', 'a'], ['not', ['=', '?x', '?y']]]
    """
    stack: List[List[Any]] = [[]]
    for word in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text)):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    whole: List[Any] = stack[0][0]
    return whole


def written(part: Any) -> str:
    """The text of nested lists.

    >>> written(['and', ['at', '?t', 'a']])
    '(and (at ?t a))'
    """
    return part if isinstance(part, str) else f"({' '.join(map(written, part))})"


def conjuncts(part: List[Any]) -> List[Any]:
    """The parts of a conjunction.

    >>> conjuncts(['and', ['a'], ['b']]), conjuncts(['a'])
    ([['a'], ['b']], [['a']])
    """
    return part[1:] if part[:1] == ["and"] else [part] if part else []
