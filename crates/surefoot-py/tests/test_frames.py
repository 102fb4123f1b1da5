"""Data frames as logs: pandas, polars, Arrow, columns and records give the same learned bytes as CSV and JSON lines."""

import csv
import json
import math
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import surefoot
from surefoot import Learner, Log

MAP = {
    "domain": "patrol",
    "episode": "run",
    "action": "event",
    "status": {"column": "status", "ok": "ok", "failed": "failed"},
    "ignore": ["note"],
    "objects": {"robot": "robot", "place": ["place", "to"]},
    "after": {"place": "(at ?robot ?place)", "battery": "(battery ?robot)"},
    "actions": {
        "boot": "report",
        "move": {"robot": "robot", "from": "(at ?robot)", "to": "to"},
        "charge": ["robot", "place"],
    },
}
PLACES = ["dock", "bay", "shelf"]


def records():
    """Two robots that drive about: a move takes 1.7, and fails where less is left; some readings are lost."""
    rows = []
    for run in range(3):
        battery = {"r1": 50 + run, "r2": 31}
        where = {"r1": "dock", "r2": "bay"}
        for robot in battery:
            rows.append((run, robot, "boot", None, where[robot], battery[robot] / 10, "ok", None))
        for step in range(12):
            robot = f"r{1 + (step + run) % 2}"
            to = PLACES[(step * (run + 1) + 1) % 3]
            if step % 7 == 6:
                battery[robot] += 25
                row = ("charge", None, "ok")
            elif battery[robot] >= 17 and to != where[robot]:
                battery[robot], where[robot] = battery[robot] - 17, to
                row = ("move", to, "ok")
            else:
                row = ("move", to, "failed")
            seen = None if step == 5 and run == 1 else battery[robot] / 10
            rows.append((run, robot, row[0], row[1], where[robot], seen, row[2], None))
    names = ["run", "robot", "event", "to", "place", "battery", "status", "note"]
    return [dict(zip(names, row)) for row in rows]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    with open(folder / "log.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, records()[0])
        writer.writeheader()
        writer.writerows(records())
    lines = [json.dumps({key: cell for key, cell in row.items() if cell is not None}) for row in records()]
    (folder / "log.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def mixed():
    """A frame of objects of all kinds, as people end up with."""
    frame = pd.DataFrame(records()).astype(object)
    frame.loc[frame.index % 3 == 0, "battery"] = frame["battery"].map(lambda x: None if x is None else Decimal(str(x)))
    frame.loc[frame.index % 3 == 1, "battery"] = frame["battery"].map(lambda x: pd.NA if x is None or x is pd.NA else str(x))
    frame["run"] = [np.int64(run) if place % 2 else str(run) for place, run in enumerate(frame["run"])]
    return frame


class Capsule:
    """Something that speaks Arrow and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


FRAMES = {
    "pandas": lambda: pd.DataFrame(records()),
    "pandas with nullable types": lambda: pd.DataFrame(records()).convert_dtypes(),
    "pandas with categories": lambda: pd.DataFrame(records()).astype({"robot": "category", "event": "category"}),
    "pandas with another index": lambda: pd.DataFrame(records()).set_index(pd.Index(range(7, 7 + len(records())))),
    "pandas with mixed values": mixed,
    "polars": lambda: pl.DataFrame(records(), infer_schema_length=None),
    "polars, lazy": lambda: pl.DataFrame(records(), infer_schema_length=None).lazy(),
    "arrow": lambda: pa.Table.from_pylist(records()),
    "arrow, a reader": lambda: pa.Table.from_pylist(records()).to_reader(max_chunksize=5),
    "arrow, a capsule": lambda: Capsule(pa.Table.from_pylist(records())),
    "columns": lambda: {name: [row[name] for row in records()] for name in records()[0]},
    "columns of numpy": lambda: {name: np.array([row[name] for row in records()], dtype=object) for name in records()[0]},
    "records": records,
}


def learned(log):
    learner = Learner(log)
    learner.observe(log)
    return learner


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_and_files_of_one_log_give_the_same_bytes(files, kind):
    from_csv, from_lines = learned(Log.read(files / "log.csv", MAP)), learned(Log.read(files / "log.jsonl", MAP))
    from_frame = learned(surefoot.from_dataframe(FRAMES[kind](), MAP))
    assert bytes(from_csv) == bytes(from_lines) == bytes(from_frame)
    assert from_csv.model().to_pddl() == from_frame.model().to_pddl()


def test_a_frame_and_its_map_can_be_given_where_records_are(files):
    frame = pd.DataFrame(records())
    log = surefoot.from_dataframe(frame, MAP)
    assert len(log) == 3 and log.episodes == ["0", "1", "2"] and set(log.domain.actions) == {"move", "charge"}
    learner = Learner(log.domain)
    count = learner.observe(frame, MAP)
    other = Learner(log.domain)
    assert other.observe(files / "log.csv", MAP) == count and bytes(other) == bytes(learner)
    model = surefoot.learn(log)
    assert model.to_pddl() == learner.model().to_pddl() == surefoot.learn(log.domain, log).to_pddl()
    assert model.certificate() == learner.model().certificate()
    score = model.score(frame, MAP)
    assert score == model.score(log) == model.score(files / "log.jsonl", MAP)
    assert score.failed > 3 and score.recall == 1 and not score.contradicted
    # Read again through the model that was saved.
    model.save(files / "model")
    assert surefoot.Model.load(files / "model").score(log) == score


def test_a_map_is_a_path_its_text_or_a_dict(files, tmp_path):
    text = "\n".join(surefoot._frames._toml(MAP)) + "\n"
    (tmp_path / "map.toml").write_text(text)
    logs = [surefoot.from_dataframe(records(), given) for given in (MAP, text, tmp_path / "map.toml", str(tmp_path / "map.toml"))]
    assert len({bytes(learned(log)) for log in logs}) == 1
    with pytest.raises(FileNotFoundError):
        surefoot.from_dataframe(records(), "missing.toml")


def test_errors_name_the_row_and_the_column():
    broken = records()
    broken[9]["battery"] = "full"
    with pytest.raises(surefoot.ReadError, match="battery") as caught:
        Learner(surefoot.from_dataframe(records(), MAP).domain).observe(broken, MAP)
    assert (caught.value.file, caught.value.line) == ("frame", 11), "the line of names is the first"
    broken[9]["battery"] = [1, 2]
    with pytest.raises(TypeError, match="row 9, column \"battery\".*not one value"):
        surefoot.from_dataframe(broken, MAP)
    with pytest.raises(TypeError, match="expected a data frame"):
        surefoot.from_dataframe(7, MAP)
    with pytest.raises(TypeError, match="names that are text"):
        surefoot.from_dataframe(pd.DataFrame([[1, 2]]), MAP)
    with pytest.raises(ValueError, match="has 1 cells"):
        surefoot.from_dataframe({"event": ["move", "move"], "run": [1]}, MAP)
    with pytest.raises(surefoot.ReadError, match="event"):
        surefoot.from_dataframe({"run": [1]}, MAP)


def test_steps_of_a_frame_that_do_not_fit_a_domain_are_refused(counting):
    with pytest.raises(ValueError, match="not the one"):
        Learner(counting).observe(records(), MAP)


def test_infinity_in_a_frame_is_refused():
    broken = records()
    broken[3]["battery"] = math.inf
    with pytest.raises(ValueError):
        Learner(surefoot.from_dataframe(records(), MAP).domain).observe(broken, MAP)


def test_a_word_that_no_cell_has_is_warned_of():
    rows = [{**row, "light": "green" if number % 2 else "red"} for number, row in enumerate(records())]
    flagged = {**MAP, "after": {**MAP["after"], "light": "(lit ?robot) if gren"}}
    with pytest.warns(UserWarning, match=r"column light is `gren`, so \(lit \?robot\) is never true"):
        surefoot.from_dataframe(rows, flagged)


def test_what_a_map_takes_for_granted_goes_with_the_steps():
    log = surefoot.from_dataframe(records(), MAP)
    whole = surefoot.learn(log)
    assert any("that a row is not about" in sentence for sentence in whole.assumptions)
    seen = Learner(log)
    seen.observe(log)
    merged = Learner(log)
    merged.merge(pickle.loads(pickle.dumps(seen)))
    for learner in (seen, merged, Learner.load(bytes(merged))):
        assert learner.model().assumptions == whole.assumptions
        assert learner.model().to_pddl() == whole.to_pddl()
    # Who saw nothing takes nothing for granted.
    assert not any("that a row is not about" in sentence for sentence in Learner(log).model().assumptions)


def test_numbers_that_are_chosen_before_the_step_are_inputs():
    rows = [("open", None, 100.0, "ok")]
    total = 100.0
    for paid in [10, 35.5, 60, 50, 0.25]:
        works = paid <= total
        total -= paid if works else 0
        rows.append(("pay", paid, total, "ok" if works else "failed"))
    frame = pd.DataFrame(rows, columns=["step", "amount", "total", "status"])
    map = {
        "domain": "payments",
        "action": "step",
        "status": {"column": "status", "ok": "ok", "failed": "failed"},
        "inputs": {"paid": "amount"},
        "choices": {"paid": {"from": 0.5, "to": 5, "step": 0.5}},
        "after": {"total": "(total)"},
        "actions": {"open": "report", "pay": ["paid"]},
    }
    text = surefoot.learn(surefoot.from_dataframe(frame, map)).to_pddl()
    assert "(decrease (total) (value ?paid))" in text
    assert "Whoever acts chooses (value ?paid) of pay before the step" in text
    with pytest.raises(surefoot.ReadError, match="shows the state after the row"):
        surefoot.from_dataframe(frame, {**map, "inputs": {"paid": "total"}})


def test_parts_of_a_map_are_learned():
    levels = [0, 10, 25, 40, 55, 70, 72, 80, 90, 100]
    rows = [
        {"run": str(run), "what": what, "robot": "r", "battery": value}
        for run, level in enumerate(levels)
        for what, value in (("look", level), ("charge", min(level + 30, 100)))
    ]
    meaning = {
        "episode": "run",
        "action": "what",
        "split": {"charge": "battery <= 70"},
        "after": {"battery": "(battery ?robot)"},
        "actions": {"look": "report", "charge": ["robot"]},
    }
    log = surefoot.from_dataframe(pd.DataFrame(rows), meaning)
    assert log.parts == {"charge": "(<= (battery ?robot) 70)"}
    model = surefoot.learn(log)
    assert "charge--1 where (<= (battery ?robot) 70)" in model.to_pddl()
    learner = Learner(log)
    learner.observe(log)
    assert learner.model().domain == model.domain
    assert learner.model().assumptions == model.assumptions
    with pytest.raises(ValueError, match="parts=log.parts"):
        Learner(log.domain).observe(log)
    other = Learner(log.domain, parts=log.parts)
    other.observe(log)
    assert other.model().assumptions == model.assumptions
    # Another cut of the same action is refused.
    with pytest.raises(ValueError, match="other parts of charge were given beside it"):
        surefoot.learn(log, parts={"charge": "(<= (battery ?robot) 60)"})
    # A learner that was loaded has its parts in its state.
    loaded = Learner.load(bytes(learner))
    loaded.observe(log)
    assert loaded.model().assumptions == model.assumptions
    assert "10 traces" in str(surefoot.assess(log))
