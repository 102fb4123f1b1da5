#!/bin/sh
# Packages the crates that are published, and compiles what is in the packages, away from the repository: whatever they include has to
# be inside them.
# usage: scripts/package.sh [FOLDER]      also copies the packages into FOLDER
set -eu
[ $# = 0 ] || { mkdir -p "$1"; set -- "$(cd "$1" && pwd)"; }
cd "$(dirname "$0")/.."
cargo package --quiet --locked --no-verify --allow-dirty -p surefoot -p surefoot-log -p surefoot-cli
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for crate in surefoot surefoot-log surefoot-cli; do
    package=target/package/$crate-$version.crate
    tar -xzf "$package" -C "$scratch"
    for file in LICENSE-APACHE LICENSE-MIT README.md; do
        [ -f "$scratch/$crate-$version/$file" ] || { echo "$package has no $file" >&2; exit 1; }
    done
    [ $# = 0 ] || cp "$package" "$1"
done
# With the profiles and the versions of the workspace, what others depend on is built already.
{
    printf '[workspace]\nresolver = "3"\nmembers = ["surefoot-%s", "surefoot-log-%s", "surefoot-cli-%s"]\n' "$version" "$version" "$version"
    printf '[patch.crates-io]\nsurefoot = { path = "surefoot-%s" }\nsurefoot-log = { path = "surefoot-log-%s" }\n' "$version" "$version"
    awk '/^\[/ { wanted = /^\[profile/ } wanted' Cargo.toml
} > "$scratch/Cargo.toml"
cp Cargo.lock "$scratch"
cargo check --quiet --target-dir target --manifest-path "$scratch/Cargo.toml" --workspace
echo "surefoot, surefoot-log and surefoot-cli $version can be packaged, and compile from their packages"
