#!/usr/bin/env python3
"""Follows a walk-through: runs the commands that a page shows, in order, and compares what they print with what the page shows.

    scripts/walk.py docs/logs.md [--binary target/release/surefoot] [--update]

A fenced block `console` holds commands, each after `$ `, and what they print. A line `...` stands for any lines. A block after a comment
`<!-- file: NAME -->` is written to that file first, as a reader would. Everything happens in a scratch folder with `examples` beside it.
With `--update` what is shown becomes what was printed; what a `...` leaves out stays out as long as the rest agrees.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"<!-- file: (\S+) -->\s*$")


def commands(block):
    """The commands of a block, each with the lines shown below it."""
    found = []
    lines = iter(block.splitlines())
    for line in lines:
        if line.startswith("$ "):
            typed = [line]
            while typed[-1].endswith("\\"):
                typed.append(next(lines))
            found.append((typed, []))
        elif found:
            found[-1][1].append(line)
        else:
            raise SystemExit(f"a console block starts with no command: {line}")
    return found


def agree(shown, printed):
    """Whether the lines shown are those printed, `...` standing for any."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(agree(shown[1:], printed[start:]) for start in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and agree(shown[1:], printed[1:])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("page", type=Path)
    options.add_argument("--binary", type=Path, default=ROOT / "target/release/surefoot")
    options.add_argument("--update", action="store_true")
    given = options.parse_args()
    text = given.page.read_text()
    differ = ran = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "walk")
        folder.mkdir()
        (folder / "examples").symlink_to(ROOT / "examples")
        tools = Path(scratch, "bin")
        tools.mkdir()
        (tools / "surefoot").symlink_to(given.binary.resolve(strict=True))
        # As in a terminal that is 100 columns wide and has no colours.
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "COLUMNS": "100", "NO_COLOR": "1"}
        pieces, end = [], 0
        for fence in FENCE.finditer(text):
            pieces.append(text[end : fence.start()])
            end = fence.end()
            name = NAMED.search(text[: fence.start()])
            if name:
                (folder / name[1]).write_text(fence[2])
            if fence[1] != "console":
                pieces.append(fence[0])
                continue
            lines = []
            for typed, shown in commands(fence[2]):
                command = "\n".join(typed)[2:]
                done = subprocess.run(
                    ["bash", "-c", command], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
                )
                ran += 1
                printed = [line.rstrip() for line in done.stdout.splitlines()]
                if not agree(shown, printed):
                    differ += 1
                    print(f"$ {command}\n--- shown\n" + "\n".join(shown) + "\n--- printed\n" + "\n".join(printed))
                    shown = printed if given.update else shown
                lines += typed + shown
            pieces.append("```console\n" + "\n".join(lines) + "\n```")
        pieces.append(text[end:])
    if given.update:
        given.page.write_text("".join(pieces))
    print(f"{given.page}: {ran} commands, {differ} print something else than shown")
    sys.exit(1 if differ and not given.update else 0)


if __name__ == "__main__":
    main()
