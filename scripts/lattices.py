#!/usr/bin/env python3
"""Errors on the built-in domains, whose numbers are whole: scripts/lattices.py [SUREFOOT]

For each domain, 20 generated traces are learned from and 10 others tried: without --error, with --error 0.05 for every function, and
with a map that says that whole numbers are exact. Prints the share of the other steps that each model allows, and whether the map
gives the same bytes as no --error at all; exits with 1 if it does not, or if a model with errors allows more than one without.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

SUREFOOT = Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/surefoot").resolve()
# Not driverlog_poly and zenotravel: their effects read products, and those of numbers that are not exact have no bound.
DOMAINS = "counters depots driverlog farmland minecraft rovers sailing satellite".split()
RELEVANT = Path(__file__).resolve().parent.parent / "crates/surefoot-lab/domains"


def run(folder, *words):
    done = subprocess.run([SUREFOOT, *map(str, words)], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def share(folder, model, traces):
    scored = json.loads(run(folder, "score", "-q", "-m", model, "-d", "domain.pddl", "--format", "json", *traces))["all"]
    return scored["allowed"], scored["worked"]


def main():
    wrong = False
    print(f"{'domain':12} {'no --error':>16} {'--error 0.05':>16}  whole numbers exact")
    for name in DOMAINS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            run(folder, "generate", name, "-o", ".", "--count", 30, "--traces", "-q")
            traces = sorted(path.name for path in folder.glob("*.trajectory"))
            shown, others = traces[:20], traces[20:]
            (folder / "exact.json").write_text('{"*": 0}')
            relevant = RELEVANT / name / "relevant.json"
            told = ["--relevant", relevant] if relevant.exists() else []
            found = {}
            for model, options in [("none", []), ("all", ["--error", "0.05"]), ("map", ["--error", "exact.json"])]:
                run(folder, "learn", "-q", "-d", "domain.pddl", "-o", f"{model}.pddl", *told, *options, *shown)
                found[model] = share(folder, f"{model}.pddl", others)
            same = (folder / "none.pddl").read_bytes() == (folder / "map.pddl").read_bytes()
            wrong |= not same or found["all"][0] > found["none"][0]
            shown = {model: f"{allowed} of {steps}" for model, (allowed, steps) in found.items()}
            print(f"{name:12} {shown['none']:>16} {shown['all']:>16}  {'the same model' if same else 'ANOTHER MODEL'}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
