"""A learner is a value: what it says does not depend on how, where or in which order it was told."""

import copy
import os
import pickle
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from decimal import Decimal
from fractions import Fraction

import pytest

import surefoot
from surefoot import BadDataError, Domain, Learner, Problem, ReadError


def state(n, ready=True):
    return {"atoms": {("ready",)} if ready else set(), "values": {("n",): n}}


def step(n):
    return (state(n), ("up",), state(n + 1))


def steps_of(trajectory):
    states, actions = trajectory["states"], trajectory["actions"]
    return list(zip(states, actions, states[1:]))


def test_the_model_of_files_is_byte_for_byte_that_of_the_command_line(depots, run, tmp_path):
    learned = tmp_path / "learned.pddl"
    told = run("learn", "-q", "-d", depots / "domain.pddl", "-o", learned, "--state", tmp_path / "state.bin", depots)
    assert told.returncode == 0, told.stderr
    learner = Learner(Domain.read(depots / "domain.pddl"))
    assert learner.observe(depots) > 100
    assert learner.model().to_pddl() == learned.read_text()
    assert bytes(learner) == (tmp_path / "state.bin").read_bytes()
    assert surefoot.learn(depots / "domain.pddl", depots).to_pddl() == learned.read_text()
    assert Learner.load(tmp_path / "state.bin").model().to_pddl() == learned.read_text()


def test_python_objects_teach_what_files_teach(depots):
    domain = Domain.read(depots / "domain.pddl")
    from_files, from_trajectories, from_steps, shuffled = (Learner(domain) for _ in range(4))
    everything = []
    for path in sorted(depots.glob("*.trajectory")):
        from_files.observe(path)
        trajectory = surefoot.trace(domain, Problem.read(path.with_suffix(".pddl"), domain), path.with_suffix(".solution"))
        objects = trajectory.pop("objects")
        from_trajectories.observe(trajectory, objects=objects)
        assert from_steps.observe(steps_of(trajectory)) == len(trajectory["actions"])
        everything += steps_of(trajectory)
    random.Random(1).shuffle(everything)
    for one in everything:
        assert shuffled.observe(one) == 1
    assert from_files == from_trajectories == from_steps == shuffled
    # A state also remembers which files were read.
    assert bytes(from_steps) == bytes(from_trajectories) == bytes(shuffled)


def test_merging_is_commutative_and_idempotent_and_survives_pickling(depots):
    domain = Domain.read(depots / "domain.pddl")
    files = sorted(depots.glob("*.trajectory"))
    whole, left, right = Learner(domain), Learner(domain), Learner(domain)
    whole.observe(files)
    left.observe(files[:7])
    right.observe(files[7:])
    one, other = copy.copy(left), pickle.loads(pickle.dumps(right))
    one.merge(right)
    one.merge(right)
    one.merge(one)
    other.merge(left)
    assert bytes(one) == bytes(other) == bytes(whole)
    assert one.model().to_pddl() == whole.model().to_pddl()


def test_options_travel_with_pickles_but_not_with_bytes(counting):
    learner = Learner(counting, "nsam", arity=1, monotone={"(n)": "more"}, facet_budget=7)
    assert pickle.loads(pickle.dumps(learner)).options == learner.options
    assert Learner.load(bytes(learner)).options["algorithm"] == "nsam-star"
    assert Learner.load(bytes(learner), algorithm="sam").options["algorithm"] == "sam"


def test_learners_of_different_worlds_do_not_merge(counting):
    with pytest.raises(ValueError, match="different"):
        Learner(counting).merge(Learner(counting, decimals=3))
    with pytest.raises(ValueError, match="not a learner state"):
        Learner.load(b"something else")


