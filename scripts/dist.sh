#!/bin/sh
# Packs a built command for those who have no toolchain: the binary, its manual pages and completions, licences, README, changelog.
# usage: scripts/dist.sh BINARY NAME FOLDER      writes FOLDER/NAME.tar.gz
set -eu
binary=$(realpath "$1") name=$2
mkdir -p "$3"
output=$(cd "$3" && pwd)/$name.tar.gz
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=$scratch/$name
mkdir -p "$folder/completions"
cp "$binary" README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$folder"
"$binary" manual -o "$folder/man1"
for shell in bash zsh fish elvish powershell; do
    "$binary" completions "$shell" > "$folder/completions/surefoot.$shell"
done
tar -czf "$output" -C "$scratch" "$name"
echo "$output"
