"""Measures the figures of the project and prints them beside their targets. Called by figures.sh.

Times are CPU times, the least of several runs: on a shared machine they are the ones that repeat.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
CORPUS = Path(sys.argv[1])
RELEVANT = Path(os.environ.get("RELEVANT", CORPUS.parent / "relevant"))
DOMAINS = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())


def row(figure, target, found, holds):
    print(f"{figure:66} {target:>14} {found:>26}  {'yes' if holds else 'NO'}", flush=True)


def run(command):
    """Output, CPU seconds, wall seconds and peak MB of a command."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return out.read().decode(), usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss / 1024


def words(line):
    """`a 1 b 2` as a dictionary."""
    parts = line.split()
    return {name: float(value) for name, value in zip(parts[::2], parts[1::2])}


def read_time(folder, threads=1):
    return words(run([TARGET / "read_time", folder, str(threads)])[0])


def reading():
    one, two = read_time(CORPUS / "satellite", 1), read_time(CORPUS / "satellite", 2)
    speed = one["mb"] / one["cpu_ms"] * 1e3
    row("A reading satellite on one core, MB per CPU s", ">= 200", f"{speed:.0f}", speed >= 200)
    # Other programs use the cores too; without them the wall time of two threads is half their CPU time.
    ratio = 2 * one["cpu_ms"] / two["cpu_ms"]
    row("A two cores over one: twice the ratio of CPU times", ">= 1.6", f"{ratio:.2f}", ratio >= 1.6)
    wall = one["wall_ms"] / two["wall_ms"]
    row(f"  (ratio of wall times, with a load of {os.getloadavg()[0]:.1f} on the machine)", "", f"{wall:.2f}", True)
    # A file long enough that the program itself does not count: the steps of one trace, again and again.
    largest = max((CORPUS / "satellite").glob("*.trajectory"), key=lambda path: path.stat().st_size)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        shutil.copy(CORPUS / "satellite" / "domain.pddl", folder)
        shutil.copy(largest.with_suffix(".pddl"), folder / "long.pddl")
        lines = largest.read_text().splitlines(keepends=True)
        with open(folder / "long.trajectory", "w") as file:
            file.write(lines[0])
            for _ in range(20):
                file.writelines(lines[1:-1])
            file.write(lines[-1])
        size = (folder / "long.trajectory").stat().st_size / 1e6
        peak = read_time(folder)["peak_mb"] * 1.048576
    row(f"A peak memory reading one file of {size:.0f} MB, MB", f"<= {2 * size:.0f}", f"{peak:.0f}", peak <= 2 * size)


def validating():
    worst = (0.0, "")
    for name in DOMAINS:
        folder = CORPUS / name
        for plan in sorted(folder.glob("*.solution"))[::10]:
            command = [TARGET / "surefoot", "validate", "-d", folder / "domain.pddl", "-p", plan.with_suffix(".pddl"), plan]
            cpu = run(command)[1] * 1e3
            worst = max(worst, (cpu, f"{name}/{plan.stem}"))
    row("A surefoot validate, CPU ms, slowest of every tenth problem", "<= 30", f"{worst[0]:.0f} ({worst[1]})", worst[0] <= 30)


def learning():
    total, peak, read = 0.0, 0.0, 0.0
    for name in DOMAINS:
        folder = CORPUS / name
        traces = sorted(folder.glob("*.trajectory"))[:80]
        command = [TARGET / "surefoot", "learn", "-d", folder / "domain.pddl", "-o", "", "--quiet"]
        with tempfile.TemporaryDirectory() as scratch:
            command[5] = Path(scratch) / "learned.pddl"
            if name == "satellite":
                command += ["--decimals", "6", "--on-bad-data", "quarantine"]
            if (RELEVANT / f"{name}.json").exists():
                command += ["--relevant", RELEVANT / f"{name}.json"]
            runs = [run([*command, *traces]) for _ in range(3)]
            assert Path(command[5]).exists(), name
        total += min(cpu for _, cpu, _, _ in runs)
        peak = max([peak, *(memory for _, _, _, memory in runs)])
        read += read_time(folder)["cpu_ms"] / 1e3
    row("B surefoot learn, ten domains, 80 traces, CPU s (reference 443)", "<= 2", f"{total:.2f}", total <= 2)
    row("B peak memory of the largest, MB", "<= 150", f"{peak:.0f}", peak <= 150)
    rest = total - read
    row(f"B all but reading text (which takes {read:.2f}), CPU s", f"<= {read:.2f}", f"{rest:.2f}", rest <= read)


def facets():
    # Not at the head of the file: the peak memory of a child process counts that of its parent when it was started.
    import numpy
    from scipy.spatial import ConvexHull

    cases = [("satellite", "turn_to"), ("depots", "load"), ("sailing", "go_north_east"), ("minecraft", "craft_wooden_pogo"),
             ("zenotravel", "debark"), ("zenotravel", "board")]
    for name, action in cases:
        if name not in DOMAINS:
            continue
        points, _, _, _ = run([TARGET / "points", CORPUS / name, action])
        if not points:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / f"{name}.txt"
            path.write_text(points)
            line = run([TARGET / "hull_time", path])[0].split(maxsplit=1)[1]
            ours = words(line)
            array = numpy.loadtxt(path, skiprows=2)
        theirs, spent = float("inf"), 0.0
        for index in range(50):
            if index >= 3 and spent > 1:
                break
            start = time.thread_time()
            ConvexHull(array)
            theirs = min(theirs, time.thread_time() - start)
            spent += theirs
        ratio, limit = ours["cpu_ms"] / (theirs * 1e3), 2 if ours["dimension"] <= 5 else 4
        figure = f"C {name} {action}: {array.shape[0]} points, dimension {array.shape[1]}, {ours['facets']:.0f} facets, exact over Qhull"
        row(figure, f"<= {limit}", f"{ratio:.2f} ({ours['cpu_ms']:.1f} / {theirs * 1e3:.1f} ms)", ratio <= limit)


def stream():
    lines = [line.split() for line in run([TARGET / "stream", "10"])[0].splitlines()[1:11]]
    times, peaks = [float(line[1]) for line in lines], [float(line[2]) for line in lines]
    row("D ten million steps, CPU s", "linear", f"{sum(times) / 1e3:.1f}", True)
    growth = sum(times[5:]) / sum(times[:5])
    row("D second half over first half, CPU", "<= 1.3", f"{growth:.2f}", growth <= 1.3)
    memory = peaks[-1] - peaks[0]
    row(f"D growth of memory after the first million ({peaks[0]:.1f} MB), MB", "<= 2", f"{memory:.1f}", memory <= 2)


print(f"{'figure':66} {'target':>14} {'measured':>26}  holds")
for part in [reading, validating, learning, stream, facets]:
    part()
