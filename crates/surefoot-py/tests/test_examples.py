"""The examples run as they stand, and so does what docs/python.md prints."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve()


def beside(name: str) -> Path:
    """A file of the repository, or its copy beside the tests."""
    for folder in HERE.parents[1:4]:
        if (folder / name).exists():
            return folder / name
    pytest.skip(f"no {name} here")


def python(script, *words, cwd):
    told = subprocess.run([sys.executable, str(script), *map(str, words)], capture_output=True, text=True, cwd=cwd, timeout=300)
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout


def test_three_records_of_robots_are_learned_from(tmp_path):
    out = python(beside("examples/robots.py"), cwd=tmp_path)
    assert "(decrease (battery ?r) (* 2 (distance ?a ?b)))" in out
    assert "plan: [('move', 'r1', 'dock', 'shelf'), ('move', 'r1', 'shelf', 'gate')]" in out
    assert "is not applicable" in out and "told so: applicable" in out
    assert "the same model from two places: True" in out


def test_the_quick_start_tells_its_story(run, tmp_path):
    run("generate", "farmland", "--count", 20, "--traces", "-q", "-o", tmp_path / "farmland")
    out = python(beside("examples/quick_start.py"), "farmland", cwd=tmp_path)
    assert "in the real world valid" in out and "is not applicable" in out and "never hurts: applicable" in out


def test_the_dask_example_gives_the_same_bytes(run, tmp_path):
    pytest.importorskip("distributed")
    run("generate", "farmland", "--count", 20, "--traces", "-q", "-o", tmp_path / "farmland")
    assert "the same bytes as from one process: True" in python(beside("examples/dask_learning.py"), "farmland", cwd=tmp_path)


def test_a_log_of_a_warehouse_is_learned_from(tmp_path):
    for seed, folder in (1, "one"), (2, "two"):
        assert "992 rows" in python(beside("examples/warehouse/simulate.py"), "--seed", seed, "-o", folder, cwd=tmp_path)
    out = python(beside("examples/warehouse/learn.py"), "one", "two", cwd=tmp_path)
    shares = [int(share) for share in re.findall(r"(\d+)% of what worked in two is allowed, 0 of \d+ failures", out)]
    assert len(shares) == 2 and shares[0] >= 50 and shares[1] >= 80, out
    assert "Declared, not learned: (holds ?robot ?item)" in out


def test_the_notebook_runs(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    shutil.copy(beside("examples/quick_start.ipynb"), tmp_path)
    notebook = nbformat.read(tmp_path / "quick_start.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("<svg" in output.get("data", {}).get("text/html", "") for output in shown)


def test_the_page_on_python_works_word_for_word(tmp_path):
    section = beside("docs/python.md").read_text()
    shutil.copytree(beside("examples"), tmp_path / "examples")
    commands = [line.strip() for line in re.findall(r"^    (.+)$", re.sub(r"```.*?```", "", section, flags=re.S), re.M)]
    assert any("quick_start" in line for line in commands) and any("dask_learning" in line for line in commands)
    for line in commands:
        if line.startswith("pip install"):
            continue  # done: this is the installed wheel
        bin_folder = Path(sys.executable).parent
        told = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=300, env={"PATH": f"{bin_folder}:/usr/bin:/bin"})
        assert told.returncode == 0, line + told.stdout + told.stderr
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", section, re.S)):
        (tmp_path / f"block{number}.py").write_text(block)
        python(tmp_path / f"block{number}.py", cwd=tmp_path)
