"""A log that is not PDDL at all: the events of a small warehouse in a CSV file, turned into traces.

Each line of warehouse.csv says who did what, where, and what the battery showed afterwards. Nobody wrote down what an action needs.

    python warehouse.py
"""

import copy
import csv
from pathlib import Path

import surefoot

# Names, types and parameters are all that has to be said about actions.
DOMAIN = surefoot.Domain.parse(
    """(define (domain warehouse)
      (:types forklift pallet bay)
      (:constants dock - bay)
      (:predicates (at ?f - forklift ?b - bay) (stored ?p - pallet ?b - bay) (carries ?f - forklift ?p - pallet) (free ?f - forklift))
      (:functions (battery ?f - forklift) (capacity ?f - forklift) (weight ?p - pallet) (distance ?a ?b - bay))
      (:action drive :parameters (?f - forklift ?from ?to - bay))
      (:action lift :parameters (?f - forklift ?p - pallet ?b - bay))
      (:action drop :parameters (?f - forklift ?p - pallet ?b - bay))
      (:action charge :parameters (?f - forklift)))"""
)

# What the warehouse knows of its things besides the log.
DISTANCE = {"dock a1": 20, "dock a2": 35, "dock b1": 50, "a1 a2": 15, "a1 b1": 40, "a2 b1": 25}
WEIGHT = {"p1": 300, "p2": 450, "p3": 620, "p4": 800, "p5": 150, "p6": 975}
CAPACITY = {"red": 1000, "blue": 700}
OBJECTS = {
    **{name: "forklift" for name in CAPACITY},
    **{name: "pallet" for name in WEIGHT},
    **{name: "bay" for name in ("a1", "a2", "b1")},
}


def first_state(rows):
    """Where everything was in the morning: pallets at the dock, forklifts where they started."""
    state = {"atoms": {("stored", pallet, "dock") for pallet in WEIGHT}, "values": {}}
    for pallet, weight in WEIGHT.items():
        state["values"]["weight", pallet] = weight
    for pair, metres in DISTANCE.items():
        one, other = pair.split()
        state["values"]["distance", one, other] = state["values"]["distance", other, one] = metres
    for row in rows:
        if row["event"] == "start":
            state["atoms"] |= {("at", row["forklift"], row["bay"]), ("free", row["forklift"])}
            state["values"]["capacity", row["forklift"]] = CAPACITY[row["forklift"]]
            # Readings are decimal text, and stay exact: "95.625" is 765/8, not the float next to it.
            state["values"]["battery", row["forklift"]] = row["battery"]
    return state


def steps(rows):
    """The log as steps: the state before, the action, the state after."""
    state = first_state(rows)
    for row in rows:
        forklift, event, pallet, bay = row["forklift"], row["event"], row["pallet"], row["bay"]
        before, atoms = copy.deepcopy(state), state["atoms"]
        if event == "drive":
            [start] = [atom[2] for atom in atoms if atom[:2] == ("at", forklift)]
            action = ("drive", forklift, start, bay)
            atoms -= {("at", forklift, start)}
            atoms |= {("at", forklift, bay)}
        elif event == "lift":
            action = ("lift", forklift, pallet, bay)
            atoms -= {("stored", pallet, bay), ("free", forklift)}
            atoms |= {("carries", forklift, pallet)}
        elif event == "drop":
            action = ("drop", forklift, pallet, bay)
            atoms -= {("carries", forklift, pallet)}
            atoms |= {("stored", pallet, bay), ("free", forklift)}
        elif event == "charge":
            action = ("charge", forklift)
        else:
            continue
        state["values"]["battery", forklift] = row["battery"]
        yield before, action, copy.deepcopy(state)


def main():
    with open(Path(__file__).with_name("warehouse.csv"), newline="") as log:
        rows = list(csv.DictReader(log))
    # What everybody in a warehouse knows: no rule compares more than two numbers; a fuller battery, a stronger forklift and a
    # lighter pallet never hurt.
    known = {"(battery ?f)": "more", "(capacity ?f)": "more", "(weight ?p)": "less"}
    learner = surefoot.Learner(DOMAIN, arity=2, effect_arity=2, monotone=known)
    print(learner.observe(steps(rows), objects={**OBJECTS, "dock": "bay"}), "steps in the log")
    model = learner.model()
    print(model.to_pddl().split("(:action drive")[1].split("(:action")[0])

    # An order for tomorrow: pallet p3 is wanted in bay b1.
    state = first_state(rows)
    order = surefoot.Problem.parse(
        f"""(define (problem order) (:domain warehouse)
          (:objects {" ".join(f"{name} - {kind}" for name, kind in OBJECTS.items())})
          (:init {" ".join(f"({' '.join(atom)})" for atom in sorted(state["atoms"]))}
                 {" ".join(f"(= ({' '.join(key)}) {value})" for key, value in sorted(state["values"].items()))})
          (:goal (stored p3 b1)))""",
        DOMAIN,
    )
    found = surefoot.plan(model, order, time_limit=30)
    for step in found.plan or [(found.status,)]:
        print("  plan:", *step)

    # The small forklift never lifted as much, so the model does not let it, and says why.
    state["atoms"] -= {("at", "blue", "a1")}
    state["atoms"] |= {("at", "blue", "dock")}
    print(model.explain(state, ("lift", "blue", "p6", "dock"), {**OBJECTS, "dock": "bay"}))


if __name__ == "__main__":
    main()