def test_numbers_are_exact_and_floats_need_decimals(counting):
    learner = Learner(counting)
    for low, high in [(1, 2), (Fraction(1, 3), Fraction(4, 3)), ("0.1", "1.1"), (Decimal("0.2"), Decimal("1.2")), ("1/7", "8/7")]:
        learner.observe((state(low), ("up",), state(high)))
    learner.observe((state(10**30), ("up",), state(10**30 + 1)))
    assert learner.model().successor(state(Fraction(1, 3)), ("up",))["values"][("n",)] == Fraction(4, 3)
    assert learner.model().successor(state(10**30), ("up",))["values"][("n",)] == 10**30 + 1
    with pytest.raises(TypeError, match="decimals=N"):
        learner.observe((state(0.1), ("up",), state(1.1)))
    with pytest.raises(TypeError, match="expected a number"):
        learner.observe((state(True), ("up",), state(2)))
    rounding = Learner(counting, decimals=1)
    rounding.observe((state(0.1 + 0.2), ("up",), state(1.3)))
    assert rounding.model().applicable(state("0.3"), ("up",))


def test_a_state_may_be_a_pair_and_words_may_be_text(counting):
    one, other = Learner(counting), Learner(counting)
    one.observe(step(1))
    other.observe((({("ready",)}, {("n",): 1}), "(up)", (["ready"], {"n": 2})))
    assert one == other


@pytest.mark.parametrize(
    "broken, message",
    [
        (({"values": {("n",): 1}}, ("up",), state(2)), 'no "atoms"'),
        (({"atoms": {("ready",)}}, ("up",), state(2)), 'no "values"'),
        (({"atoms": {("steady",)}, "values": {}}, ("up",), state(2)), "no predicate 'steady'|no predicate \"steady\""),
        ((state(1), ("down",), state(2)), "no action"),
        ((state(1), ("up", "x"), state(2)), "takes 0 objects"),
        ((state("one"), ("up",), state(2)), "expected a number"),
        ({"states": [state(1)], "actions": [("up",)]}, "one state more"),
        ([step(1), "up"], "step 1"),
        (7, "expected a path"),
    ],
)
def test_what_is_no_step_is_refused_with_a_reason_and_teaches_nothing(counting, broken, message):
    learner = Learner(counting)
    with pytest.raises((ValueError, TypeError), match=message):
        learner.observe(broken)
    assert learner == Learner(counting)


def test_objects_get_their_types_from_their_use_in_one_call(depots):
    domain = Domain.parse(
        """(define (domain d) (:types truck boat - vehicle place) (:predicates (at ?v - vehicle ?p - place) (floats ?b - boat))
             (:action drive :parameters (?t - truck ?to - place)))"""
    )
    learner = Learner(domain)
    wrong = ({"atoms": {("floats", "t")}}, ("drive", "t", "a"), {"atoms": set()})
    with pytest.raises(ValueError, match="no type fits all places of \"t\""):
        learner.observe(wrong)
    # The same name in another record is another object.
    learner.observe(({"atoms": set()}, ("drive", "t", "a"), {"atoms": {("at", "t", "a")}}))
    learner.observe(({"atoms": set()}, ("drive", "a", "t"), {"atoms": {("at", "a", "t")}}))
    with pytest.raises(ValueError, match="no object"):
        learner.observe(({"atoms": set()}, ("drive", "t", "a"), {"atoms": set()}), objects={"t": "truck"})
    with pytest.raises(ValueError, match="is of type boat"):
        learner.observe(({"atoms": set()}, ("drive", "t", "a"), {"atoms": set()}), objects={"t": "boat", "a": "place"})


def test_a_state_changed_in_place_by_an_iterator_is_read_as_it_was_at_each_step(counting):
    def recorder():
        now = state(0)
        for n in range(3):
            before = copy.deepcopy(now)
            now["values"][("n",)] = n + 1
            yield (before, ("up",), now)

    in_place, apart = Learner(counting), Learner(counting)
    assert in_place.observe(recorder()) == 3
    for n in range(3):
        apart.observe(step(n))
    assert in_place == apart


