"""Crafter, an open-world survival game: what do its actions need? Learned from episodes, compared with the rules in the game's own file.

    pip install crafter pandas
    python crafter_world.py

A scripted player gathers, builds and makes. Every attempt to collect, place or make something becomes a row of a data frame: the inventory
before and after it, what the player faced, what was near, and whether the attempt took effect. The learner gets only these rows and the
names of things.
"""

import random
import re
from collections import deque
from pathlib import Path

import crafter
import pandas

import surefoot

MAP = Path(__file__).with_name("crafter.toml")
EPISODES, HELD_OUT, STEPS = range(16), 5, 200

RULES = crafter.constants
# The world itself takes these away as time passes; no action that we learn depends on them.
LIFE = ("health", "food", "drink", "energy")
ITEMS = [item for item in RULES.items if item not in LIFE]
ATTEMPTS = [f"place_{name}" for name in RULES.place] + [f"make_{name}" for name in RULES.make]
CREATURES = ["player", "cow", "zombie", "skeleton", "arrow", "plant"]
MOVES = {"move_left": (-1, 0), "move_right": (1, 0), "move_up": (0, -1), "move_down": (0, 1)}


class Game(crafter.Env):
    """The game without its pictures, which cost most of the time."""

    def render(self, size=None):
        return None


class Player:
    """Sees the map and the inventory that the game shows after each step; writes a row for each attempt."""

    def __init__(self, episode):
        self.episode, self.chance, self.rows = episode, random.Random(episode), []
        self.game = Game(area=(48, 48), seed=episode)
        self.game.reset()
        self.over, self.facing = False, MOVES["move_down"]
        self.step("noop")
        # How much to gather before going on differs, so that actions are tried with many inventories.
        self.hoard = self.chance.choice([0, 0, 5, 10])

    def step(self, action):
        _, _, self.over, self.info = self.game.step(RULES.actions.index(action))
        self.facing = MOVES.get(action, self.facing)

    def at(self, place):
        """The material of a place, or who is there."""
        semantic, (x, y) = self.info["semantic"], place
        if not (0 <= x < semantic.shape[0] and 0 <= y < semantic.shape[1]):
            return "nothing"
        number = semantic[x, y]
        return (["nothing"] + RULES.materials + CREATURES)[number]

    def here(self):
        return tuple(int(number) for number in self.info["player_pos"])

    def ahead(self):
        return tuple(one + step for one, step in zip(self.here(), self.facing))

    def near(self, material, distance=1):
        (x, y), around = self.here(), range(-distance, distance + 1)
        return any(self.at((x + i, y + j)) == material for i in around for j in around)

    def seen(self):
        """What the row says of one moment."""
        state = {item: self.info["inventory"][item] for item in ITEMS}
        facing = self.at(self.ahead())
        state["facing"] = facing if facing in RULES.materials else "other"
        state["near_table"], state["near_furnace"] = self.near("table"), self.near("furnace")
        return state

    def attempt(self, action):
        """Tries an action of interest, and writes it down."""
        before = self.seen()
        name = action
        if action == "do":
            receives = list(RULES.collect.get(self.at(self.ahead()), {}).get("receive", ()))
            if not receives or receives[0] in LIFE:
                return self.step("do")
            name = f"collect_{receives[0]}"
        # Arrows break tables and furnaces, maybe at the very moment that we build one.
        arrow = self.near("arrow", 3)
        count = self.info["achievements"][name]
        self.step(action)
        row = {"episode": f"e{self.episode}", "action": name, "disturbed_by": "arrow" if arrow else None}
        row["status"] = "ok" if self.info["achievements"][name] > count else "failed"
        row.update({f"{key}_before": value for key, value in before.items()})
        after = self.seen()
        if after["facing"] == "other":
            after["facing"] = None  # somebody walked into the picture: what is there now is not known
        row.update({f"{key}_after": value for key, value in after.items()})
        self.rows.append(row)

    def walk_to(self, material):
        """Goes to the nearest place of a material, and faces it. False if there is no way."""
        start = self.here()
        came, queue = {start: None}, deque([start])
        while queue:
            place = queue.popleft()
            for action, (x, y) in MOVES.items():
                there = (place[0] + x, place[1] + y)
                if self.at(there) == material and there != start:
                    return self.follow(came, place, action)
                if there not in came and self.at(there) in RULES.walkable:
                    came[there] = (place, action)
                    queue.append(there)
        return False

    def follow(self, came, place, last):
        path = [last]
        while came[place]:
            place, action = came[place]
            path.append(action)
        for action in reversed(path):
            if self.over:
                return False
            self.defend()
            self.step(action)
            if self.chance.random() < 0.15:
                self.attempt(self.chance.choice(ATTEMPTS))
        return True

    def defend(self):
        """Turns to a zombie that stands beside the player, and hits it until it is gone."""
        x, y = self.here()
        for action, (i, j) in MOVES.items():
            for _ in range(8):
                if self.over or self.at((x + i, y + j)) != "zombie":
                    break
                self.step("do" if self.facing == (i, j) else action)

    def wanted(self):
        """The first tool that the player does not have, and what it takes to make it anywhere: the tool, a table, a furnace."""
        have = self.info["inventory"]
        for tool, rule in RULES.make.items():
            if not have[tool]:
                needs = dict(rule["uses"])
                for thing in rule["nearby"]:
                    for item, amount in RULES.place[thing]["uses"].items():
                        needs[item] = needs.get(item, 0) + amount
                return tool, needs
        return None, {}

    def goal(self):
        """The material to go for next."""
        have, (_, needs) = self.info["inventory"], self.wanted()
        if have["drink"] < 4:
            return "water"
        if have["food"] < 4:
            return "cow"
        for item, material in (("wood", "tree"), ("stone", "stone"), ("coal", "coal"), ("iron", "iron")):
            most = self.hoard if item in ("wood", "stone") else 0
            if item in needs and have[item] < max(needs[item], most) and self.chance.random() < 0.9:
                return material
        return self.chance.choice(["diamond", "tree", "stone", "grass"])

    def workshop(self):
        """Builds where the player stands, and makes what it can."""
        for thing in RULES.make[self.wanted()[0]]["nearby"] if self.wanted()[0] else ():
            for action in MOVES:
                if self.near(thing) or self.over:
                    break
                self.attempt(f"place_{thing}")
                if not self.near(thing):
                    self.step(action)
        for tool in RULES.make:
            if self.chance.random() < (0.8 if not self.info["inventory"][tool] else 0.2):
                self.attempt(f"make_{tool}")

    def play(self, steps):
        for _ in range(steps):
            if self.over:
                break
            goal, (_, needs) = self.goal(), self.wanted()
            if self.walk_to(goal):
                for _ in range({"water": 5, "cow": 6}.get(goal, 1)):
                    self.attempt("do")
            else:
                self.step(self.chance.choice(list(MOVES)))
                self.attempt("place_stone")
            have = self.info["inventory"]
            if needs and all(have[item] >= max(amount, min(self.hoard, 9) if item == "wood" else 0) for item, amount in needs.items()):
                self.workshop()
        return self.rows


