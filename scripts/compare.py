#!/usr/bin/env python3
"""Two builds of surefoot side by side: CPU time of `learn`, and of `plan` with what was learned.

    scripts/compare.py OLD NEW CORPUS [--rounds N] [--every N] [--seconds S]

OLD and NEW are binaries, CORPUS holds a folder a domain; maps of relevant functions are in `relevant` beside it. Runs alternate and the least of some rounds counts, so that the
ratios mean something on a machine that does other things as well. Of the plans, only problems that both solve are compared.
"""

import argparse
import pathlib
import tempfile

from planning import LEARNING, run


def least(binaries, words, rounds, seconds):
    """For each binary: the least CPU time of the rounds that ended well, or None."""
    times = [[], []]
    for _ in range(rounds):
        for binary, found in zip(binaries, times):
            code, cpu = run([binary, *words], seconds)
            if code == 0:
                found.append(cpu)
    return [min(found, default=None) for found in times]


def ratio(old, new):
    return f"{new / old:.2f}" if old else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--every", type=int, default=20, help="plan for every so many problems")
    parser.add_argument("--seconds", type=int, default=8, help="CPU time for each plan")
    arguments = parser.parse_args()
    binaries = [arguments.old, arguments.new]
    learn, plan, solved = [0, 0], [0, 0], [0, 0]
    print(f"{'domain':16} {'learn':>7} {'':>7} {'ratio':>6} {'plan':>8} {'':>7} {'ratio':>6}  solved")
    with tempfile.TemporaryDirectory() as scratch:
        model, found = f"{scratch}/model.pddl", f"{scratch}/plan"
        for folder in sorted(path.parent for path in arguments.corpus.glob("*/domain.pddl")):
            extra = LEARNING.get(folder.name, [])
            relevant = arguments.corpus.parent / "relevant" / f"{folder.name}.json"
            if relevant.exists():
                extra = [*extra, "--relevant", relevant]
            words = ["learn", "-q", "-d", folder / "domain.pddl", "-o", model, *extra, folder]
            learned = least(binaries, words, arguments.rounds, 600)
            if None in learned:
                print(f"{folder.name:16} not learned by both")
                continue
            problems = sorted(path for path in folder.glob("*.pddl") if path.name != "domain.pddl")
            planned, solves = [0, 0], [0, 0]
            for problem in problems[:: arguments.every]:
                decimals = extra[:2] if "--decimals" in extra else []
                words = ["plan", "-q", "-d", model, "-p", problem, "-o", found, *decimals]
                times = least(binaries, words, 2, arguments.seconds)
                solves = [count + (time is not None) for count, time in zip(solves, times)]
                if None not in times:
                    planned = [sum_ + time for sum_, time in zip(planned, times)]
            print(
                f"{folder.name:16} {learned[0]:7.3f} {learned[1]:7.3f} {ratio(*learned):>6} "
                f"{planned[0]:8.2f} {planned[1]:7.2f} {ratio(*planned):>6}  {solves[0]}, {solves[1]}",
                flush=True,
            )
            learn = [sum_ + time for sum_, time in zip(learn, learned)]
            plan = [sum_ + time for sum_, time in zip(plan, planned)]
            solved = [sum_ + count for sum_, count in zip(solved, solves)]
    print(
        f"{'all':16} {learn[0]:7.3f} {learn[1]:7.3f} {ratio(*learn):>6} "
        f"{plan[0]:8.2f} {plan[1]:7.2f} {ratio(*plan):>6}  {solved[0]}, {solved[1]}"
    )


if __name__ == "__main__":
    main()
