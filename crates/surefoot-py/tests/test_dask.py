"""A cluster of real processes learns what one process learns, whatever happens to it on the way."""

import os
import shutil
import signal
import time

import pytest

import surefoot
from surefoot import Domain, Learner, Problem, ReadError

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
import dask.bag  # noqa: E402

import surefoot.dask  # noqa: E402


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as client:
            yield client


def test_the_model_is_byte_identical_to_that_of_one_process(depots, client):
    alone = surefoot.learn(depots / "domain.pddl", depots)
    together = surefoot.dask.learn(depots / "domain.pddl", str(depots), client, npartitions=7, split_every=2)
    assert together.to_pddl() == alone.to_pddl()
    assert surefoot.dask.learn(depots / "domain.pddl", depots, client, arity=1).to_pddl() == surefoot.learn(
        depots / "domain.pddl", depots, arity=1
    ).to_pddl()
    one = Learner(Domain.read(depots / "domain.pddl"))
    one.observe(depots)
    assert bytes(surefoot.dask.learner(depots / "domain.pddl", [str(depots)], client)) == bytes(one)


def test_what_trajectories_take_for_granted_reaches_the_model(depots, client, tmp_path):
    for file in depots.iterdir():
        if file.suffix in (".pddl", ".trajectory"):
            text = file.read_text()
            assumed = f"; assumed: Nobody touched {file.stem}.\n" if file.suffix == ".trajectory" else ""
            (tmp_path / file.name).write_text(assumed + text)
    together = surefoot.dask.learn(tmp_path / "domain.pddl", str(tmp_path), client, npartitions=7, split_every=2)
    assert together.to_pddl() == surefoot.learn(tmp_path / "domain.pddl", tmp_path).to_pddl()
    assert "Nobody touched depots-0-0003." in together.assumptions


def test_without_a_client_the_current_scheduler_does_the_work(depots):
    with dask.config.set(scheduler="synchronous"):
        together = surefoot.dask.learn(depots / "domain.pddl", str(depots))
    assert together.to_pddl() == surefoot.learn(depots / "domain.pddl", depots).to_pddl()


def test_what_fsspec_opens_is_read(depots, client):
    import fsspec

    with dask.config.set(scheduler="synchronous"):  # the memory of this process is no place for others
        system = fsspec.filesystem("memory")
        for file in depots.iterdir():
            if file.suffix in (".pddl", ".trajectory"):
                system.pipe(f"/traces/{file.name}", file.read_bytes())
        in_memory = surefoot.dask.learn(depots / "domain.pddl", "memory://traces")
        assert in_memory.to_pddl() == surefoot.learn(depots / "domain.pddl", depots).to_pddl()
        text = system.cat("/traces/depots-0-0003.trajectory")
        system.pipe("/traces/depots-0-0003.trajectory", text[:-200])
        with pytest.raises(ReadError) as caught:
            surefoot.dask.learn(depots / "domain.pddl", "memory://traces")
        assert caught.value.file == "memory://traces/depots-0-0003.trajectory"


def test_a_bag_of_steps_teaches_what_files_teach(depots, client):
    domain = Domain.read(depots / "domain.pddl")
    steps = []
    for path in sorted(depots.glob("*.solution")):
        trajectory = surefoot.trace(domain, Problem.read(path.with_suffix(".pddl"), domain), path)
        steps += zip(trajectory["states"], trajectory["actions"], trajectory["states"][1:])
    one = Learner(domain)
    one.observe(depots)
    # Objects of different traces have the same names and one type each, so that steps may be mixed.
    bag = dask.bag.from_sequence(steps, npartitions=5)
    # A state also remembers which files were read; equality is about the steps.
    assert surefoot.dask.learner(domain, bag, client) == one


def test_records_that_are_not_exact_merge_as_well(client):
    domain = Domain.parse("""(define (domain tank) (:functions (temperature))
        (:action heat :parameters () :precondition () :effect (assign (temperature) (+ (* 0.97 (temperature)) 2.4))))""")
    values = [20.0]
    for _ in range(40):
        values.append(0.97 * values[-1] + 2.4)
    states = [{"atoms": set(), "values": {("temperature",): value}} for value in values]
    steps = [(before, ("heat",), after) for before, after in zip(states, states[1:])]
    options = {"error": 1e-9, "effect_decimals": 2}
    one = Learner(domain, **options)
    one.observe(steps)
    together = surefoot.dask.learner(domain, dask.bag.from_sequence(steps, npartitions=5), client, **options)
    assert together == one and together.model().to_pddl() == one.model().to_pddl()
    assert "(assign (temperature) (+ (* 0.97 (temperature)) 2.4))" in one.model().to_pddl()


