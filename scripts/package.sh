#!/bin/sh
# Packages the crates that are published, and compiles what is in the packages, away from the repository: whatever they include has to
# be inside them.
# usage: scripts/package.sh [FOLDER]      also copies the packages into FOLDER
set -eu
[ $# = 0 ] || { mkdir -p "$1"; set -- "$(cd "$1" && pwd)"; }
cd "$(dirname "$0")/.."
# In the order in which they depend on each other.
crates="surefoot-base surefoot-check surefoot-plan surefoot-learn surefoot-analysis surefoot surefoot-log surefoot-io surefoot-planminer surefoot-lab surefoot-cli"
cargo package --quiet --locked --no-verify --allow-dirty $(printf -- " -p %s" $crates)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for crate in $crates; do
    package=target/package/$crate-$version.crate
    tar -xzf "$package" -C "$scratch"
    for file in LICENSE-APACHE LICENSE-MIT README.md; do
        [ -f "$scratch/$crate-$version/$file" ] || { echo "$package has no $file" >&2; exit 1; }
    done
    [ $# = 0 ] || cp "$package" "$1"
done
# With the profiles and the versions of the workspace, what others depend on is built already.
{
    printf '[workspace]\nresolver = "3"\nmembers = ["*-%s"]\n[patch.crates-io]\n' "$version"
    for crate in $crates; do printf '%s = { path = "%s-%s" }\n' "$crate" "$crate" "$version"; done
    awk '/^\[/ { wanted = /^\[profile/ } wanted' Cargo.toml
} > "$scratch/Cargo.toml"
cp Cargo.lock "$scratch"
cargo check --quiet --target-dir target --manifest-path "$scratch/Cargo.toml" --workspace
echo "$crates: version $version can be packaged, and compiles from its packages"
