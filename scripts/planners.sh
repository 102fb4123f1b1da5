#!/bin/sh
# Planners to test the adapters with and to compare against, into .tools/planners (or the folder given):
#   scripts/planners.sh [FOLDER]
# ENHSP is the jar inside the wheel up-enhsp from PyPI (needs Java to run, 17 or later). Metric-FF has no package; `ff` of the
# crate ferroplan-cli takes the same arguments and prints the same protocol. What is installed already is left alone. Prints,
# for `eval`, where they are:
#   eval "$(scripts/planners.sh)"
set -eu
cd "$(dirname "$0")/.."
enhsp_version=0.1.1
ff_version=0.30.0
folder=${1:-.tools/planners}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

jar=$folder/enhsp-$enhsp_version/up_enhsp/ENHSP/enhsp.jar
if [ ! -f "$jar" ]; then
    # The wheel's Python part, and what that depends on, is of no use here.
    fresh=$(mktemp -d "$folder/.enhsp-XXXXXX")
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --target "$fresh" "up-enhsp==$enhsp_version" >&2
    rm -rf "$folder/enhsp-$enhsp_version"
    mv "$fresh" "$folder/enhsp-$enhsp_version"
    chmod 755 "$folder/enhsp-$enhsp_version"
fi
[ -f "$jar" ] || { echo "up-enhsp $enhsp_version holds no $jar" >&2; exit 1; }

ff=$folder/ff-$ff_version/bin/ff
if [ ! -x "$ff" ]; then
    cargo install --quiet --locked --version "$ff_version" --root "$folder/ff-$ff_version" ferroplan-cli >&2
fi
[ -x "$ff" ] || { echo "ferroplan-cli $ff_version installed no $ff" >&2; exit 1; }

command -v java >/dev/null || echo "note: java is not installed; ENHSP needs it" >&2
printf 'export SUREFOOT_ENHSP=%s\n' "'$jar'"
printf 'export SUREFOOT_METRIC_FF=%s\n' "'$ff'"
