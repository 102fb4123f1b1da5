"""Two mobile robots in a small warehouse, and the log that their fleet manager would export.

    python simulate.py --seed 1 -o logs/one

This command writes `warehouse.csv`, `warehouse.jsonl` (the same rows) and `static.json`. One row is one attempted action with the
telemetry of the acting robot *after* it; a failed attempt has an error code. No row says where the items are: that follows from `pick`
and `place`, and from `static.json`, which says where they are at the start of each shift. `Warehouse.attempt` has the rules; the learner
does not read them.

The same seed gives the same bytes. `--noise`, `--lost` and `--mislabelled` add the faults of real logs.
"""

import argparse
import csv
import json
import math
import random
from datetime import datetime, timedelta
from pathlib import Path

COLUMNS = (
    "timestamp shift robot action item station target x_m y_m battery_pct load_kg odometer_m duration_s status error".split()
)
TELEMETRY = ("x_m", "y_m", "battery_pct", "load_kg", "odometer_m")

# The default layout; `--layout` reads another one from a file like `static.json`.
STATIONS = {
    "gate": {"x": 0.0, "y": 0.0, "charger": False},
    "rack_1": {"x": 9.0, "y": 3.5, "charger": False},
    "rack_2": {"x": 9.0, "y": 14.0, "charger": False},
    "rack_3": {"x": 24.5, "y": 8.0, "charger": False},
    "packing": {"x": 4.0, "y": 19.5, "charger": False},
    "plug": {"x": 2.0, "y": 5.0, "charger": True},
}
CAPACITY = {"amr-1": 35.0, "amr-2": 60.0}
WEIGHT = {"BOX-1": 3.5, "BOX-2": 9.25, "BOX-3": 15.8, "BOX-4": 26.4, "BOX-5": 1.75, "BOX-6": 31.0}


def default_layout():
    """Stations with the distances between them, robots with their capacities, items with their weights."""
    distance = {
        one: {
            other: round(math.hypot(here["x"] - there["x"], here["y"] - there["y"]), 1)
            for other, there in STATIONS.items()
            if other != one
        }
        for one, here in STATIONS.items()
    }
    return {
        "stations": STATIONS,
        "robots": {robot: {"capacity_kg": kilos} for robot, kilos in CAPACITY.items()},
        "items": {item: {"weight_kg": kilos} for item, kilos in WEIGHT.items()},
        "distance_m": distance,
    }


class Warehouse:
    """The world during one shift."""

    def __init__(self, layout, start, chance):
        self.layout, self.chance = layout, chance
        self.robots = {name: {**telemetry, "holds": []} for name, telemetry in start["robots"].items()}
        self.item_at = dict(start["items"])

    def distance(self, one, other):
        return self.layout["distance_m"][one][other]

    def attempt(self, name, action, item=None, target=None):
        """Tries an action: its duration if it works, else an error code. These are the rules."""
        robot = self.robots[name]
        station = robot["station"]
        if action == "move":
            if target == station:
                return "ALREADY_THERE"
            metres = self.distance(station, target)
            spent = 0.08 * metres + 0.0008 * metres * robot["load_kg"]
            if robot["battery_pct"] - spent < 5:
                return "LOW_BATTERY"
            robot["station"] = target
            robot["battery_pct"] -= spent
            robot["odometer_m"] += metres
            return metres * self.chance.uniform(0.85, 1.1)
        if action == "charge":
            if not self.layout["stations"][station]["charger"]:
                return "NO_CHARGER"
            if robot["battery_pct"] > 95:
                return "BATTERY_FULL"
            missing = 100 - robot["battery_pct"]
            robot["battery_pct"] = 100.0
            return 36 * missing
        weight = self.layout["items"][item]["weight_kg"]
        if action == "place":
            if item not in robot["holds"]:
                return "NOT_HELD"
            if robot["battery_pct"] < 5.5:
                return "LOW_BATTERY"
            robot["holds"].remove(item)
            self.item_at[item] = station
            robot["load_kg"] -= weight
            robot["battery_pct"] -= 0.3
            return self.chance.uniform(4, 9)
        if self.item_at[item] != station:
            return "NO_ITEM"
        if action == "scan":
            robot["battery_pct"] -= 0.05
            return self.chance.uniform(1, 2)
        if robot["load_kg"] + weight > self.layout["robots"][name]["capacity_kg"]:
            return "OVERLOAD"
        if robot["battery_pct"] < 6:
            return "LOW_BATTERY"
        if self.chance.random() < 0.02:
            return "GRIP_SLIP"  # chance, not a rule
        robot["holds"].append(item)
        self.item_at[item] = None
        robot["load_kg"] += weight
        robot["battery_pct"] -= 0.4
        return self.chance.uniform(6, 14)

    def choose(self, name):
        """What a robot tries next: mostly what makes sense, sometimes not."""
        chance, robot = self.chance, self.robots[name]
        station = robot["station"]
        if chance.random() < 0.2:
            return "move", None, chance.choice(list(self.layout["stations"]))
        if self.layout["stations"][station]["charger"] and chance.random() < 0.18:
            return "charge", None, None
        here = [item for item, place in self.item_at.items() if place == station]
        sensible = [("pick", item) for item in here] * 2 + [("place", item) for item in robot["holds"]] * 4
        sensible += [("scan", item) for item in here[:1]]
        if sensible and chance.random() < 0.65:
            return *chance.choice(sensible), station
        action = chance.choice(["pick", "place", "scan"])
        return action, chance.choice(list(self.layout["items"])), station


