"""Learning on a Dask cluster: partitions of traces become learners, learners are merged in a tree.

A learner's state is small, and merging is associative, commutative and idempotent: how traces are split, in which order
partitions end, and how often one is repeated because a worker died, makes no difference to a single byte of the model.

>>> import surefoot.dask                                                  # doctest: +SKIP
>>> from dask.distributed import Client                                   # doctest: +SKIP
>>> client = Client()                                                     # doctest: +SKIP
>>> model = surefoot.dask.learn("domain.pddl", "traces/", client)         # doctest: +SKIP
"""

# Dask is typed in part, fsspec not at all.
# mypy: disable-error-code="import-untyped,import-not-found,attr-defined,no-any-return,no-untyped-call"

import os
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple, Union

try:
    import dask
    import dask.bag
    import fsspec
    import fsspec.core
except ImportError as error:  # pragma: no cover
    raise ImportError("surefoot.dask needs dask, distributed and fsspec: pip install 'surefoot[dask]'") from error

from . import Domain, Learner, Model, ReadError, SurefootError
from ._surefoot import Parts

__all__ = ["learn", "learner", "experiment"]

#: Keywords of `Learner` that say what is learned from; the others say what a model is made with.
_CLASS = ("degree", "squares", "relevant", "decimals")

#: What a part of the traces came to: a learner, and the first thing wrong, with its place among all traces.
_State = Tuple[Optional[Learner], Optional[Tuple[int, SurefootError]]]
#: A trace: its place among all, its path, and that of its problem.
_Trace = Tuple[int, str, Optional[str]]


def learn(
    domain: Union[Domain, str, "os.PathLike[str]"],
    traces: Any,
    client: Any = None,
    *,
    problems: Optional[str] = None,
    npartitions: Optional[int] = None,
    split_every: int = 8,
    storage_options: Optional[Dict[str, Any]] = None,
    **options: Any,
) -> Model:
    """Learns a model on a cluster: byte for byte the one that `surefoot.learn` gives on one machine.

    `traces` is a path or a URL that fsspec opens, of a trajectory or of a folder of them, a list of such, or a `dask.bag.Bag` of
    steps `(before, action, after)`. Problems lie beside their trajectories, or in the folder `problems`. Local paths are read by
    each worker itself, so workers have to see the same files. `client` is a `distributed.Client`; without one, Dask's current
    scheduler does the work. `npartitions` is the number of tasks that read (by default about four for each thread of the
    cluster), `split_every` how many states are merged in one. All other options are those of `surefoot.Learner`.

    Errors are those of one machine: of several traces that cannot be read, the first is named.
    """
    merged = learner(
        domain,
        traces,
        client,
        problems=problems,
        npartitions=npartitions,
        split_every=split_every,
        storage_options=storage_options,
        **options,
    )
    try:
        return merged.model()
    except SurefootError as error:
        if error.file is not None or isinstance(traces, dask.bag.Bag):
            raise
        # Which steps are to blame is told by the traces, not by the state: they are read once more, here.
        again = Learner(_domain(domain), **options)
        _observe(again, _found(traces, problems, storage_options or {}), storage_options or {})
        return again.model()


def learner(
    domain: Union[Domain, str, "os.PathLike[str]"],
    traces: Any,
    client: Any = None,
    *,
    problems: Optional[str] = None,
    npartitions: Optional[int] = None,
    split_every: int = 8,
    storage_options: Optional[Dict[str, Any]] = None,
    **options: Any,
) -> Learner:
    """The same, up to the learner whose evidence is that of all traces: to dial options, to merge more, to keep its bytes."""
    start = Learner(_domain(domain), **options)
    storage = storage_options or {}
    if isinstance(traces, dask.bag.Bag):
        parts = traces.map_partitions(_learn_steps, start)
    else:
        found = _found(traces, problems, storage)
        if not found:
            raise SurefootError("name trajectories to learn from, or a folder of them")
        count = npartitions or min(len(found), 4 * _threads(client))
        # Neighbours differ little in size, so each partition takes every n-th file.
        shares = [found[first::count] for first in range(min(count, len(found)))]
        bag = dask.bag.from_sequence(shares, npartitions=len(shares))
        parts = bag.map_partitions(_learn_files, start, storage)
    # The partitions hold states already; a reduction merges them as a tree, and shows as such on the dashboard.
    tree = parts.reduction(_merge, _merge, split_every=split_every, name="surefoot-merge")
    state: _State = client.compute(tree).result() if client is not None else tree.compute()
    result, wrong = state
    if wrong is not None:
        raise wrong[1]
    merged = start.__copy__()
    if result is not None:
        merged.merge(result)
    return merged


def experiment(
    config: Union[str, "os.PathLike[str]"],
    output: Union[str, "os.PathLike[str]"],
    client: Any = None,
    *,
    traces_root: Optional[str] = None,
) -> Tuple[int, int]:
    """Runs the cells of an experiment configuration on a cluster; returns how many there are, and how many failed.

    `output` is the folder of the results, the same as of `surefoot experiment CONFIG -o OUTPUT`: cells that are there are not run
    again, each record is kept as soon as its cell ends, and the tables are written at the end. Workers have to see the
    configuration and its data at the same path.
    """
    path, folder = os.path.abspath(os.fspath(config)), os.fspath(output)
    root = None if traces_root is None else os.path.abspath(traces_root)
    parts = Parts(path, root)
    open_cells = parts.missing(folder)
    if client is None:
        tasks = [dask.delayed(_work)(path, root, cell) for cell in open_cells]
        for record in dask.compute(*tasks):
            parts.keep(folder, record)
    else:
        from distributed import as_completed

        futures = client.map(_work, [path] * len(open_cells), [root] * len(open_cells), open_cells, pure=False)
        for _, record in as_completed(futures, with_results=True):
            parts.keep(folder, record)
    return parts.finish(folder)


