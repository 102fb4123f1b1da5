#!/bin/sh
# The published Python implementation (n-sam, from PyPI) and surefoot on the same traces, side by side:
#   scripts/reference.sh CORPUS [DOMAIN...]        RELEVANT=<folder of NAME.json> for the maps (default: CORPUS/../relevant)
# Time limit of one run of the reference: LIMIT seconds (default 300). Everything is installed in .tools/.
set -eu
cd "$(dirname "$0")/.."
corpus=$(realpath "${1:-${SUREFOOT_CORPUS:?name the folder of the published data}}")
[ $# -gt 0 ] && shift
tools=.tools/reference
if [ ! -x "$tools/bin/python" ]; then
    python3 -m venv "$tools"
    # n-sam declares no dependencies.
    "$tools/bin/pip" install --quiet n-sam==1.3.1 pddl-plus-parser==3.17.0 numpy==2.4.6 pandas==3.1.1 scipy==1.17.1 \
        scikit-learn==1.9.1 sympy==1.14.0 anytree==2.13.0 networkx==3.6.1 matplotlib==3.11.2
fi
cargo build --release --quiet --bin surefoot
cargo build --release --quiet -p surefoot-measure --bin rejections
exec "$tools/bin/python" scripts/reference.py "$corpus" "$@"
