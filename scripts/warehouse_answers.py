#!/usr/bin/env python3
"""Allowed, forbidden or unknown: what a model learned from one log of the warehouse says of the attempts in others. Needs the package.

    python scripts/warehouse_answers.py [--seeds 5] [--published FOLDER]

Each attempt of the other seeds is asked about before it is made. `forbidden` must never be said of what works, nor `allowed` of what fails.
"""

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

import surefoot

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples/warehouse"))
import simulate  # noqa: E402

MAP = ROOT / "examples/warehouse/warehouse.toml"


def dial(name):
    """A map of docs/logs.md."""
    page = (ROOT / "docs/logs.md").read_text()
    return json.loads(re.search(rf"<!-- file: one/{name}\.json -->\n```json\n(.*?)```", page, re.DOTALL)[1])


def objects(layout):
    kinds = {"stations": "station", "robots": "robot", "items": "item"}
    return {name: kind for plural, kind in kinds.items() for name in layout[plural]}


def state(world):
    """What there is to know in the simulator now, in the words of the map."""
    layout, atoms, values = world.layout, set(), {}
    for name, robot in world.robots.items():
        atoms |= {("at", name, robot["station"])} | {("holds", name, item) for item in robot["holds"]}
        values["battery", name], values["load", name] = round(robot["battery_pct"], 6), round(robot["load_kg"], 6)
        values["capacity", name] = layout["robots"][name]["capacity_kg"]
    atoms |= {("item-at", item, place) for item, place in world.item_at.items() if place}
    atoms |= {("charger", station) for station, about in layout["stations"].items() if about["charger"]}
    values.update({("weight", item): about["weight_kg"] for item, about in layout["items"].items()})
    values.update({("distance", a, b): metres for a, row in layout["distance_m"].items() for b, metres in row.items()})
    return {"atoms": atoms, "values": values}


def attempts(seed, layout):
    """The attempts of a seed: the state before each, the action, and whether it works."""
    chance = random.Random(seed)
    for number in range(16):
        world = simulate.Warehouse(layout, simulate.start_of(f"S{number:03}", layout, chance, (40, 100)), chance)
        for _ in range(60):
            name = chance.choice(list(world.robots))
            action, item, target = world.choose(name)
            here, before = world.robots[name]["station"], state(world)
            outcome = world.attempt(name, action, item, target)
            ground = (action, name, *([here, target] if action == "move" else [here] if action == "charge" else [item, here]))
            if outcome != "GRIP_SLIP":
                yield before, ground, not isinstance(outcome, str)


def learned_from(folder, published):
    """The log to learn from, and the layout of its warehouse."""
    if published:
        static = json.loads((published / "warehouse_static.json").read_text())
        (folder / "warehouse.csv").write_bytes((published / "warehouse_clean.csv").read_bytes())
        (folder / "static.json").write_text(json.dumps(static))
        layout = {key: value for key, value in static.items() if key != "shifts"}
    else:
        layout = simulate.default_layout()
        simulate.write(folder, *simulate.simulate(1))
    (folder / "warehouse.toml").write_text(MAP.read_text())
    return surefoot.Log.read(folder / "warehouse.csv", folder / "warehouse.toml"), layout


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=5, help="how many other seeds")
    options.add_argument("--published", type=Path, help="a folder with warehouse_clean.csv and its companions to learn from")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log, layout = learned_from(Path(folder), given.published)
        print("| assumed | worked: allowed | unknown | forbidden | failed: allowed | unknown | forbidden |\n|---|---|---|---|---|---|---|")
        for words, marks in ("nothing", None), ("monotone", dial("monotone")):
            model = surefoot.learn(log, decimals=6, relevant=dial("relevant"), monotone=marks)
            said = Counter()
            for seed in range(2, 2 + given.seeds):
                for before, action, works in attempts(seed, layout):
                    said[works, model.answer(before, action, objects(layout)).answer] += 1
            cells = [f"{said[works, answer]:,}" for works in (True, False) for answer in ("allowed", "unknown", "forbidden")]
            print(f"| {words} | {' | '.join(cells)} |")
            assert not said[True, "forbidden"], "what works was called forbidden"
            assert not said[False, "allowed"], "what fails was allowed"


if __name__ == "__main__":
    main()
