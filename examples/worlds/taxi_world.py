"""Gymnasium's Taxi: what happens if the vocabulary cannot describe the world, and how failed attempts show it.

    pip install gymnasium pandas
    python taxi_world.py

A taxi drives on a grid of five by five cells, takes a passenger and brings him to where he wants to go. There are walls between some
cells. First we give positions as numbers: row and column. Then the cells from which one can drive east form no convex set, and a learner
without failed attempts would allow driving into walls. Then we give positions as places, and say which places have a way between them.
"""

import random
from pathlib import Path

import gymnasium
import pandas

import surefoot

NUMBERS, PLACES = (Path(__file__).with_name(f"taxi_{words}.toml") for words in ("numbers", "places"))
EPISODES, HELD_OUT, STEPS = 60, 20, 100
ACTIONS = ["south", "north", "east", "west", "pickup", "dropoff"]
WAYS = {"south": (1, 0), "north": (-1, 0), "east": (0, 1), "west": (0, -1)}


def cell(row, column):
    inside = 0 <= row < 5 and 0 <= column < 5
    return f"cell-{row}-{column}" if inside else "outside"


def is_way(taxi, state, way):
    """Whether there is neither a wall nor the end of the grid: the game's own drawing says so."""
    row, column = state["row"], state["column"]
    if way in ("south", "north"):
        return cell(row + WAYS[way][0], column) != "outside"
    return taxi.desc[1 + row, 2 * column + (2 if way == "east" else 0)] == b":"


def seen(taxi, number, last=None):
    """A state of the game, twice: in numbers (for a passenger on board: where he got in), and in places."""
    row, column, passenger, _ = taxi.decode(number)
    riding = passenger == len(taxi.locs)
    place = (last["passenger_row"], last["passenger_column"]) if riding else taxi.locs[passenger]
    return {
        "row": row,
        "column": column,
        "passenger_row": place[0],
        "passenger_column": place[1],
        "riding": riding,
        "cell": cell(row, column),
        "passenger_cell": None if riding else cell(*place),
    }


def record(episodes):
    """Episodes of a driver who tries this and that: a row for each attempt, the state before it and after it."""
    game = gymnasium.make("Taxi-v4" if "Taxi-v4" in gymnasium.registry else "Taxi-v3")
    taxi, rows = game.unwrapped, []
    for episode in episodes:
        chance = random.Random(episode)
        number, info = game.reset(seed=episode)
        state = seen(taxi, number)
        for _ in range(STEPS):
            # Half of the time anything, half of the time something that changes the state, getting in and out first.
            possible = [action for action in range(6) if info["action_mask"][action]]
            action = chance.randrange(6) if chance.random() < 0.5 else chance.choice([a for a in possible if a > 3] or possible)
            before, old = state, number
            number, reward, over, _, info = game.step(action)
            state = seen(taxi, number, before)
            name = ACTIONS[action]
            row = {"episode": f"e{episode}", "action": name}
            # Whoever drives into a wall stays where he is; whoever stops in the wrong place is fined.
            row["status"] = "failed" if number == old or reward == -10 else "ok"
            row.update({f"{key}_before": value for key, value in before.items()})
            row.update({f"{key}_after": value for key, value in state.items()})
            row["task"] = "drive" if name in WAYS else name
            if name in WAYS:
                row["to"] = cell(before["row"] + WAYS[name][0], before["column"] + WAYS[name][1])
                row["way"] = is_way(taxi, before, name)
            row["stand"] = (before["row"], before["column"]) in taxi.locs
            rows.append(row)
            if over:
                break
    return pandas.DataFrame(rows)


def main():
    log = record(range(EPISODES))
    number = log["episode"].str[1:].astype(int)
    seen_before, new = log[number >= HELD_OUT], log[number < HELD_OUT]
    failed = (log["status"] == "failed").sum()
    print(f"{len(log)} attempts in {EPISODES} episodes, {failed} of them failed; {HELD_OUT} episodes held out")

    print("\nPositions as numbers, learned from what worked and what failed:\n")
    try:
        surefoot.learn(surefoot.from_dataframe(seen_before, NUMBERS, name="taxi"))
        raise SystemExit("no failure was found between the successes, so there are no walls?")
    except surefoot.BadDataError as error:
        print(shortened(str(error)))

    print("\nThe same without the failures. It learns, and what it learned drives into walls:\n")
    successes = seen_before[seen_before["status"] == "ok"]
    score = surefoot.learn(surefoot.from_dataframe(successes, NUMBERS)).score(new, NUMBERS)
    print(shortened(str(score)))
    assert score.allowed_failures > 0

    print("\nPositions as places, with what the driver sees of walls:\n")
    model = surefoot.learn(surefoot.from_dataframe(seen_before, PLACES))
    print(model.to_pddl().partition("(:action")[1] + model.to_pddl().partition("(:action")[2].rstrip())
    score = model.score(new, PLACES)
    print(f"\n{score}")
    assert not score.contradicted and score.recall == 1

    print(
        """
What to conclude. Where one can drive east is no range of rows and columns, so no rule over these numbers is both safe and
of use; the failed attempts show it, with their rows. A log of successes alone would not have shown it. With places in
place of numbers, and a column for what is seen of walls, the rules are those of the game: each step that worked is allowed,
and nothing that failed."""
    )


def shortened(text, lines=16):
    """The first and the last lines of a text that is for people."""
    whole = text.splitlines()
    return text if len(whole) <= lines else "\n".join([*whole[: lines // 2], "...", *whole[-lines // 2 :]])


if __name__ == "__main__":
    main()
