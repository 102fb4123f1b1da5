#!/usr/bin/env bash
# Worlds nobody here wrote: runs each script of examples/worlds where its package installs from PyPI, and says so where it does not.
# usage: scripts/worlds.sh [WHEEL]      a wheel of surefoot; without it the one that scripts/python.sh left in target/wheels
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
wheel=${1:-$(ls -t "$root"/target/wheels/*.whl | head -n 1)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 -m venv "$scratch/venv"
python="$scratch/venv/bin/python"
"$python" -m pip install --quiet --disable-pip-version-check "$wheel" pandas
# Our own first: allowed, forbidden or unknown, and neither of the first two is ever wrong.
"$python" "$root/scripts/warehouse_answers.py"
cp -r "$root/examples/worlds" "$scratch"
cd "$scratch/worlds"

world() { # its script, and the package it is of
  printf '\n-- %s\n' "$1"
  if "$python" -m pip install --quiet --disable-pip-version-check --only-binary :all: "$2" 2>"$scratch/pip" ||
    "$python" -m pip install --quiet --disable-pip-version-check "$2" 2>"$scratch/pip"; then
    "$python" "$1"
  else
    echo "$2 does not install from PyPI here: left out ($(grep -m 1 ERROR "$scratch/pip" || echo 'see pip'))"
  fi
}
world crafter_world.py crafter
world taxi_world.py gymnasium
world lab_world.py pylabrobot
echo
echo "all worlds done after $SECONDS s"