def finished(dask_scheduler):
    return sum(task.state in ("memory", "released") for task in dask_scheduler.tasks.values())


def test_a_worker_that_is_killed_makes_no_difference(depots, tmp_path):
    """The first worker to start a partition is killed by a signal while others work; its partitions are done again elsewhere."""
    alone = surefoot.learn(depots / "domain.pddl", depots).to_pddl()
    many = tmp_path / "many"
    many.mkdir()
    for copy in range(40):
        for file in depots.glob("*.trajectory"):
            os.link(file, many / f"{copy}-{file.name}")
            os.link(file.with_suffix(".pddl"), many / f"{copy}-{file.stem}.pddl")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as client:
            pids = client.run(os.getpid)
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(1) as pool:
                future = pool.submit(surefoot.dask.learn, depots / "domain.pddl", str(many), client, npartitions=60)
                deadline = time.monotonic() + 60
                # In the middle: some partitions are done, others are not.
                while time.monotonic() < deadline and not future.done():
                    if client.run_on_scheduler(finished) > 5:
                        break
                assert not future.done(), "the work was over before a worker could be killed"
                os.kill(next(iter(pids.values())), signal.SIGKILL)
                model = future.result(timeout=120)
            assert set(client.run(os.getpid).values()) != set(pids.values())
    assert model.to_pddl() == alone


def test_a_corrupt_trace_raises_the_error_of_one_machine_and_names_the_file(depots, client, tmp_path):
    shutil.copytree(depots, tmp_path / "traces")
    for name in ("depots-0-0011.trajectory", "depots-0-0004.trajectory"):
        path = tmp_path / "traces" / name
        path.write_text(path.read_text()[:-200])
    with pytest.raises(ReadError) as alone:
        surefoot.learn(depots / "domain.pddl", tmp_path / "traces")
    for npartitions in (1, 4, 20):
        with pytest.raises(ReadError) as together:
            surefoot.dask.learn(depots / "domain.pddl", str(tmp_path / "traces"), client, npartitions=npartitions)
        one, other = alone.value, together.value
        assert str(other) == str(one) and one.file.endswith("depots-0-0004.trajectory")
        assert (other.file, other.line, other.column) == (one.file, one.line, one.column)


def test_steps_that_contradict_each_other_across_partitions_are_named(client, tmp_path):
    domain = tmp_path / "domain.pddl"
    domain.write_text("(define (domain d) (:predicates) (:functions (n)) (:action up :parameters ()))")
    for number, after in enumerate([1, 1, 7]):
        (tmp_path / f"{number}.trajectory").write_text(f"((:init (= (n) 0)) (operator: (up)) (:state (= (n) {after})))")
    with pytest.raises(surefoot.BadDataError) as alone:
        surefoot.learn(domain, tmp_path)
    with pytest.raises(surefoot.BadDataError) as together:
        surefoot.dask.learn(domain, str(tmp_path), client, npartitions=3)
    assert together.value.file == alone.value.file and together.value.file is not None


def test_an_experiment_on_a_cluster_gives_the_tables_of_one_machine(client, run, tmp_path):
    config = tmp_path / "small.toml"
    config.write_text(
        """title = "Small"
seed = 1
folds = 3
traces = [1, 4]
algorithms = ["nsam", "nsam-star"]
[[setting]]
name = "plain"
[[domain]]
name = "farmland"
generate = "farmland"
problems = 9
[[domain]]
name = "counters"
generate = "counters"
problems = 9
"""
    )
    alone = run("experiment", config, "-o", tmp_path / "alone", "-q")
    assert alone.returncode == 0, alone.stderr
    cells, failed = surefoot.dask.experiment(config, tmp_path / "together", client)
    assert (cells, failed) == (24, 0)
    for table in ("results.csv", "summary.csv", "experiment.json"):
        assert (tmp_path / "together" / table).read_bytes() == (tmp_path / "alone" / table).read_bytes()
    # What is there is not done again.
    assert surefoot.dask.experiment(config, tmp_path / "together", None) == (24, 0)
