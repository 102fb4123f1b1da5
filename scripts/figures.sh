#!/bin/sh
# The project's figures against their targets, as one table:
#   scripts/figures.sh CORPUS        (or SUREFOOT_CORPUS; RELEVANT=<folder of NAME.json>, default CORPUS/../relevant)
# Needs python3; SciPy, for Qhull, is installed in .tools/. Takes a few minutes.
set -eu
cd "$(dirname "$0")/.."
corpus=$(realpath "${1:-${SUREFOOT_CORPUS:?name the folder of the published data}}")
tools=.tools/qhull
if [ ! -x "$tools/bin/python" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet numpy==2.4.6 scipy==1.17.1
fi
cargo build --release --quiet --bin surefoot
cargo build --release --quiet -p surefoot-measure --bins
"$tools/bin/python" scripts/figures.py "$corpus"
# 0 training pre-states rejected, 0 wrong effects.
SUREFOOT_CORPUS=$corpus cargo test --release --quiet -p surefoot --test corpus -- --ignored --nocapture learning |
    grep -E 'rejected|test result'
