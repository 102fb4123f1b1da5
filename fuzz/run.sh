#!/bin/sh
# Runs every fuzz target for SECONDS (60 unless told), one after the other, from the seeds.
# What is found on the way stays in fuzz/corpus/<target>, inputs that fail in fuzz/artifacts/<target>.
set -eu
seconds=${1:-60}
cd "$(dirname "$0")/.."
cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked
# The sanitizer needs flags that are unstable; this lets a stable toolchain take them.
export RUSTC_BOOTSTRAP=1
failed=""
for target in sexpr domain problem trajectory plan; do
  mkdir -p "fuzz/corpus/$target"
  echo "== $target, $seconds s"
  # The first folder takes what is found, the second is only read.
  cargo fuzz run "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
    -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 || failed="$failed $target"
done
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
