"""Messages speak Python: they name no option of the command line, and keywords as they are typed."""

import re

import pytest

import surefoot

# An option of the command line; the arrow before a place is none.
OPTION = re.compile(r"--[a-z]")


def state(n):
    return {"atoms": {("ready",)}, "values": {("n",): n}}


def steps(changes):
    """Steps: the number before, and what is added to it; a failed attempt where nothing can be added."""
    return [(state(n), ("up",), None if more is None else state(n + more)) for n, more in changes]


GROWS = [(n, 1) for n in range(40)]


@pytest.mark.parametrize(
    ("changes", "options", "spelled"),
    [
        (GROWS, {"error": 1, "decimals": 2}, "decimals="),
        (GROWS, {"effect_decimals": 2}, "effect_decimals="),
        (GROWS, {"error": 1, "degree": 2, "squares": True}, "squares="),
        (GROWS, {"error": 1, "arity": 1}, "effect_arity="),
        (GROWS, {"error": 1, "arity": 1, "effect_arity": 3}, "arity=7"),
        (GROWS, {"error": 1, "monotone": {"*": {"(n)": "more"}}}, "monotone="),
        (GROWS, {"repair": ["bounded"]}, "repair"),
        ([(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3)], {}, 'on_bad_data="skip-action"'),
        (GROWS + [(7, 0), (8, 0)], {}, 'on_bad_data="skip-action"'),
        ([(1, 1), (2, 2), (3, 3)], {"effect_arity": 0}, "effect_arity= is refuted"),
        (GROWS + [(50, None)], {"monotone": {"*": {"(n)": "more"}}}, "the monotone= assumption `more` on (n)"),
    ],
)
def test_no_message_names_an_option_of_the_command_line(counting, changes, options, spelled):
    with pytest.raises(ValueError) as raised:
        surefoot.learn(counting, steps(changes), **options)
    said = str(raised.value)
    assert not OPTION.search(said) and spelled in said, said
    for diagnosis in getattr(raised.value, "diagnoses", []):
        assert not OPTION.search(str(diagnosis))
