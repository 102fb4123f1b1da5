"""Data frames as logs: pandas, polars, Arrow, and plain columns or records."""

import json
import os
from importlib import import_module
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ._surefoot import Log

#: The path of a TOML file, its text, or the same as a dict.
Map = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def from_dataframe(frame: Any, map: Map, *, name: str = "frame", folder: "Optional[Union[str, os.PathLike[str]]]" = None) -> Log:
    """A log from a data frame: what `Learner.observe`, `learn` and `Model.score` take.

    `frame` is a frame of pandas or polars, a table of pyarrow, anything that speaks Arrow (`__arrow_c_stream__`, which takes pyarrow), a
    dict of columns, or a list of records. `map` says what the columns mean: the path of a TOML file, its text, or the same as a dict; see
    docs/logs.md. `name` is what messages call the frame; files that the map names are looked for in `folder` (without it: beside the map).
    Missing values are unknown. Floats mean their shortest decimals, as in a CSV file of the same frame.

    >>> import surefoot
    >>> log = surefoot.from_dataframe(
    ...     {"event": ["up", "up"], "n": [1, 2]},
    ...     {"domain": "counting", "action": "event", "after": {"n": "(n)"}, "actions": {"up": []}},
    ... )
    >>> len(log), log.domain.actions
    (1, {'up': []})
    """
    names, columns = _columns(frame)
    text, title, beside = map_text(map)
    return Log._of_columns(name, names, columns, text, title, os.fspath(beside if folder is None else folder))


def map_text(map: Map) -> Tuple[str, str, "Union[str, os.PathLike[str]]"]:
    """The text of a map, what messages call it, and the folder that it lies in."""
    if isinstance(map, Mapping):
        return "\n".join(_toml(map)) + "\n", "map", "."
    if isinstance(map, str) and "\n" in map:
        return map, "map", "."
    with open(map, encoding="utf-8") as file:
        return file.read(), os.fspath(map), os.path.dirname(os.fspath(map)) or "."


def _columns(frame: Any) -> Tuple[List[str], List[Sequence[Any]]]:
    """The names and the cells of each column, as plain values of Python."""
    if isinstance(frame, Mapping):
        return _named(frame), [_cells(column) for column in frame.values()]
    if isinstance(frame, (list, tuple)):
        return _of_records(frame)
    kind = type(frame).__module__.split(".")[0]
    if kind == "pandas":
        return _named(frame.columns), [frame.iloc[:, place].tolist() for place in range(frame.shape[1])]
    if kind == "polars":
        frame = frame.collect() if hasattr(frame, "collect") else frame
        return _named(frame.columns), [column.to_list() for column in frame.get_columns()]
    if hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__") or kind == "pyarrow":
        return _of_arrow(frame)
    raise TypeError(
        "expected a data frame (pandas, polars, Arrow), a dict of columns or a list of records, found "
        f"{type(frame).__module__}.{type(frame).__qualname__}"
    )


def _of_arrow(frame: Any) -> Tuple[List[str], List[Sequence[Any]]]:
    try:
        pyarrow: Any = import_module("pyarrow")
    except ImportError:
        raise TypeError("this frame speaks Arrow, which takes pyarrow: pip install pyarrow") from None
    if isinstance(frame, pyarrow.RecordBatchReader):
        frame = frame.read_all()
    table = frame if isinstance(frame, pyarrow.Table) else pyarrow.table(frame)
    return _named(table.column_names), [column.to_pylist() for column in table.columns]


def _of_records(records: Iterable[Any]) -> Tuple[List[str], List[Sequence[Any]]]:
    """Columns in the order in which records name them; what a record leaves out is missing, as in JSON lines."""
    columns: Dict[str, List[Any]] = {}
    count = 0
    for count, record in enumerate(records, 1):
        if not isinstance(record, Mapping):
            raise TypeError(f"expected a list of records, found {record!r:.60} at {count - 1}")
        for key, cell in record.items():
            column = columns.setdefault(key, [])
            column.extend([None] * (count - 1 - len(column)))
            column.append(cell)
    for column in columns.values():
        column.extend([None] * (count - len(column)))
    return _named(columns), list(columns.values())


def _named(names: Iterable[Any]) -> List[str]:
    names = list(names)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"expected columns with names that are text, found {name!r}")
    return names


def _cells(column: Any) -> Sequence[Any]:
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            cells: Sequence[Any] = getattr(column, method)()
            return cells
    return column if isinstance(column, list) else list(column)


def _toml(table: Mapping[str, Any]) -> Iterable[str]:
    for key, value in table.items():
        yield f"{_word(key)} = {_value(value)}"


def _word(text: str) -> str:
    # Escapes of JSON are escapes of TOML, but for the one character that only TOML escapes.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _word(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(_toml(value)) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    raise TypeError(f"a map has text, numbers, lists and dicts, not {value!r}")