def start_of(shift, layout, chance, battery):
    """The state in which a shift begins."""
    stations = list(layout["stations"])
    return {
        "shift": shift,
        "robots": {
            robot: {
                "station": chance.choice(stations),
                "battery_pct": round(chance.uniform(*battery), 1),
                "load_kg": 0.0,
                "odometer_m": round(chance.uniform(1000, 9000), 1),
            }
            for robot in layout["robots"]
        },
        "items": {
            item: chance.choice([name for name, about in layout["stations"].items() if not about["charger"]])
            for item in layout["items"]
        },
    }


def rows_of(start, layout, chance, attempts, begin):
    """The rows of one shift, as they happened."""
    world = Warehouse(layout, start, chance)

    def row(name, action, item, target, duration, error):
        robot = world.robots[name]
        place = layout["stations"][robot["station"]]
        return {
            "timestamp": clock.isoformat(),
            "shift": start["shift"],
            "robot": name,
            "action": action,
            "item": item or "",
            "station": robot["station"],
            "target": target or "",
            "x_m": place["x"],
            "y_m": place["y"],
            "battery_pct": robot["battery_pct"],
            "load_kg": robot["load_kg"],
            "odometer_m": robot["odometer_m"],
            "duration_s": duration,
            "status": "failed" if error else "ok",
            "error": error or "",
        }

    clock = begin
    for name in layout["robots"]:
        yield row(name, "boot", None, None, 0, None)
    for _ in range(attempts):
        clock += timedelta(seconds=chance.randint(3, 90))
        name = chance.choice(list(layout["robots"]))
        action, item, target = world.choose(name)
        outcome = world.attempt(name, action, item, target)
        failed = isinstance(outcome, str)
        yield row(name, action, item, target, 1.0 if failed else round(outcome, 2), outcome if failed else None)


def spoiled(row, chance, noise, lost, mislabelled):
    """A row as a worse recorder writes it: a noisy battery of one decimal, empty cells, failures called ok."""
    row = dict(row)
    if noise:
        row["battery_pct"] = round(row["battery_pct"] + chance.gauss(0, noise), 1)
    if row["action"] != "boot":
        for column in TELEMETRY:
            if chance.random() < lost:
                row[column] = ""
    if row["status"] == "failed" and chance.random() < mislabelled:
        row["status"], row["error"] = "ok", ""
    return row


def write(folder, rows, static):
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "warehouse.csv", "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(rows)
    with open(folder / "warehouse.jsonl", "w") as file:
        for row in rows:
            print(json.dumps({column: cell for column, cell in row.items() if cell != ""}), file=file)
    (folder / "static.json").write_text(json.dumps(static, indent=1) + "\n")


def simulate(seed, shifts=16, attempts=60, battery=(40, 100), layout=None):
    """The rows of a log without faults, and the data beside it."""
    chance, layout = random.Random(seed), layout or default_layout()
    static = {**layout, "shifts": []}
    rows = []
    for number in range(shifts):
        start = start_of(f"S{number:03}", layout, chance, battery)
        static["shifts"].append(start)
        rows += rows_of(start, layout, chance, attempts, datetime(2025, 3, 1, 6) + timedelta(days=number))
    return rows, static


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("-o", "--output", type=Path, required=True, help="the folder to write to")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--shifts", type=int, default=16)
    options.add_argument("--attempts", type=int, default=60, help="attempted actions in a shift")
    options.add_argument("--battery", type=float, nargs=2, default=(40, 100), help="the range a battery starts a shift in")
    options.add_argument("--layout", type=Path, help="a file like static.json, whose stations, robots and items are taken")
    options.add_argument("--noise", type=float, default=0, help="standard deviation of the battery's readings, then of one decimal")
    options.add_argument("--lost", type=float, default=0, help="share of telemetry cells that are empty")
    options.add_argument("--mislabelled", type=float, default=0, help="share of failures that are called ok")
    given = options.parse_args()
    layout = None
    if given.layout:
        layout = {key: value for key, value in json.loads(given.layout.read_text()).items() if key != "shifts"}
    rows, static = simulate(given.seed, given.shifts, given.attempts, tuple(given.battery), layout)
    faults = random.Random(-given.seed)
    rows = [spoiled(row, faults, given.noise, given.lost, given.mislabelled) for row in rows]
    write(given.output, rows, static)
    failed = sum(row["status"] == "failed" for row in rows)
    print(f"{len(rows)} rows, {failed} failed attempts, written to {given.output}")


if __name__ == "__main__":
    main()
