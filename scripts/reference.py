"""Runs the reference and surefoot on the same traces and prints one table. Called by reference.sh.

Times are CPU seconds (user and system), memory is the peak resident set of the process. Rejections are steps of the training traces
whose pre-state the written model rejects, exactly and with a tolerance of 0.1; wrong are accepted steps with another successor.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRACES = 80
LIMIT = int(os.environ.get("LIMIT", 300))
ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
ALGORITHMS = {"N-SAM": "nsam", "N-SAM*": "nsam-star"}


def traces_of(folder):
    return sorted(folder.glob("*.trajectory"))[:TRACES]


def relevant_map(corpus, name):
    folder = Path(os.environ.get("RELEVANT", corpus.parent / "relevant"))
    path = folder / f"{name}.json"
    return path if path.exists() else None


def run_reference(folder, algorithm, relevant, output):
    """In a process of its own: parses, learns, writes; prints what it took as JSON."""
    import logging

    logging.disable(logging.CRITICAL)
    from pddl_plus_parser.lisp_parsers import DomainParser, ProblemParser, TrajectoryParser
    from sam_learning.learners.baseline_learners.naive_numeric_sam import NaiveNumericSAMLearner
    from sam_learning.learners.numeric_sam import NumericSAMLearner

    start = time.process_time()
    domain = DomainParser(folder / "domain.pddl", partial_parsing=True).parse_domain()
    observations = []
    for path in traces_of(folder):
        problem = ProblemParser(path.with_suffix(".pddl"), domain).parse_problem()
        observations.append(TrajectoryParser(domain, problem).parse_trajectory(path))
    parsed = time.process_time()
    fluents = None
    if relevant:
        fluents = {action: [text.replace(" )", ")") for text in texts] for action, texts in json.loads(relevant.read_text()).items()}
    learner = NaiveNumericSAMLearner if algorithm == "N-SAM" else NumericSAMLearner
    model, _ = learner(domain, relevant_fluents=fluents).learn_action_model(observations)
    learned = time.process_time()
    output.write_text(model.to_pddl())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"parse": parsed - start, "learn": learned - parsed, "memory": peak}))


def measured(command, environment=None):
    """Runs a command; its output, CPU seconds and peak MB. None where it takes too long or fails."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment)
        deadline = time.monotonic() + LIMIT
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                process.kill()
                os.wait4(process.pid, 0)
                return None, "out of time"
            time.sleep(0.02)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            lines = err.read().decode(errors="replace").strip().splitlines()
            return None, (lines or ["failed"])[-1][:100]
        return (out.read().decode(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024), ""


def size_of(model):
    text = model.read_text()
    return len(re.findall(r"\((?:<=|>=|<|>|=) ", text)), len(text)


def judged(folder, model):
    command = [TARGET / "rejections", folder / "domain.pddl", model, *traces_of(folder)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        return ["?"] * 4
    return result.stdout.split()


def row(cells):
    widths = [15, 8, 10, 8, 8, 8, 7, 9, 9, 7, 11, 10]
    print("".join(str(cell).ljust(width) if index < 3 else str(cell).rjust(width) for index, (cell, width) in enumerate(zip(cells, widths))), flush=True)


def main():
    corpus = Path(sys.argv[1])
    names = sys.argv[2:] or sorted(path.name for path in corpus.iterdir() if path.is_dir())
    row(["domain", "learner", "program", "parse s", "learn s", "MB", "steps", "rejected", "tol 0.1", "wrong", "conditions", "bytes"])
    for name in names:
        folder, relevant = corpus / name, relevant_map(corpus, name)
        for algorithm, flag in ALGORITHMS.items():
            with tempfile.TemporaryDirectory() as scratch:
                model = Path(scratch) / "reference.pddl"
                environment = {**os.environ, "CONVEX_HULL_ERROR_PATH": str(Path(scratch) / "errors.txt")}
                command = [sys.executable, __file__, "--one", str(folder), algorithm, str(relevant or ""), str(model)]
                result, why = measured(command, environment)
                if result:
                    cost = json.loads(result[0].strip().splitlines()[-1])
                    figures = [f"{cost['parse']:.1f}", f"{cost['learn']:.1f}", f"{cost['memory']:.0f}"]
                    row([name, algorithm, "reference", *figures, *judged(folder, model), *size_of(model)])
                else:
                    row([name, algorithm, "reference", why])
                model = Path(scratch) / "surefoot.pddl"
                command = [TARGET / "surefoot", "learn", "-d", folder / "domain.pddl", "-o", model, "--quiet", "--algorithm", flag]
                command += ["--decimals", "6", "--on-bad-data", "quarantine"] if name == "satellite" else []
                command += ["--relevant", relevant] if relevant else []
                result, why = measured([*command, *traces_of(folder)])
                if result:
                    row([name, algorithm, "surefoot", "", f"{result[1]:.2f}", f"{result[2]:.0f}", *judged(folder, model), *size_of(model)])
                else:
                    row([name, algorithm, "surefoot", why])
    print("surefoot's time is the whole command, reading included; its memory is no less than that of this script, which starts it")
    print("satellite has four failed steps among its traces, which surefoot sets aside")


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        folder, algorithm, relevant, output = sys.argv[2:6]
        run_reference(Path(folder), algorithm, Path(relevant) if relevant else None, Path(output))
    else:
        main()
