#!/usr/bin/env python3
"""How long a planner needs with learned models: how many problems are solved within each limit, and what the last limit leaves open.

    scripts/limits.py CORPUS [--planner builtin] [--traces 10,40,80] [--problems 5] [--seconds 1,2,5,10] [--domain NAME ...]

CORPUS holds a folder a domain, each with domain.pddl and problems and trajectories of the same stem (`surefoot generate DOMAIN --traces`
makes one). A fifth of the stems, the same whenever it is run, is to test on; N-SAM* learns from the first of the others. A problem is
tried once, with the last limit of CPU seconds; when it was solved is what the other columns are made of. With a planner that is a process
of its own the limit is of the clock. The binary is target/release/surefoot, or what SUREFOOT names.
"""

import argparse
import json
import pathlib
import random
import resource
import subprocess
import tempfile

from planning import BINARY, LEARNING, learned

DOMAINS = pathlib.Path(__file__).resolve().parent.parent / "crates/surefoot-lab/domains"


def attempt(planner, model, problem, seconds, options):
    """(what became of it, CPU seconds) of one problem."""
    own = planner == "builtin"
    # On a busy machine the clock runs ahead of the CPU time, which is what counts.
    clock = seconds * 25 if own else seconds
    command = [BINARY, "plan", "-q", "-d", model, "-p", problem, "--planner", planner, "--format", "json", "--threads", "1"]

    def limit():
        if own:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds + 1, seconds + 2))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*map(str, command), "--time-limit", str(clock), *options], capture_output=True, preexec_fn=limit, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode < 0 or used > seconds:
        return "time-limit", used
    return json.loads(done.stdout)["attempts"][0]["result"], used


def row(name, results, limits):
    """A line of the table: how many."""
    solved = [sum(1 for result, used in results if result == "solved" and used <= limit) for limit in limits]
    proved = sum(1 for result, _ in results if result == "unsolvable")
    left = sum(1 for result, _ in results if result in ("time-limit", "memory-limit"))
    return "| " + " | ".join([name, *map(str, [len(results), *solved, proved, left])]) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--planner", default="builtin", help="as `surefoot plan --planner` takes it")
    parser.add_argument("--traces", default="10,40,80", help="numbers of traces to learn from")
    parser.add_argument("--problems", type=int, default=5, help="test problems of a domain")
    parser.add_argument("--seconds", default="1,2,5,10", help="limits, rising")
    parser.add_argument("--domain", action="append", help="only this domain; may be repeated")
    arguments = parser.parse_args()
    limits = [int(word) for word in arguments.seconds.split(",")]
    head = ["domain", "tried", *[f"{limit} s" for limit in limits], "no plan, proved", "limit reached"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    everything = []
    for folder in sorted(path.parent for path in arguments.corpus.glob("*/domain.pddl")):
        if arguments.domain and folder.name not in arguments.domain:
            continue
        stems = sorted(path.stem for path in folder.glob("*.trajectory"))
        random.Random(7).shuffle(stems)
        test, train = stems[: len(stems) // 5], stems[len(stems) // 5 :]
        results = []
        for count in map(int, arguments.traces.split(",")):
            with tempfile.TemporaryDirectory() as scratch:
                model = learned(folder, DOMAINS, [folder / f"{stem}.trajectory" for stem in train[:count]], pathlib.Path(scratch), [])
                for stem in test[: arguments.problems] if model else []:
                    options = LEARNING.get(folder.name, [])[:2]
                    results.append(attempt(arguments.planner, model, folder / f"{stem}.pddl", limits[-1], options))
        everything += results
        print(row(folder.name, results, limits), flush=True)
    print(row("all", everything, limits))


if __name__ == "__main__":
    main()
