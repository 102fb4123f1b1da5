#!/usr/bin/env bash
# SAM of AMLGym beside ours, on AMLGym's own benchmarks and by its own evaluation functions: a table of scores and times.
# usage: scripts/amlgym.sh [WHEEL]      a wheel of surefoot; built without it. AMLGYM_FULL=1 installs all of AMLGym (several GB) and
#                                       also solves problems with its planner.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
venv=${AMLGYM_VENV:-$root/.tools/amlgym}
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --upgrade pip
fi
pip() { "$venv/bin/python" -m pip install --quiet "$@"; }
if [ -n "${AMLGYM_FULL:-}" ]; then
  pip amlgym==1.0.13
else
  # Its SAM and its metrics, without the algorithms that learn with neural networks or answer sets.
  pip --no-deps amlgym==1.0.13
  pip numpy scikit-learn alive-progress 'unified-planning>=1.3,<2' tarski clingo pyyaml n-sam==1.3.1 pddl-plus-parser==3.14.7 \
    sympy anytree scipy pandas matplotlib seaborn
fi
pip "${1:-$root/crates/surefoot-py}"
cd "$(mktemp -d)"
"$venv/bin/python" "$root/scripts/amlgym_table.py"
