#!/usr/bin/env bash
# Runs every fuzzer of the module for the given time each, one after the other.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-1m}
grep -rl --include='*_test.go' '^func Fuzz' server | sort | while read -r file; do
  dir=$(dirname "$file")
  sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$file" | while read -r name; do
    echo "== ./$dir $name"
    go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" "./$dir"
  done
done
