#!/usr/bin/env python3
"""Planners side by side on a folder of domains: how many problems each solves, and the CPU time it takes.

    scripts/planning.py CORPUS [--planner builtin --planner enhsp ...] [--learned] [--every N] [--seconds S]
    scripts/planning.py IPC2023 --anchors [--seconds 20 --seconds 60 --seconds 300] [--number 1 --number 5 ...]

CORPUS holds a folder a domain, each with domain.pddl and problems, solutions and trajectories of the same stem. Only
problems with a solution are used. With --learned the planners get models learned from two thirds of the trajectories
(N-SAM*, and the same with --arity 3) and the problems of the other third; every plan is then run in the true domain.

With --anchors the folder is the IPC 2023 numeric set, or a part of it: pfile1.pddl and so on, without solutions. The
figures of other planners are printed beside ours. Each problem runs once, with the largest limit; it counts for each
limit that its CPU time is within. A plan counts only if `surefoot validate` accepts it.

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

# Problems of 20 solved by other planners on the whole set: ENHSP hmrp with helpful actions (30 minutes, run by the organisers), symbolic
# patterns with search (Patty, brave, 5 minutes), ferroplan 0.26 (60 s), and the most by any planner published. Settlers: official files.
ANCHORS = {
    "block-grouping": (20, 20, 10, 20),
    "counters": (19, 20, 13, 20),
    "delivery": (10, 8, 19, 19),
    "drone": (19, 16, 16, 19),
    "expedition": (20, 4, 5, 20),
    "ext-plant-watering": (20, 20, 10, 20),
    "farmland": (20, 20, 20, 20),
    "fo-counters": (20, 20, 10, 20),
    "fo-farmland": (13, 20, 20, 20),
    "fo-sailing": (0, 20, 17, 20),
    "hydropower": (0, 20, 14, 20),
    "markettrader": (2, 5, 1, 20),
    "mprime": (16, 14, 20, 20),
    "pathwaysmetric": (12, 20, 6, 20),
    "rover": (8, 14, 15, 16),
    "sailing": (20, 20, 20, 20),
    "settlersnumeric": (4, 0, 3, 4),
    "sugar": (20, 20, 11, 20),
    "tpp": (4, 3, 13, 13),
    "zenotravel": (20, 11, 19, 20),
}
ANCHOR_NAMES = ["ENHSP mrp+ha, 30 min", "Patty, 5 min", "ferroplan, 60 s", "best of all"]


def run(command, seconds):
    """Runs a command; its exit code and the CPU seconds of it and its children. Each process may use so much CPU time."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))

    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit)
    _, status, usage = os.wait4(child.pid, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


def solve(planner, domain, problem, seconds, options, plan, threads=1):
    """(solved, CPU seconds) of one planner on one problem; the plan is left in a file."""
    plan.unlink(missing_ok=True)
    command = [BINARY, "plan", "-q", "-d", domain, "-p", problem, "-o", plan, "--planner", planner]
    # On a busy machine the clock runs ahead of the CPU time, which is what counts.
    code, used = run([*map(str, command), "--threads", str(threads), "--time-limit", str(6 * seconds), *options], seconds)
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


def beside_anchors(arguments, planners):
    """A row a domain: for each planner and limit how many problems it solves, and the published figures."""
    limits = sorted(arguments.seconds or [20])
    head = ["domain", "problems", *(f"{planner}, {limit} s" for planner in planners for limit in limits), "median CPU"]
    head += [f"{name}, of 20" for name in ANCHOR_NAMES]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    count, totals, anchors = 0, [0] * (len(planners) * len(limits)), [0] * len(ANCHOR_NAMES)
    for folder in sorted(path.parent for path in arguments.corpus.glob("*/domain.pddl")):
        if arguments.domain and folder.name not in arguments.domain:
            continue
        numbers = sorted(int(path.stem.removeprefix("pfile")) for path in folder.glob("pfile*.pddl"))
        numbers = [number for number in numbers if not arguments.number or number in arguments.number][:: arguments.every]
        cells, times = [], []
        with tempfile.TemporaryDirectory() as scratch:
            plan = pathlib.Path(scratch) / "plan"
            for planner in planners:
                solved = []
                for number in numbers:
                    files = folder / "domain.pddl", folder / f"pfile{number}.pddl"
                    # Two cores spend the limit twice as fast.
                    ok, used = solve(planner, *files, limits[-1] * arguments.threads, [], plan, arguments.threads)
                    accepted = ok and valid(*files, plan, [])
                    if ok and not accepted:
                        print(f"{folder.name}/{number}: {planner}'s plan is not valid", file=sys.stderr)
                    if not accepted:
                        print(f"{folder.name}/{number}: not solved by {planner} in {used:.1f} s", file=sys.stderr, flush=True)
                    times.append(used)
                    solved.append(used if accepted else float("inf"))
                cells += [sum(1 for used in solved if used <= limit * arguments.threads) for limit in limits]
        known = ANCHORS.get(folder.name)
        row = [folder.name, len(numbers), *cells, f"{statistics.median(times):.2f}" if times else "-"]
        print("| " + " | ".join(map(str, row + list(known or ["-"] * len(ANCHOR_NAMES)))) + " |", flush=True)
        count += len(numbers)
        totals = [total + cell for total, cell in zip(totals, cells)]
        anchors = [total + cell for total, cell in zip(anchors, known or [0] * len(ANCHOR_NAMES))]
    print("| " + " | ".join(map(str, ["all", count, *totals, "", *anchors])) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--planner", action="append", help="as `surefoot plan --planner` takes it; may be repeated")
    parser.add_argument("--learned", action="store_true", help="plan with learned models")
    parser.add_argument("--every", type=int, default=1, help="use every Nth problem")
    parser.add_argument("--seconds", type=int, action="append", help="CPU seconds a problem (30); with --anchors repeatable")
    parser.add_argument("--anchors", action="store_true", help="the IPC 2023 numeric set, beside published figures")
    parser.add_argument("--number", type=int, action="append", help="with --anchors: only pfileN; may be repeated")
    parser.add_argument("--threads", type=int, default=1, help="with --anchors: cores for the built-in planner")
    parser.add_argument("--domain", action="append", help="only this domain; may be repeated")
    arguments = parser.parse_args()
    planners = arguments.planner or ["builtin"]
    if arguments.anchors:
        return beside_anchors(arguments, planners)
    arguments.seconds = (arguments.seconds or [30])[-1]
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
