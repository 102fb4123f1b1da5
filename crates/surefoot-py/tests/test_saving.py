"""A model saved is the model loaded, and nothing else passes for it."""

import io
import json
import zipfile

import pytest

import surefoot
from surefoot import Domain, Learner, Model, Problem, SurefootError


def parts(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def saved(farmland, tmp_path):
    learner = Learner(Domain.read(farmland / "domain.pddl"), arity=3, decimals=6)
    learner.observe(farmland)
    model = learner.model(monotone={"move-slow": {"(x ?f1)": "more"}})
    model.save(tmp_path / "farm.surefoot")
    return model, tmp_path / "farm.surefoot"


def test_a_loaded_model_is_the_saved_one_and_can_all_it_could(saved, farmland, tmp_path, run):
    model, path = saved
    again = Model.load(path)
    assert again == model and hash(again) == hash(model) and again != Learner(Domain.read(farmland / "domain.pddl")).model()
    assert (again.to_pddl(), again.options, again.assumptions) == (model.to_pddl(), model.options, model.assumptions)
    assert again.actions == model.actions and again.certificate() == model.certificate()
    problem = Problem.read(farmland / "farmland-0-0001.pddl", model)
    action = ("move-slow", "farm0", "farm1")
    assert str(again.explain(problem.initial_state, action)) == str(model.explain(problem.initial_state, action))
    assert surefoot.plan(again, problem, time_limit=5).status == surefoot.plan(model, problem, time_limit=5).status
    assert again.score(farmland) == model.score(farmland)
    # Its parts are files that the command knows.
    for name, content in parts(path).items():
        (tmp_path / name).write_bytes(content)
    words = ["check", "-d", farmland / "domain.pddl", "-m", tmp_path / "model.pddl", "-c", tmp_path / "certificate.json", farmland]
    checked = run(*words)
    assert checked.returncode == 0, checked.stderr + checked.stdout


def test_the_same_model_has_the_same_bytes(saved, tmp_path):
    model, path = saved
    Model.load(path).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["again", "farm.surefoot"], "nothing unfinished is left behind"


def test_a_model_of_steps_of_python_is_saved_without_a_certificate(counting, tmp_path):
    def state(n):
        return {"atoms": {("ready",)}, "values": {("n",): n}}

    learner = Learner(counting)
    learner.observe([(state(n), ("up",), state(n + 1)) for n in range(4)])
    learner.model().save(tmp_path / "model")
    again = Model.load(tmp_path / "model")
    assert again == learner.model() and "certificate.json" not in parts(tmp_path / "model")
    with pytest.raises(ValueError, match="traces="):
        again.certificate()


def test_a_model_that_is_not_safe_says_so_when_loaded(depots, tmp_path):
    model = surefoot.learn(depots / "domain.pddl", depots, algorithm="planminer")
    model.save(tmp_path / "model")
    again = Model.load(tmp_path / "model")
    assert again.not_safe == model.not_safe and again.to_pddl() == model.to_pddl() and again == model


@pytest.mark.parametrize("part", ["model.pddl", "certificate.json", "learner.state", "surefoot-model.json"])
@pytest.mark.parametrize("damage", ["changed", "gone"])
def test_what_was_changed_is_not_loaded(saved, tmp_path, part, damage):
    _, path = saved
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in parts(path).items():
            if name != part:
                archive.writestr(name, content)
            elif damage == "changed":
                archive.writestr(name, content.replace(b"1", b"2"))
    (tmp_path / "broken").write_bytes(target.getvalue())
    with pytest.raises(SurefootError, match="damaged|no saved model|format") as caught:
        Model.load(tmp_path / "broken")
    assert caught.value.file == str(tmp_path / "broken")


def test_other_files_and_later_formats_are_told_apart(saved, tmp_path):
    _, path = saved
    (tmp_path / "text").write_text("(define (domain d))")
    with pytest.raises(SurefootError, match="no saved model"):
        Model.load(tmp_path / "text")
    (tmp_path / "cut").write_bytes(path.read_bytes()[:-40])
    with pytest.raises(SurefootError, match="no saved model"):
        Model.load(tmp_path / "cut")
    with pytest.raises(FileNotFoundError):
        Model.load(tmp_path / "missing")
    later = parts(path)
    head = json.loads(later["surefoot-model.json"])
    later["surefoot-model.json"] = json.dumps({**head, "format": 9}).encode()
    with zipfile.ZipFile(tmp_path / "later", "w") as archive:
        for name, content in later.items():
            archive.writestr(name, content)
    with pytest.raises(SurefootError, match="format 9"):
        Model.load(tmp_path / "later")
