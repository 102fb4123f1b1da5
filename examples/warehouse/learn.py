"""From a log to a model, in Python: learn from one log of the warehouse, and test the model on another.

    python simulate.py --seed 1 -o one
    python simulate.py --seed 2 -o two
    python learn.py one two

Rows may be a data frame of pandas or polars, an Arrow table, or, as here, a list of dicts. `docs/logs.md` does the same on the command line.
"""

import csv
import sys
from pathlib import Path

import surefoot

MAP = Path(__file__).with_name("warehouse.toml")
# A move reads only these functions and this product: its cost depends on distance times load.
RELEVANT = {"move": ["(battery ?robot)", "(load ?robot)", "(distance ?from ?to)", "(* (distance ?from ?to) (load ?robot))"]}
# What the owner of the robots knows: more, less, or any amount of these functions never makes the action fail.
NEVER_HURTS = {
    "move": {"(battery ?robot)": "more", "(load ?robot)": "less", "(distance ?from ?to)": "less"},
    "pick": {"(battery ?robot)": "more", "(capacity ?robot)": "more", "(load ?robot)": "less", "(weight ?item)": "less"},
    "place": {"(battery ?robot)": "more", "(capacity ?robot)": "any", "(load ?robot)": "any", "(weight ?item)": "any"},
    "scan": {"(battery ?robot)": "any", "(capacity ?robot)": "any", "(load ?robot)": "any", "(weight ?item)": "any"},
    "charge": {"(battery ?robot)": "less", "(capacity ?robot)": "any", "(load ?robot)": "any"},
}


def month(folder):
    """The log of a folder; `static.json` is looked for there, too."""
    with open(Path(folder, "warehouse.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    return surefoot.from_dataframe(rows, MAP, name=f"{folder}/warehouse.csv", folder=folder)


def main(one, two):
    log, other = month(one), month(two)
    for told, marks in ("nothing", None), ("what never hurts", NEVER_HURTS):
        model = surefoot.learn(log, decimals=6, relevant=RELEVANT, monotone=marks)
        score = model.score(other)
        print(f"told {told}: {score.recall:.0%} of what worked in {two} is allowed, {score.allowed_failures} of {score.failed} failures")
    print(score)
    print(*model.assumptions, sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