def test_a_file_that_cannot_be_read_raises_with_its_place(depots, tmp_path):
    domain = Domain.read(depots / "domain.pddl")
    source = sorted(depots.glob("*.trajectory"))[0]
    text = source.read_text()
    broken = tmp_path / "broken.trajectory"
    broken.write_text(text.replace("(:state", "(:sate", 1))
    (tmp_path / "broken.pddl").write_text(source.with_suffix(".pddl").read_text())
    learner = Learner(domain)
    with pytest.raises(ReadError) as caught:
        learner.observe(broken)
    assert caught.value.file == str(broken) and caught.value.line >= 1 and caught.value.column >= 1
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.file, again.line, again.column) == (str(caught.value), caught.value.file, caught.value.line, caught.value.column)
    assert learner == Learner(domain)
    with pytest.raises(ReadError, match="no such file") as caught:
        learner.observe(tmp_path / "missing.trajectory")
    assert caught.value.file.endswith("missing.trajectory") and caught.value.line is None


def test_of_several_wrong_files_the_first_is_told_of_whoever_reads_first(depots, tmp_path):
    for number, source in enumerate(sorted(depots.glob("*.trajectory"))[:8]):
        (tmp_path / f"{number}.pddl").write_text(source.with_suffix(".pddl").read_text())
        (tmp_path / f"{number}.trajectory").write_text(source.read_text()[: -1 if number in (3, 6) else None] + " (")
        if number not in (3, 6):
            (tmp_path / f"{number}.trajectory").write_text(source.read_text())
    for _ in range(5):
        with pytest.raises(ReadError) as caught:
            Learner(Domain.read(depots / "domain.pddl")).observe(tmp_path)
        assert caught.value.file.endswith("3.trajectory")


def test_a_step_that_nothing_explains_raises_with_its_place(counting, tmp_path):
    learner = Learner(counting)
    trajectory = "((:init (ready) (= (n) 0))\n(operator: (up))\n(:state (ready) (= (n) 1))\n(operator: (up))\n(:state (ready) (= (n) 1)))"
    path = tmp_path / "day.trajectory"
    path.write_text(trajectory)
    learner.observe(path)
    assert learner.model().to_pddl()  # one map fits both steps
    path.write_text(trajectory[:-1] + "\n(operator: (up))\n(:state (ready) (= (n) 5)))")
    learner = Learner(counting)
    learner.observe(path)
    with pytest.raises(BadDataError) as caught:
        learner.model()
    assert caught.value.file == str(path) and caught.value.line in (2, 4, 6)
    assert "up" not in learner.model(on_bad_data="skip-action").domain.actions
    # The step from 1 to 1 may be the error, or the one from 1 to 5.
    with pytest.raises(BadDataError, match="A different set of steps, no larger, could be the wrong records instead"):
        surefoot.learn(counting, path, on_bad_data="quarantine")
    path.write_text(trajectory.replace("(= (n) 1)))", "(= (n) 2))\n(operator: (up))\n(:state (ready) (= (n) 3))\n(operator: (up))\n(:state (ready) (= (n) 9)))"))
    aside = surefoot.learn(counting, path, on_bad_data="quarantine")
    assert any("day.trajectory" in words for words in aside.assumptions)
    path.write_text("((:init (= (n) 0))\n(operator: (up))\n(:state))")
    with pytest.raises(BadDataError) as caught:
        learner.observe(path)
    assert (caught.value.line, caught.value.column) == (2, 12)
    with pytest.raises(BadDataError) as caught:
        learner.observe([step(0), (state(1), ("up",), {"atoms": set(), "values": {}})])
    assert caught.value.step == 1


STONES = "(define (domain d) (:predicates (dark)) (:functions (stone) (wood)) (:action collect :parameters ()))"


def stones(stone, wood=0):
    return {"atoms": set(), "values": {("stone",): stone, ("wood",): wood}}


def collected(count, cap=9):
    return [(stones(n % 10, n % 3), ("collect",), stones(min(n % 10 + 1, cap), n % 3)) for n in range(count)]


