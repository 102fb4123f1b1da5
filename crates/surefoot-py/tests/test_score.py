"""A model scored on a log, without the real domain."""

import pytest

import surefoot
from surefoot import Domain, Learner


def state(n, ready=True):
    return {"atoms": {("ready",)} if ready else set(), "values": {("n",): n}}


@pytest.fixture
def model(counting):
    learner = Learner(counting)
    learner.observe([(state(n), ("up",), state(n + 1)) for n in (0, 1)])
    return learner.model()


def test_steps_that_worked_and_attempts_that_failed_are_counted_apart(model):
    log = [
        (state(0), ("up",), state(1)),
        (state(2), ("up",), state(3)),
        (state(3), ("up",), None),
        (state(0, ready=False), ("up",), None),
        (state(None), ("up",), None),
        (state(1), ("up",), state(None)),
    ]
    score = model.score(log)
    assert (score.worked, score.allowed, score.mistaken) == (3, 2, 0)
    assert (score.failed, score.allowed_failures, score.undecided) == (2, 0, 1)
    assert score.recall == pytest.approx(2 / 3) and not score.contradicted
    assert score.actions["up"].allowed == 2 and "up" in str(score)


def test_what_contradicts_the_model_is_named_with_its_step(model):
    score = model.score([(state(0), ("up",), state(1)), (state(1), ("up",), None), (state(0), ("up",), state(7))])
    assert score.contradicted and (score.mistaken, score.allowed_failures) == (1, 1)
    assert score.contradictions == [
        "step 1: (up) failed, and the model allows it",
        "step 2: (up) led to another state than the model predicts",
    ]
    assert "contradicts" in str(score)


def test_trajectories_and_lists_of_them_are_scored_as_one_log(model):
    one = {"states": [state(0), None, state(1)], "actions": [("up",), ("up",)]}
    assert model.score(one).failed == 1
    both = model.score([one, {"states": [state(2), state(3)], "actions": [("up",)]}])
    assert (both.worked, both.allowed, both.failed, both.allowed_failures) == (2, 1, 1, 1)


def test_files_are_scored_like_steps(depots):
    domain = Domain.read(depots / "domain.pddl")
    files = sorted(depots.glob("*.trajectory"))
    model = surefoot.learn(domain, files[:5])
    score = model.score(files)
    assert 0 < score.recall < 1 and not score.contradicted and score.failed == 0
    assert model.score(files[:5]).recall == 1
    trajectories = []
    for path in files:
        problem = surefoot.Problem.read(path.with_suffix(".pddl"), domain)
        trajectory = surefoot.trace(domain, problem, path.with_suffix(".solution"))
        trajectories.append((trajectory, trajectory.pop("objects")))
    counted = [model.score(trajectory, objects=objects) for trajectory, objects in trajectories]
    assert sum(one.allowed for one in counted) == score.allowed and sum(one.worked for one in counted) == score.worked


def test_an_error_in_a_log_names_its_step(model):
    with pytest.raises(ValueError, match="^step 1: "):
        model.score([(state(0), ("up",), state(1)), (state(1), ("down",), None)])
