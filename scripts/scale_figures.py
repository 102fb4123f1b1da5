"""Measures how cost grows: seconds a transition, bytes of a state, seconds a merge, by transitions and functions. Prints Markdown.

usage: python scripts/scale_figures.py      with the installed wheel
"""

import random
import time

import surefoot

FUNCTIONS = [1, 2, 3, 4, 5]
TRANSITIONS = [1_000, 10_000, 100_000]


def domain(functions: int) -> surefoot.Domain:
    """One action with so many functions, all of them free: the worst case, where every observation may be a vertex."""
    names = " ".join(f"(f{number})" for number in range(functions))
    return surefoot.Domain.parse(f"(define (domain d) (:predicates (ready)) (:functions {names}) (:action act :parameters ()))")


def trajectory(functions: int, transitions: int, seed: int) -> str:
    """Random vectors; the action adds one to the first function, so that the next state has to be made by a jump between traces."""
    chance = random.Random(seed)
    parts = []
    values = [chance.randint(0, 1_000_000) for _ in range(functions)]
    state = lambda: "(ready) " + " ".join(f"(= (f{number}) {value})" for number, value in enumerate(values))  # noqa: E731
    parts.append(f"((:init {state()})")
    for _ in range(transitions):
        values[0] += 1
        parts.append(f"(operator: (act)) (:state {state()})")
    return "\n".join(parts) + ")"


def cloud(functions: int, transitions: int, seed: int) -> list:
    """Steps from random states."""
    chance = random.Random(seed)
    steps = []
    for _ in range(transitions):
        values = {(f"f{number}",): chance.randint(0, 1_000_000) for number in range(functions)}
        after = dict(values)
        after[("f0",)] = values[("f0",)] + 1
        steps.append((({("ready",)}, values), ("act",), ({("ready",)}, after)))
    return steps


def main() -> None:
    print("| functions | transitions | microseconds a transition | bytes of a state | milliseconds a merge |")
    print("|---|---|---|---|---|")
    for functions in FUNCTIONS:
        for transitions in TRANSITIONS:
            learners = []
            for seed in (1, 2):
                learner = surefoot.Learner(domain(functions))
                steps = cloud(functions, transitions, seed)
                start = time.process_time()
                learner.observe(steps)
                spent = time.process_time() - start
                learners.append(learner)
            one, other = learners
            size = len(bytes(one))
            start = time.process_time()
            one.merge(other)
            merging = time.process_time() - start
            print(
                f"| {functions} | {transitions:,} | {1e6 * spent / transitions:.1f} | {size:,} | {1e3 * merging:.1f} |", flush=True
            )
    text = trajectory(4, 200_000, 1)
    learner = surefoot.Learner(domain(4))
    start = time.process_time()
    learner.observe_text(text)
    spent = time.process_time() - start
    print(f"\nfrom text: {1e6 * spent / 200_000:.2f} microseconds a transition of {len(text) / 200_000:.0f} bytes")


if __name__ == "__main__":
    main()