def test_what_bad_data_look_like_is_said_in_the_words_of_the_command_and_as_values(tmp_path):
    domain = Domain.parse(STONES)
    learner = Learner(domain)
    learner.observe(collected(75))
    with pytest.raises(BadDataError) as caught:
        learner.model()
    [found] = caught.value.diagnoses
    assert (found.kind, found.action, found.about) == ("pieces", "collect", ("(stone)",))
    assert (found.steps, found.looked_at, found.odd) == (75, 75, 7)
    assert found.details["condition"] == {"of": "(stone)", "relation": "equal", "number": "9", "known": [7, 68]}
    assert found.details["cap"] == "9" and found.details["unchanged"]
    assert found.places[0] == ("step 9 of call 0", 0, 0)
    assert str(found).startswith("collect: (stone): +1 in 68 steps, +0 in 7, all with (stone) = 9 (step 9 of call 0, ")
    assert str(found) in str(caught.value) and "unchanged=\"failed\"" in str(found)
    assert (caught.value.file, caught.value.step) == (None, 9)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.diagnoses[0].details == found.details and str(again.diagnoses[0]) == str(found)
    # Seven of 75 are too many to be recording errors; whoever knows better says so.
    for refused in (lambda: learner.model(on_bad_data="quarantine"), lambda: surefoot.learn(domain, collected(75), on_bad_data="quarantine")):
        with pytest.raises(BadDataError, match="too many to be single recording errors"):
            refused()
    model = learner.model(on_bad_data="quarantine", set_aside_steps=7)
    assert model.actions[0].set_aside == 7
    assert surefoot.learn(domain, collected(75), on_bad_data="quarantine", set_aside_share=0.1).actions[0].set_aside == 7


def test_the_same_policies_in_memory_as_on_files(counting, tmp_path):
    states = [{"atoms": {("ready",)}, "values": {("n",): n}} for n in (0, 1, 2, 3, 4, 40, 41)]
    steps = [(before, ("up",), after) for before, after in zip(states, states[1:])]
    path = tmp_path / "day.trajectory"
    body = "".join(f"(operator: (up))\n(:state (ready) (= (n) {after['values'][('n',)]}))\n" for _, _, after in steps)
    path.write_text(f"((:init (ready) (= (n) 0))\n{body})")
    learner = Learner(counting)
    learner.observe(steps)
    files = surefoot.learn(counting, path, on_bad_data="quarantine")
    body = lambda model: model.to_pddl().split("(define")[1]
    for memory in (learner.model(on_bad_data="quarantine"), surefoot.learn(counting, steps, on_bad_data="quarantine")):
        assert body(memory) == body(files)
        assert [row.set_aside for row in memory.actions] == [row.set_aside for row in files.actions]
    assert any("step 4 of call 0" in words for words in learner.model(on_bad_data="quarantine").assumptions)
    assert "up" not in surefoot.learn(counting, steps, on_bad_data="skip-action").domain.actions
    with pytest.raises(BadDataError) as memory:
        surefoot.learn(counting, steps)
    with pytest.raises(BadDataError) as files:
        surefoot.learn(counting, path)
    assert (memory.value.step, files.value.step) == (4, None) and files.value.file == str(path)
    assert [(found.kind, found.about, found.odd) for found in memory.value.diagnoses] == [
        (found.kind, found.about, found.odd) for found in files.value.diagnoses
    ]
    # A step that nothing explains by itself is bad data as well.
    odd = steps[:3] + [(states[0], ("up",), {"atoms": {("ready",)}, "values": {}})]
    with pytest.raises(BadDataError) as caught:
        surefoot.learn(counting, odd)
    assert caught.value.step == 3
    assert surefoot.learn(counting, odd, on_bad_data="quarantine").actions[0].set_aside == 1
    # What is not remembered cannot be set aside.
    with pytest.raises(ValueError, match="remembered"):
        pickle.loads(pickle.dumps(learner)).model(on_bad_data="quarantine")


