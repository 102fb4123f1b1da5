#!/usr/bin/env python3
"""How much a model learned from one log of the warehouse allows in others: figures for docs/figures.md, and a check that they hold.

    scripts/warehouse.py [--binary target/release/surefoot] [--seeds 8] [--published FOLDER]

Learns from the log of one seed, with the map and the files of docs/logs.md, and scores the model on the logs of other seeds. Nothing that
failed may be allowed, at least half of what worked, and four fifths with `--monotone`. CSV and JSON lines must
give the same bytes, and a noisy log no model. `--published` names a folder with `warehouse_clean.csv` and its companions to learn from
as well; the other seeds then have its layout.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIMULATOR = ROOT / "examples/warehouse/simulate.py"
MAP = ROOT / "examples/warehouse/warehouse.toml"
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)
        print(f"NOT SO: {what}")


def files_of_the_page(folder):
    """The maps that docs/logs.md shows, as files."""
    for name, text in re.findall(r"<!-- file: one/(\w+\.json) -->\n```json\n(.*?)```", (ROOT / "docs/logs.md").read_text(), re.DOTALL):
        (folder / name).write_text(text)


def simulate(folder, seed, *options):
    subprocess.run([sys.executable, SIMULATOR, "--seed", str(seed), "-o", folder, *options], check=True, stdout=subprocess.DEVNULL)
    (folder / "warehouse.toml").write_text(MAP.read_text())


def learn(binary, log, output, *options):
    command = [binary, "learn", "-q", log, "--map", log.parent / "warehouse.toml", *options, "-o", output]
    return subprocess.run(command, capture_output=True, text=True)


def score(binary, model, log):
    command = [binary, "score", "-m", model, log, "--map", log.parent / "warehouse.toml", "--decimals", "9", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def measure(binary, name, source, scratch, seeds, layout):
    """Learns from `source` with and without `--monotone`, and prints a line of a table for each."""
    dials = ["--decimals", "9", "--relevant", scratch / "relevant.json"]
    logs = []
    for seed in seeds:
        folder = scratch / f"{name.replace(' ', '-')}-{seed}"
        simulate(folder, seed, *layout)
        logs.append(folder / "warehouse.csv")
    for assumed, options, least in ("nothing", [], 0.5), ("monotone", ["--monotone", scratch / "monotone.json"], 0.8):
        model = scratch / "model.pddl"
        done = learn(binary, source, model, *dials, *options)
        if done.returncode:
            raise SystemExit(done.stderr)
        scores = [score(binary, model, log) for log in logs]
        shares = [one["all"]["allowed"] / one["all"]["worked"] for one in scores]
        total = {key: sum(one["all"][key] for one in scores) for key in ("failed", "allowed_failures", "mistaken", "undecided")}
        by_action = {
            row["action"]: sum(one["actions"][place]["allowed"] for one in scores)
            / max(1, sum(one["actions"][place]["worked"] for one in scores))
            for place, row in enumerate(scores[0]["actions"])
        }
        actions = ", ".join(f"{action} {share:.2f}" for action, share in by_action.items())
        print(f"| {name} | {assumed} | {min(shares):.2f} to {max(shares):.2f} | {actions} | {total['allowed_failures']} of {total['failed']:,} |")
        expect(total["allowed_failures"] == 0, f"{name}, assuming {assumed}: nothing that failed is allowed")
        expect(total["mistaken"] == 0, f"{name}, assuming {assumed}: what is allowed does what the model says")
        expect(min(shares) >= least, f"{name}, assuming {assumed}: at least {least} of what worked is allowed, on every seed")
        if source.with_suffix(".jsonl").exists():
            again = scratch / "again.pddl"
            learn(binary, source.with_suffix(".jsonl"), again, *dials, *options)
            expect(again.exists() and again.read_bytes() == model.read_bytes(), f"{name}: CSV and JSON lines give the same bytes")


def noisy(binary, name, log, scratch):
    output = scratch / "noisy.pddl"
    for policy in ("stop", "quarantine"):
        done = learn(binary, log, output, "--relevant", scratch / "relevant.json", "--on-bad-data", policy)
        expect(done.returncode != 0 and not output.exists(), f"{name}, --on-bad-data {policy}: a noisy log gives no model")
        expect("battery" in done.stderr, f"{name}, --on-bad-data {policy}: the diagnosis names the battery")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", type=Path, default=ROOT / "target/release/surefoot")
    options.add_argument("--seeds", type=int, default=8, help="how many other seeds")
    options.add_argument("--published", type=Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        files_of_the_page(scratch)
        seeds = range(2, 2 + given.seeds)
        print("| learned from | assumed | share of successes allowed, by seed | by action | failures allowed |\n|---|---|---|---|---|")
        one = scratch / "one"
        simulate(one, 1)
        measure(given.binary, "our log", one / "warehouse.csv", scratch, seeds, [])
        simulate(scratch / "noisy", 1, "--noise", "0.05", "--lost", "0.03", "--mislabelled", "0.02")
        noisy(given.binary, "our log", scratch / "noisy/warehouse.csv", scratch)
        if given.published:
            static, copy = given.published / "warehouse_static.json", scratch / "published"
            copy.mkdir()
            (copy / "static.json").write_bytes(static.read_bytes())
            (copy / "warehouse.toml").write_text(MAP.read_text())
            for file, called in ("warehouse_clean.csv", "warehouse.csv"), ("warehouse.jsonl", "warehouse.jsonl"), ("warehouse_noisy.csv", "noisy.csv"):
                (copy / called).write_bytes((given.published / file).read_bytes())
            measure(given.binary, "the published log", copy / "warehouse.csv", scratch, seeds, ["--layout", static])
            noisy(given.binary, "the published log", copy / "noisy.csv", scratch)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
