#!/usr/bin/env bash
# Prints `export SUREFOOT_CHROMIUM=...`: a browser for the tests that look at the report. Installs Debian's chromium where there is none.
set -euo pipefail

browser=${SUREFOOT_CHROMIUM:-$(command -v chromium || true)}
if [ -z "$browser" ]; then
  if ! command -v apt-get >/dev/null; then
    echo "browser.sh: there is no chromium and no apt-get; install chromium, or set SUREFOOT_CHROMIUM to a browser" >&2
    exit 1
  fi
  if [ "$(id -u)" != 0 ]; then
    echo "browser.sh: there is no chromium, and installing it needs root: sudo apt-get install chromium, or set SUREFOOT_CHROMIUM" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -q && apt-get install -y -q --no-install-recommends chromium; } >&2
  browser=$(command -v chromium)
fi
printf 'export SUREFOOT_CHROMIUM=%q\n' "$browser"
