"""A pipetting robot of PyLabRobot: when does a liquid handler refuse a command? Learned from the commands it took and refused.

    pip install pylabrobot pandas
    python lab_world.py

PyLabRobot drives laboratory robots, and simulates them: it tracks which tips are where and how much liquid is in tips and wells, and raises
an error for what cannot be done. We send random commands, write down what it reports after each of them, and learn what each command
needs. No robot moves, and the learner gets none of the package's rules.
"""

import asyncio
import contextlib
import io
import random
import re
from pathlib import Path

import pandas
from pylabrobot import resources
from pylabrobot.liquid_handling import LiquidHandler
from pylabrobot.liquid_handling.backends import LiquidHandlerChatterboxBackend

import surefoot

MAP = Path(__file__).with_name("lab.toml")
RUNS, HELD_OUT, COMMANDS = 40, 12, 60
DOSES = {"d2": 2.5, "d10": 10.0, "d25": 25.0, "d40": 40.0, "d100": 100.0, "d150": 150.0}


class Bench:
    """A deck with two racks of tips, small and large ones, and a plate."""

    async def set_up(self):
        resources.set_tip_tracking(True)
        resources.set_volume_tracking(True)
        self.robot = LiquidHandler(backend=LiquidHandlerChatterboxBackend(num_channels=1), deck=resources.STARLetDeck())
        small, large = resources.hamilton_96_tiprack_50uL("small"), resources.hamilton_96_tiprack_300uL("large")
        plate = resources.cor_96_wellplate_360uL_Fb("plate")
        tips, plates = resources.TIP_CAR_480_A00("tips"), resources.PLT_CAR_L5AC_A00("plates")
        tips[0], tips[1], plates[0] = small, large, plate
        self.robot.deck.assign_child_resource(tips, rails=3)
        self.robot.deck.assign_child_resource(plates, rails=15)
        with contextlib.redirect_stdout(io.StringIO()):
            await self.robot.setup()
        self.tips = {"small-1": small["A1"][0], "small-2": small["B1"][0], "large-1": large["A1"][0], "large-2": large["B1"][0]}
        self.wells = {name: plate[name][0] for name in ("A1", "A2", "A3", "B1")}
        self.tip_of = {name: spot.get_tip() for name, spot in self.tips.items()}

    def mounted(self):
        head = self.robot.head[0]
        return next((name for name, tip in self.tip_of.items() if head.has_tip and head.get_tip() is tip), None)

    async def command(self, action, tip, well=None, dose=None):
        """Sends a command: None if it was carried out, else the name of the error."""
        robot, spot = self.robot, self.tips[tip]
        wells, volumes = [self.wells.get(well)], [DOSES.get(dose)]
        call = {
            "pick_up": lambda: robot.pick_up_tips([spot]),
            "put_back": lambda: robot.drop_tips([spot]),
            "aspirate": lambda: robot.aspirate(wells, vols=volumes),
            "dispense": lambda: robot.dispense(wells, vols=volumes),
        }[action]
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                await call()
        except Exception as error:  # whatever it raises is a refusal, by its name
            # Version 0.2 leaves the volumes of a refused command pending; this forgets them.
            for tracker in [well.tracker for well in self.wells.values()] + [tip.tracker for tip in self.tip_of.values()]:
                tracker.rollback()
            return type(error).__name__
        return None

    def report(self, tip, well):
        """What the robot reports about a tip and a well."""
        report = {
            "channel": "ch0",
            "channel_free": self.mounted() is None,
            "tip": tip,
            "tip_on": self.mounted() == tip,
            "tip_ul": self.tip_of[tip].tracker.get_used_volume(),
            "tip_max_ul": self.tip_of[tip].maximal_volume,
        }
        if well:
            tracker = self.wells[well].tracker
            report.update(well=well, well_ul=tracker.get_used_volume(), well_max_ul=tracker.max_volume)
        return report


async def record(runs):
    """Random commands, run by run: a row for each, with what the robot reports after it."""
    rows = []
    for run in runs:
        chance, bench = random.Random(run), Bench()
        await bench.set_up()
        for name, well in bench.wells.items():
            well.tracker.set_volume(chance.randrange(0, 300) + 0.5)
            rows.append({"run": f"run-{run}", "command": "filled", "status": "ok", **bench.report(next(iter(bench.tips)), name)})
        for tip in bench.tips:
            rows.append({"run": f"run-{run}", "command": "racked", "status": "ok", **bench.report(tip, None)})
        for _ in range(COMMANDS):
            action = chance.choices(["pick_up", "put_back", "aspirate", "dispense"], [2, 2, 5, 5])[0]
            tip, well, dose = bench.mounted(), None, None
            if action == "pick_up" or tip is None:
                tip = chance.choice(list(bench.tips))
            if action in ("aspirate", "dispense"):
                well, dose = chance.choice(list(bench.wells)), chance.choice(list(DOSES))
            error = await bench.command(action, tip, well, dose)
            row = {"run": f"run-{run}", "command": action, "status": "refused" if error else "ok", "error": error}
            rows.append({**row, **bench.report(tip, well), "dose": dose, "dose_ul": DOSES.get(dose)})
    return pandas.DataFrame(rows)


# What everybody who works at a bench knows. Only the second model is learned with these assumptions.
NEVER_HURTS = {
    "pick_up": {"(in-tip ?tip)": "any", "(tip-size ?tip)": "any"},
    "put_back": {"(tip-size ?tip)": "any"},
    "aspirate": {
        "(in-well ?well)": "more",
        "(well-size ?well)": "any",
        "(tip-size ?tip)": "more",
        "(in-tip ?tip)": "less",
        "(amount ?dose)": "less",
    },
    "dispense": {
        "(in-tip ?tip)": "more",
        "(tip-size ?tip)": "any",
        "(well-size ?well)": "more",
        "(in-well ?well)": "less",
        "(amount ?dose)": "less",
    },
}


CONCLUSION = """What to conclude. The robot takes a tip only with an empty channel, and puts it back only when the tip is empty:
found exactly. A dose must be in the tip, and fit into the well: found up to the volumes that were tried. Nothing that the
robot refused is allowed, so a protocol that was planned with this model is not stopped halfway. To allow more, send
commands near the limits: tips that get full, wells that run dry."""


def main():
    rows = asyncio.run(record(range(RUNS)))
    number = rows["run"].str[4:].astype(int)
    seen, new = rows[number >= HELD_OUT], rows[number < HELD_OUT]
    print(f"{len(seen)} rows of {RUNS - HELD_OUT} runs to learn from, {len(new)} rows of {HELD_OUT} other runs to try it on\n")

    log = surefoot.from_dataframe(seen, MAP)
    for told, options in ("nothing", {}), ("what never hurts", {"monotone": NEVER_HURTS, "arity": 3}):
        model = surefoot.learn(log, **options)
        score = model.score(new, MAP)
        print(f"Told {told}:\n\n{score}\n")
        assert not score.contradicted, "the model allows a command that the robot refused, or foresees another outcome"
    for action in ("pick_up", "put_back", "dispense"):
        print(re.search(rf"\(:action {action}\n.*?:effect.*?\)\)\)", model.to_pddl(), re.DOTALL)[0], end="\n\n")
    print(CONCLUSION)


if __name__ == "__main__":
    main()
