"""Gymnasium's Taxi: what happens when the vocabulary cannot say what the world is like, and how failed attempts show it.

    pip install gymnasium pandas
    python taxi_world.py

A taxi drives on a grid of five by five cells, takes a passenger and brings him to where he wants to go. There are walls between some
cells. First we give positions as numbers, row and column: then the cells from which one can drive east are no convex set, and a learner
that knows nothing of failures would allow driving into walls. Then we give positions as places, and say between which there is a way.
"""

import random
from pathlib import Path

import gymnasium
import pandas

import surefoot

FOLDER = Path(__file__).parent
EPISODES, HELD_OUT, STEPS = 60, 20, 100
ACTIONS = ["south", "north", "east", "west", "pickup", "dropoff"]
WAYS = {"south": (1, 0), "north": (-1, 0), "east": (0, 1), "west": (0, -1)}


def cell(row, column):
    inside = 0 <= row < 5 and 0 <= column < 5
    return f"cell-{row}-{column}" if inside else "outside"


def seen(taxi, number):
    """A state of the game, twice: in numbers and in places."""
    row, column, passenger, wanted = taxi.decode(number)
    riding = passenger == len(taxi.locs)
    place = (None, None) if riding else taxi.locs[passenger]
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
        for _ in range(STEPS):
            # Half of the time anything, half of the time something that changes the state, getting in and out first.
            possible = [action for action in range(6) if info["action_mask"][action]]
            action = chance.randrange(6) if chance.random() < 0.5 else chance.choice([a for a in possible if a > 3] or possible)
            before, old = seen(taxi, number), number
            number, reward, over, _, info = game.step(action)
            name = ACTIONS[action]
            row = {"episode": f"e{episode}", "action": name}
            # Whoever drives into a wall stays where he is; whoever stops in the wrong place is fined.
            row["status"] = "failed" if number == old or reward == -10 else "ok"
            row.update({f"{key}_before": value for key, value in before.items()})
            row.update({f"{key}_after": value for key, value in seen(taxi, number).items()})
            step = WAYS.get(name, (0, 0))
            row["to"] = cell(before["row"] + step[0], before["column"] + step[1])
            rows.append(row)
            if over:
                break
    return pandas.DataFrame(rows), taxi


def ways(taxi):
    """What is static, read from the game's own drawing: between which cells there is a way, and where people wait."""
    rows = []
    for row in range(5):
        for column in range(5):
            east = column < 4 and taxi.desc[1 + row, 2 * column + 2] == b":"
            for other in [cell(row + 1, column)] * (row < 4) + [cell(row, column + 1)] * east:
                rows += [{"cell": cell(row, column), "other": other}, {"cell": other, "other": cell(row, column)}]
    return pandas.DataFrame(rows)


if __name__ == "__main__":
    f,t=record(range(EPISODES)); print(f.groupby(['action','status']).size()); f.to_csv('/tmp/ww/taxi.csv',index=False); print(ways(t).shape); print(f.head(3).T)