def test_quarantine_finds_the_neighbours_of_an_error_however_steps_were_observed(counting):
    states = [{"atoms": {("ready",)}, "values": {("n",): n}} for n in (0, 1, 2, 3, 4, 40, 41)]
    steps = [(before, ("up",), after) for before, after in zip(states, states[1:])]
    body = lambda model: model.to_pddl().split("(define")[1]
    whole = Learner(counting)
    whole.observe(steps)
    expected = body(whole.model(on_bad_data="quarantine"))
    assert "2" in expected and "3" not in expected  # nor is the step from 3 to 4 learned from
    for portions in ([[step] for step in steps], [[step] for step in reversed(steps)], [steps[:4], steps[4:5], steps[5:]]):
        learner, other = Learner(counting), Learner(counting)
        for place, portion in enumerate(portions):
            (learner, other)[place % 2].observe(portion[0] if len(portion) == 1 else portion)
        learner.merge(other)
        assert body(learner.model(on_bad_data="quarantine")) == expected
    shuffled = steps[3:] + steps[:3]
    assert body(surefoot.learn(counting, shuffled, on_bad_data="quarantine")) == expected


def test_a_learner_reports_progress_and_stops_when_that_raises(depots):
    told = []
    learner = Learner(Domain.read(depots / "domain.pddl"))
    learner.observe(depots, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (20, 20)

    def refuse(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        learner.observe(depots, progress=refuse)


def test_reading_files_leaves_the_interpreter_to_other_threads(depots, tmp_path):
    many = tmp_path / "many"
    many.mkdir()
    text = sorted(depots.glob("*.trajectory"))[0]
    for number in range(3000):
        os.link(text, many / f"{number}.trajectory")
        os.link(text.with_suffix(".pddl"), many / f"{number}.pddl")
    ticks = []
    over = threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    Learner(Domain.read(depots / "domain.pddl")).observe(many, threads=1)
    over.set()
    thread.join()
    assert max(b - a for a, b in zip(ticks, ticks[1:])) < 0.5


def test_ctrl_c_stops_a_long_reading(depots, tmp_path):
    many = tmp_path / "many"
    many.mkdir()
    text = sorted(depots.glob("*.trajectory"))[0]
    for number in range(200):
        os.link(text, many / f"{number}.trajectory")
        os.link(text.with_suffix(".pddl"), many / f"{number}.pddl")
    script = textwrap.dedent(
        f"""
        import surefoot
        learner = surefoot.Learner({str(depots / "domain.pddl")!r})
        print("ready", flush=True)
        try:
            learner.observe([{str(many)!r}] * 2000)
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.7)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out == "stopped\n" and process.returncode == 0
    # Half a second, and what a busy machine adds.
    assert time.monotonic() - sent < 20


@pytest.mark.parametrize("choice", ["stop", "skip-action", "quarantine"])
@pytest.mark.parametrize("options", [{}, {"arity": 1, "positive_preconditions": True}, {"algorithm": "nsam", "digits": 3}])
def test_python_learns_what_the_command_learns_to_the_byte_whatever_is_done_about_bad_data(run, tmp_path, choice, options):
    domain = tmp_path / "domain.pddl"
    domain.write_text(
        "(define (domain tanks) (:types tank) (:predicates (open ?t - tank)) (:functions (level ?t - tank))"
        " (:action fill :parameters (?t - tank)))"
    )
    traces = []
    for number in range(5):
        state = lambda step: f"(open a) (= (level a) {3 * number + 2 * step + (number == 2 and step == 6)})"
        steps = "".join(f"(operator: (fill a))\n(:state {state(step)})\n" for step in range(1, 7))
        traces.append(tmp_path / f"p{number}.trajectory")
        traces[-1].write_text(f"((:init {state(0)})\n{steps})\n")
    words = [word for key, value in options.items() for word in ([f"--{key.replace('_', '-')}"] + ([] if value is True else [value]))]
    told = run("learn", "-q", "-d", domain, "-o", tmp_path / "learned.pddl", "--on-bad-data", choice, *words, *traces)
    try:
        model = surefoot.learn(domain, traces, on_bad_data=choice, **options)
    except surefoot.BadDataError:
        assert told.returncode == 2 and choice == "stop"
    else:
        assert told.returncode == 0, told.stderr
        assert model.to_pddl() == (tmp_path / "learned.pddl").read_text()
        assert ("Set aside" in model.to_pddl()) == (choice == "quarantine")
