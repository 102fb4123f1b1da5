#!/usr/bin/env bash
# Records that are not exact, end to end: a tank whose temperature was computed in floats (FOLDER with domain.pddl and one.trajectory) is
# learned with --error, checked, planned with, and the plan is run in the real domain.
#   scripts/inexact.sh FOLDER [SUREFOOT]
set -euo pipefail
folder=$(realpath "$1")
surefoot=$(realpath "${2:-target/release/surefoot}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cat > new.pddl <<'PDDL'
(define (problem new) (:domain float-dynamics) (:objects tank)
  (:init (= (temperature tank) 30)) (:goal (>= (temperature tank) 60)))
PDDL
for options in "--error 1e-9" "--error 1e-9 --effect-decimals 2"; do
  # shellcheck disable=SC2086
  "$surefoot" learn -q -d "$folder/domain.pddl" -o learned.pddl --certificate learned.json $options "$folder/one.trajectory"
  "$surefoot" check -q -d "$folder/domain.pddl" -m learned.pddl -c learned.json "$folder/one.trajectory" > /dev/null
  "$surefoot" problem -q -d learned.pddl -p new.pddl -o with-margins.pddl
  "$surefoot" plan -q -d learned.pddl -p with-margins.pddl -o plan
  "$surefoot" validate -q -d "$folder/domain.pddl" -p new.pddl plan > /dev/null
  echo "$options: learned, accepted, a plan of $(grep -c '^(' plan) steps that works"
done
