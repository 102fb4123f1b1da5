#!/usr/bin/env python3
"""Planners side by side on a folder of domains: how many problems each solves, and the CPU time it takes.

    scripts/planning.py CORPUS [--planner builtin --planner enhsp ...] [--learned] [--every N] [--seconds S]

CORPUS holds a folder a domain, each with domain.pddl and problems, solutions and trajectories of the same stem. Only
problems with a solution are used. With --learned the planners get models learned from two thirds of the trajectories
(N-SAM*, and the same with --arity 3) and the problems of the other third; every plan is then run in the true domain.
The binary is target/release/surefoot, or what SUREFOOT names.
"""

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

BINARY = os.environ.get("SUREFOOT", str(pathlib.Path(__file__).resolve().parent.parent / "target/release/surefoot"))
# What learning needs beyond the defaults, by domain: satellite's values are noisy floats, with rows known to be corrupt.
LEARNING = {"satellite": ["--decimals", "6", "--on-bad-data", "quarantine"]}


def run(command, seconds):
    """Runs a command; its exit code and the CPU seconds of it and its children. Each process may use so much CPU time."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))

    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit)
    _, status, usage = os.wait4(child.pid, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


def solve(planner, domain, problem, seconds, options, plan):
    """(solved, CPU seconds) of one planner on one problem; the plan is left in a file."""
    plan.unlink(missing_ok=True)
    command = [BINARY, "plan", "-q", "-d", domain, "-p", problem, "-o", plan, "--planner", planner]
    # On a busy machine the clock runs ahead of the CPU time, which is what counts.
    code, used = run([*map(str, command), "--threads", "1", "--time-limit", str(6 * seconds), *options], seconds)
    return code == 0 and plan.exists(), used


def valid(domain, problem, plan, options):
    command = [BINARY, "validate", "-d", str(domain), "-p", str(problem), str(plan), *options]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def cell(results):
    solved = sum(1 for ok, _ in results if ok)
    times = [used for _, used in results]
    return f"{solved}/{len(results)} ({statistics.median(times):.2f})" if results else "-"


def learned(folder, domains, traces, scratch, options):
    """A model learned from these traces; None when learning fails."""
    model = scratch / "learned.pddl"
    extra = list(LEARNING.get(folder.name, []))
    chart = domains / folder.name / "relevant.json"
    if chart.exists():
        extra += ["--relevant", str(chart)]
    command = [BINARY, "learn", "-q", "-d", str(folder / "domain.pddl"), "-o", str(model), *extra, *options, *map(str, traces)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{folder.name}: {done.stderr.strip()}", file=sys.stderr)
        return None
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--planner", action="append", help="as `surefoot plan --planner` takes it; may be repeated")
    parser.add_argument("--learned", action="store_true", help="plan with learned models")
    parser.add_argument("--every", type=int, default=1, help="use every Nth problem")
    parser.add_argument("--seconds", type=int, default=30, help="CPU seconds a problem")
    parser.add_argument("--domain", action="append", help="only this domain; may be repeated")
    arguments = parser.parse_args()
    planners = arguments.planner or ["builtin"]
    domains = pathlib.Path(__file__).resolve().parent.parent / "crates/surefoot-lab/domains"
    settings = [("N-SAM*", []), ("N-SAM*, arity 3", ["--arity", "3"])] if arguments.learned else [("true", [])]
    head = ["domain", "model", *planners] + (["valid in the true domain"] if arguments.learned else [])
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    totals = {}
    for folder in sorted(path.parent for path in arguments.corpus.glob("*/domain.pddl")):
        if arguments.domain and folder.name not in arguments.domain:
            continue
        numbers = LEARNING.get(folder.name, [])[:2]
        traces = sorted(folder.glob("*.trajectory"))
        for name, options in settings:
            with tempfile.TemporaryDirectory() as scratch:
                scratch = pathlib.Path(scratch)
                model, stems = folder / "domain.pddl", [path.stem for path in sorted(folder.glob("*.solution"))]
                if arguments.learned:
                    model = learned(folder, domains, [path for at, path in enumerate(traces) if at % 3 != 2], scratch, options)
                    stems = [path.stem for at, path in enumerate(traces) if at % 3 == 2]
                stems = stems[:: arguments.every]
                if model is None:
                    continue
                row, found, right = [], 0, 0
                for planner in planners:
                    results = []
                    for stem in stems:
                        problem, plan = folder / f"{stem}.pddl", scratch / "plan"
                        ok, used = solve(planner, model, problem, arguments.seconds, numbers, plan)
                        accepted = ok and valid(folder / "domain.pddl", problem, plan, numbers)
                        found, right = found + ok, right + accepted
                        if ok and not accepted:
                            print(f"{folder.name}/{stem}: {planner}'s plan is not valid in the true domain", file=sys.stderr)
                        results.append((ok and accepted, used))
                    row.append(cell(results))
                    known = totals.setdefault((name, planner), [0, 0])
                    known[0] += sum(1 for ok, _ in results if ok)
                    known[1] += len(results)
                tail = [f"{right} of {found}"] if arguments.learned else []
                print("| " + " | ".join([folder.name, name, *row, *tail]) + " |", flush=True)
    for (name, planner), (solved, count) in totals.items():
        print(f"\n{planner}, {name}: {solved} of {count} solved ({100 * solved / max(count, 1):.1f} %)")


if __name__ == "__main__":
    main()