_opened: Dict[Tuple[str, Optional[str]], Parts] = {}


def _work(config: str, traces_root: Optional[str], cell: int) -> str:
    # A worker is asked about many cells of one experiment; its data are read once.
    key = (config, traces_root)
    if key not in _opened:
        _opened.clear()
        _opened[key] = Parts(config, traces_root)
    return _opened[key].work(cell)


def _domain(domain: Union[Domain, str, "os.PathLike[str]"]) -> Domain:
    return domain if isinstance(domain, Domain) else Domain.read(domain)


def _threads(client: Any) -> int:
    if client is None:
        return os.cpu_count() or 1
    return max(1, sum(client.nthreads().values()))


def _found(traces: Any, problems: Optional[str], storage: Dict[str, Any]) -> List[_Trace]:
    """The trajectories that paths name, in the order of one machine, and their problems."""
    names: Sequence[Any] = [traces] if isinstance(traces, (str, os.PathLike)) else list(traces)
    found: List[str] = []
    for name in map(os.fspath, names):
        system, path = fsspec.core.url_to_fs(name, **storage)
        if system.isdir(path):
            inside = sorted(file for file in system.ls(path, detail=False) if file.endswith(".trajectory"))
            if not inside:
                raise SurefootError(f"{name} holds no .trajectory files")
            # Messages name files as one machine would: by the path that was given.
            found += [_join(name, file.rsplit("/", 1)[-1]) for file in inside]
        else:
            found.append(name)
    listed: Dict[str, Set[str]] = {}

    def exists(path: str) -> bool:
        folder = path.rsplit("/", 1)[0] if "/" in path else "."
        if folder not in listed:
            system, inner = fsspec.core.url_to_fs(folder, **storage)
            try:
                listed[folder] = {file.rsplit("/", 1)[-1] for file in system.ls(inner, detail=False)}
            except OSError:
                listed[folder] = set()
        return path.rsplit("/", 1)[-1] in listed[folder]

    with_problems: List[_Trace] = []
    for number, path in enumerate(found):
        beside = _beside(path)
        if problems is not None:
            with_problems.append((number, path, _join(os.fspath(problems), beside.rsplit("/", 1)[-1])))
        else:
            with_problems.append((number, path, beside if exists(beside) else None))
    return with_problems


def _join(folder: str, name: str) -> str:
    return folder.rstrip("/") + "/" + name


def _is_local(path: str) -> bool:
    return "://" not in path and "::" not in path


def _observe(learner: Learner, traces: Sequence[_Trace], storage: Dict[str, Any]) -> Optional[Tuple[int, SurefootError]]:
    """Learns from traces, and returns the first thing wrong, if there is any."""
    wrong: List[Tuple[int, SurefootError]] = []
    # Local files are read in one call, without Python in between; it finds problems beside them as `_found` does.
    folders = {None if problem is None else str(Path(problem).parent) for _, path, problem in traces if _is_local(path)}
    beside = all(problem is None or problem == _beside(path) for _, path, problem in traces)
    together = [trace for trace in traces if _is_local(trace[1]) and (beside or len(folders) == 1)]
    if together:
        numbers = {path: number for number, path, _ in together}
        try:
            learner.observe([path for _, path, _ in together], problems=None if beside else folders.pop(), threads=1)
        except SurefootError as error:
            wrong.append((numbers.get(error.file or "", together[0][0]), error))
    for number, path, problem in traces:
        if _is_local(path) and together:
            continue
        try:
            learner.observe_text(_read(path, storage), path, None if problem is None else _read(problem, storage))
        except SurefootError as error:
            wrong.append((number, error))
            break
    return min(wrong, key=lambda pair: pair[0]) if wrong else None


def _beside(path: str) -> str:
    return path.rsplit(".", 1)[0] + ".pddl"


def _read(path: str, storage: Dict[str, Any]) -> bytes:
    try:
        with fsspec.open(path, "rb", **storage) as file:
            content: bytes = file.read()
            return content
    except FileNotFoundError as error:
        raise ReadError(f"error: there is no such file\n --> {path}", path) from error


def _learn_files(shares: Iterable[List[_Trace]], start: Learner, storage: Dict[str, Any]) -> List[_State]:
    learner = Learner.load(bytes(start), **start.options)
    for share in shares:
        wrong = _observe(learner, share, storage)
        if wrong is not None:
            # Errors are values here, so that which one is told does not depend on which task ends first.
            return [(None, wrong)]
    return [(learner, None)]


def _learn_steps(steps: Iterable[Any], start: Learner) -> List[_State]:
    learner = Learner.load(bytes(start), **start.options)
    learner.observe(steps)
    return [(learner, None)]


def _merge(states: Iterable[_State]) -> _State:
    merged: Optional[Learner] = None
    first: Optional[Tuple[int, SurefootError]] = None
    for learner, wrong in states:
        if wrong is not None and (first is None or wrong[0] < first[0]):
            first = wrong
        if learner is not None and first is None:
            if merged is None:
                # What another task may still need is not changed.
                merged = learner.__copy__()
            else:
                merged.merge(learner)
    return (None, first) if first is not None else (merged, None)
