"""Measures learning on Dask: one process beside two, on the same traces, and what the scheduler costs. Prints one line a figure.

usage: python scripts/dask_figures.py FOLDER      with the installed wheel; FOLDER holds domain.pddl and traces, such as those of
       surefoot generate depots --scale 4 --count 800 --traces -o FOLDER
"""

import statistics
import sys
import time
from pathlib import Path

from distributed import Client, LocalCluster

import surefoot
import surefoot.dask

ROUNDS = 9


def main() -> None:
    folder = Path(sys.argv[1])
    domain = folder / "domain.pddl"
    size = sum(path.stat().st_size for path in folder.glob("*.trajectory"))
    learner = surefoot.Learner(domain)
    start = time.perf_counter()
    steps = learner.observe(folder, threads=1)
    alone = time.perf_counter() - start
    print(f"{size / 1e6:.0f} MB, {steps} steps, a state of {len(bytes(learner))} bytes; one thread, no cluster: {alone:.2f} s", flush=True)
    clusters = {
        workers: Client(LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0"))
        for workers in (1, 2)
    }
    times = {1: [], 2: []}
    for client in clusters.values():
        client.run(__import__, "surefoot.dask")
    # In turn, so that whatever else the machine does falls on both alike.
    for _ in range(ROUNDS):
        for workers, client in clusters.items():
            start = time.perf_counter()
            together = surefoot.dask.learner(domain, str(folder), client, npartitions=16)
            times[workers].append(time.perf_counter() - start)
            assert bytes(together) == bytes(learner)
    one, two = (statistics.median(times[workers]) for workers in (1, 2))
    ratios = [first / second for first, second in zip(times[1], times[2])]
    print(f"one process {one:.2f} s, two {two:.2f} s in the middle: {one / two:.2f} times, by round {', '.join(f'{ratio:.2f}' for ratio in ratios)}")
    best = min(times[1]) / min(times[2])
    print(f"one process {min(times[1]):.2f} s, two {min(times[2]):.2f} s at best: {best:.2f} times")
    print(f"over one thread without a cluster: {100 * (min(times[1]) / alone - 1):+.1f} % (one process, best round)")
    # Nothing to do, so that what is left is the scheduler's work: sixteen partitions, their merges, the way of the result.
    small = sorted(folder.glob("*.trajectory"), key=lambda path: path.stat().st_size)[:16]
    few = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        surefoot.dask.learner(domain, [str(path) for path in small], clusters[2], npartitions=16)
        few.append(time.perf_counter() - start)
    start = time.perf_counter()
    surefoot.Learner(domain).observe([str(path) for path in small], threads=1)
    work = time.perf_counter() - start
    print(f"scheduler: {1000 * (statistics.median(few) - work):.0f} ms for 16 partitions and their merges")
    for client in clusters.values():
        client.cluster.close()
        client.close()


if __name__ == "__main__":
    main()
