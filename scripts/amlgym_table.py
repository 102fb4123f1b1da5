"""Prints, for each benchmark of AMLGym, the scores of its SAM and of ours by its own functions, and how long both took."""

import contextlib
import io
import os
import sys
import tempfile
import time
import types
import warnings

import amlgym

warnings.simplefilter("ignore")
FULL = bool(os.environ.get("AMLGYM_FULL"))
if not FULL:
    # The package imports all its algorithms at once, and with them what they need; only one is wanted here.
    algorithms = types.ModuleType("amlgym.algorithms")
    algorithms.__path__ = [os.path.join(os.path.dirname(amlgym.__file__), "algorithms")]
    algorithms.registry = {}
    sys.modules["amlgym.algorithms"] = amlgym.algorithms = algorithms

from amlgym.algorithms.SAM import SAM  # noqa: E402
from amlgym.benchmarks import get_domain_names, get_domain_path, get_trajectories_path  # noqa: E402
from amlgym.metrics import syntactic_precision, syntactic_recall  # noqa: E402

import surefoot.amlgym  # noqa: E402

if FULL:
    from amlgym.benchmarks import get_problems_path
    from amlgym.metrics import problem_solving


def scores(text: str, domain: str) -> dict:
    with tempfile.NamedTemporaryFile("w", suffix=".pddl", delete=False) as file:
        file.write(text)
    reference = get_domain_path(domain)
    with contextlib.redirect_stdout(io.StringIO()):
        found = {"precision": syntactic_precision(file.name, reference), "recall": syntactic_recall(file.name, reference)}
        if FULL:
            found["solving"] = problem_solving(file.name, reference, get_problems_path(domain))
    return found


def main() -> None:
    surefoot.amlgym.register()
    print(f"{'domain':<12} {'traces':>6}  {'precision':^13}  {'recall':^13}  {'seconds':^15}  same scores")
    print(f"{'':<12} {'':>6}  {'SAM':>6} {'ours':>6}  {'SAM':>6} {'ours':>6}  {'SAM':>7} {'ours':>7}")
    same = total = 0
    for domain in sorted(get_domain_names()):
        try:
            traces = get_trajectories_path(domain)
        except (ModuleNotFoundError, FileNotFoundError):
            continue
        results = []
        for agent in (SAM(), surefoot.amlgym.Surefoot()):
            start = time.perf_counter()
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    text = agent.learn(get_domain_path(domain), traces)
                seconds = time.perf_counter() - start
                results.append((scores(text, domain), seconds))
            except Exception as error:  # noqa: BLE001  a benchmark that one of both cannot read is a line of the table
                results.append((f"{type(error).__name__}: {error}".splitlines()[0][:60], time.perf_counter() - start))
        (theirs, slow), (ours, fast) = results
        if isinstance(theirs, str) or isinstance(ours, str):
            said = f"SAM: {theirs}" if isinstance(theirs, str) else f"ours: {ours}"
            print(f"{domain:<12} {len(traces):>6}  {said}", flush=True)
            continue
        equal = theirs == ours
        same, total = same + equal, total + 1
        print(
            f"{domain:<12} {len(traces):>6}  {theirs['precision']['mean']:>6} {ours['precision']['mean']:>6}  "
            f"{theirs['recall']['mean']:>6} {ours['recall']['mean']:>6}  {slow:>7.3f} {fast:>7.3f}  "
            f"{'yes' if equal else 'no: ' + differing(theirs, ours)}",
            flush=True,
        )
    print(f"same scores on {same} of {total}")


def differing(one: dict, other: dict) -> str:
    return ", ".join(
        f"{kind} {part} {one[kind][part]} and {other[kind][part]}"
        for kind in one
        for part in one[kind]
        if one[kind][part] != other[kind][part]
    )


if __name__ == "__main__":
    main()
