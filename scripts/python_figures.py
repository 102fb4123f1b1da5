"""Measures what Python costs: observing from objects, masks of actions, rows of a data frame, `learn` on files beside the command, an
import. Prints one line a figure.

usage: python scripts/python_figures.py [FOLDER]      with the installed wheel; FOLDER is for generated traces
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import surefoot

DOMAINS = ["counters", "depots", "driverlog", "farmland", "minecraft", "rovers", "sailing", "satellite"]


def command(*words):
    subprocess.run([sys.executable, "-m", "surefoot", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def observing(folder: Path) -> None:
    """By domain: transitions a second of processor time, from trajectories of Python objects, one core."""
    for name in DOMAINS:
        place = folder / name
        if not place.exists():
            command("generate", name, "--count", 100, "--plans", "--traces", "-q", "-o", place)
        domain = surefoot.Domain.read(place / "domain.pddl")
        trajectories = []
        for plan in sorted(place.glob("*.solution")):
            problem = surefoot.Problem.read(plan.with_suffix(".pddl"), domain)
            trajectory = surefoot.trace(domain, problem, plan)
            objects = trajectory.pop("objects")
            trajectories.append((trajectory, objects))
        steps = sum(len(trajectory["actions"]) for trajectory, _ in trajectories)
        states = [state for trajectory, _ in trajectories for state in trajectory["states"]]
        facts = statistics.mean(len(state["atoms"]) + len(state["values"]) for state in states)
        rates = []
        for _ in range(5):
            learner = surefoot.Learner(domain)
            start = time.process_time()
            for trajectory, objects in trajectories:
                learner.observe(trajectory)
            rates.append(steps / (time.process_time() - start))
        print(f"observe {name}: {max(rates):,.0f} transitions/s ({steps} steps, {facts:.0f} facts a state)", flush=True)


def overhead(folder: Path) -> None:
    """`surefoot.learn` on files beside the command's own learning: processor time of each, the interpreter's start left out."""
    place = folder / "many"
    if not place.exists():
        command("generate", "depots", "--count", 3000, "--traces", "-q", "-o", place)
    binary = os.environ.get("SUREFOOT")
    script = (
        "import resource, surefoot, sys; before = resource.getrusage(resource.RUSAGE_SELF);"
        "surefoot.learn(sys.argv[1] + '/domain.pddl', sys.argv[1]).to_pddl();"
        "after = resource.getrusage(resource.RUSAGE_SELF);"
        "print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)"
    )
    ours, theirs = [], []
    for _ in range(7):
        told = subprocess.run([sys.executable, "-c", script, str(place)], check=True, capture_output=True, text=True)
        ours.append(float(told.stdout))
        if binary:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            words = [binary, "learn", "-q", "-d", place / "domain.pddl", "-o", folder / "learned.pddl", place]
            subprocess.run(list(map(str, words)), check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            theirs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    line = f"learn on files: {min(ours):.3f} s of processor time from Python"
    if theirs:
        line += f", {min(theirs):.3f} s by the command: {100 * (min(ours) / min(theirs) - 1):+.1f} %"
    print(line, flush=True)


def masking(folder: Path) -> None:
    """Milliseconds for a mask over 300 ground actions, in states of the traces; and for all applicable actions."""
    for name in ("depots", "satellite"):
        place = folder / name
        if not place.exists():
            command("generate", name, "--count", 100, "--plans", "--traces", "-q", "-o", place)
        domain = surefoot.Domain.read(place / "domain.pddl")
        model = surefoot.learn(domain, place)
        plan = max(place.glob("*.solution"), key=lambda path: path.stat().st_size)
        problem = surefoot.Problem.read(plan.with_suffix(".pddl"), domain)
        states = surefoot.trace(domain, problem, plan)["states"]
        every = sorted({action for state in states for action in domain.applicable_actions(state, problem.objects)})
        actions = (every * 300)[:300]
        masker = model.masker(actions, problem.objects)
        ways = {
            "a masker, one state after the other": lambda state: masker(state),
            "in one call": lambda state: model.mask(state, actions, problem.objects),
            "one by one": lambda state: [model.applicable(state, action, problem.objects) for action in actions],
            "all applicable actions": lambda state: model.applicable_actions(state, problem.objects),
        }
        for way, ask in ways.items():
            times = []
            for state in states[:20] * (1 if way == "one by one" else 5):
                start = time.process_time()
                ask(state)
                times.append(time.process_time() - start)
            print(f"mask {name}, {way}: {1000 * statistics.median(times):.3f} ms ({len(set(actions))} distinct actions)", flush=True)


def frames() -> None:
    """Seconds of processor time to learn from a data frame of a million rows, one core: columns of pandas, episodes of 1,000 rows."""
    try:
        import numpy
        import pandas
    except ImportError:
        print("frames: pandas is not installed")
        return
    rows = 1_000_000
    chance = numpy.random.default_rng(0)
    spent = chance.integers(1, 30, rows)
    battery = 100_000 - numpy.cumsum(spent.reshape(-1, 1000), axis=1).ravel()
    frame = pandas.DataFrame(
        {
            "episode": numpy.repeat(numpy.arange(rows // 1000), 1000),
            "robot": "r1",
            "event": numpy.where(numpy.arange(rows) % 1000 == 0, "boot", "move"),
            "to": chance.choice(["dock", "bay", "shelf"], rows),
            "battery": battery / 10,
            "load": 0.5,
            "status": "ok",
        }
    )
    means = {
        "domain": "patrol",
        "episode": "episode",
        "action": "event",
        "status": {"column": "status", "ok": "ok", "failed": "failed"},
        "objects": {"robot": "robot", "place": "to"},
        "after": {"to": "(at ?robot ?to)", "battery": "(battery ?robot)", "load": "(load ?robot)"},
        "actions": {"boot": "report", "move": {"robot": "robot", "from": "(at ?robot)", "to": "to"}},
    }
    start = time.process_time()
    log = surefoot.from_dataframe(frame, means)
    read = time.process_time()
    learner = surefoot.Learner(log)
    count = learner.observe(log, threads=1)
    end = time.process_time()
    print(
        f"frame: {rows:,} rows, {count:,} steps in {end - start:.1f} s ({read - start:.1f} s to take the frame over): "
        f"{rows / (end - start):,.0f} rows/s",
        flush=True,
    )


def importing() -> None:
    code = "import time; start = time.perf_counter(); import surefoot; print(time.perf_counter() - start)"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(15)]
    print(f"import: {1000 * min(times):.0f} ms at best, {1000 * statistics.median(times):.0f} ms in the middle")


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else scratch)
        folder.mkdir(parents=True, exist_ok=True)
        importing()
        observing(folder)
        masking(folder)
        frames()
        overhead(folder)


if __name__ == "__main__":
    main()