def learned(model, action):
    """What the learned action asks for: the least of each item, what must be near, what may be faced."""
    text = re.search(rf"\(:action {action}\n.*?:effect", model.to_pddl(), re.DOTALL)
    if not text:
        return None
    text = text[0]
    items = {item: int(least) for item, least in re.findall(r"\(>= \((\w+)\) (\d+)\)", text) if int(least)}
    items.update({item: int(least) for item, least in re.findall(r"\(= \((\w+)\) (\d+)\)", text) if int(least)})
    near = [thing for thing in ("table", "furnace") if re.search(rf"(?<!not )\(near-{thing}\)", text)]
    only = re.findall(r"(?<!\(not )\(facing-(\w+)\)", text)
    never = re.findall(r"\(not \(facing-(\w+)\)\)", text)
    return items, near, only or [material for material in RULES.materials if material not in never]


def rules():
    """The same from the game's own file."""
    for name, rule in RULES.place.items():
        yield f"place_{name}", rule["uses"], [], rule["where"]
    for name, rule in RULES.make.items():
        yield f"make_{name}", rule["uses"], rule["nearby"], None
    for material, rule in RULES.collect.items():
        for item in rule["receive"]:
            if item not in LIFE and "probability" not in rule:
                yield f"collect_{item}", rule["require"], [], [material]


def compare(model):
    def words(items, near):
        return ", ".join([f"{item} {least}" for item, least in sorted(items.items())] + [f"near {thing}" for thing in near]) or "-"

    print(f"{'action':20} {'rule of the game':34} learned")
    for action, items, near, where in rules():
        found = learned(model, action)
        if not found:
            print(f"{action:20} {words(items, near):34} (never seen to work)")
            continue
        needs, beside, faced = found
        print(f"{action:20} {words(items, near):34} {words(needs, beside)}")
        # Safe means: never less than the game asks for.
        assert all(needs.get(item, 0) >= least for item, least in items.items()), action
        assert set(near) <= set(beside) and (where is None or set(faced) <= set(where)), action


CONCLUSION = """
What to conclude. Where the two columns agree, the requirement was found as it stands in the game's own file. Where the
learned one asks for more, the player never tried with less: it is safe, and a few attempts with less would settle it. What
was never seen to work stays out of the model."""


def main():
    rows = pandas.DataFrame([row for episode in EPISODES for row in Player(episode).play(STEPS)])
    is_new = rows["episode"].str[1:].astype(int) < HELD_OUT
    failed = (rows["status"] == "failed").sum()
    print(f"{len(rows)} attempts in {len(EPISODES)} episodes, {failed} of them failed; {HELD_OUT} episodes held out")

    print("\nAs recorded:\n")
    try:
        surefoot.learn(surefoot.from_dataframe(rows[~is_new], MAP, name="crafter"))
        raise SystemExit("no inventory was ever full: nothing to see")
    except surefoot.BadDataError as error:
        print("\n".join(str(error).splitlines()[-6:]))
        assert "a cap" in str(error), "the diagnosis names the cap"

    print("\nAn inventory holds nine of a thing. Collecting with a full one is another action, which gives nothing:\n")
    for item in ("wood", "stone"):
        is_full = (rows["action"] == f"collect_{item}") & (rows[f"{item}_before"] == RULES.items[item]["max"])
        rows.loc[is_full, "action"] = f"collect_{item}_when_full"
    log = surefoot.from_dataframe(rows[~is_new], MAP, name="crafter")
    # Each requirement is about one item, no effect depends on an amount, and owning more never hurts, but for a full inventory.
    more = {action: {f"({item})": "more" for item in ITEMS if item not in action} for action in log.domain.actions}
    for told, options in ("nothing", {}), ("what players know", {"arity": 1, "effect_arity": 0, "monotone": more}):
        # An arrow that nobody saw coming: up to four steps of an action may be set aside as bad data, more would be refused.
        model = surefoot.learn(log, on_bad_data="quarantine", set_aside_steps=4, **options)
        score = model.score(rows[is_new], MAP)
        print(f"Told {told}:\n\n{score}\n")
        assert not score.allowed_failures, "the model allows an attempt that failed"
    compare(model)
    print(CONCLUSION)


if __name__ == "__main__":
    main()
