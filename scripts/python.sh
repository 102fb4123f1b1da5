#!/usr/bin/env bash
# Builds the wheel, installs it into a fresh environment, and runs the tests of the Python package against what is installed.
# usage: scripts/python.sh [PROFILE]      a profile of Cargo.toml; release without it
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
profile=${1:-release}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 -m venv "$scratch/venv"
python="$scratch/venv/bin/python"
"$python" -m pip install --quiet --upgrade pip 'maturin>=1.9,<2'
(cd "$root/crates/surefoot-py" && "$scratch/venv/bin/maturin" build --locked --profile "$profile" --out "$scratch/wheel")
wheel=$(echo "$scratch"/wheel/*.whl)

# The source distribution has all that a build needs: licences, and crates whose manifests fit together. (Its lock file still names what
# is left out of it, so it is not locked.)
(cd "$root/crates/surefoot-py" && "$scratch/venv/bin/maturin" sdist --out "$scratch/sdist")
mkdir "$scratch/sources"
tar -xzf "$scratch"/sdist/*.tar.gz -C "$scratch/sources" --strip-components 1
ls "$scratch"/sources/LICENSE-* "$scratch"/sources/Cargo.lock >/dev/null
cargo metadata --quiet --offline --format-version 1 --manifest-path "$scratch/sources/crates/surefoot-py/Cargo.toml" >/dev/null
"$python" -m pip install --quiet "${wheel}[up,dask]" up-enhsp numpy pandas polars pyarrow pytest mypy nbclient nbformat ipykernel

# Outside of the source tree, so that what is imported is what was installed.
cp -r "$root/crates/surefoot-py/tests" "$root/examples" "$root/docs" "$scratch"
cd "$scratch"
"$python" -m pytest -q -p no:cacheprovider --import-mode=importlib tests

size=$(stat -c %s "$wheel")
echo "the wheel has $((size / 1000)) kB"
[ "$size" -le 10000000 ]

# For whoever needs an installed package next: scripts/worlds.sh.
mkdir -p "$root/target/wheels"
rm -f "$root"/target/wheels/surefoot-*.whl
cp "$wheel" "$root/target/wheels"
