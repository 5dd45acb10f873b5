#!/bin/sh
# The real Queen broker for tests: ci/queen.sh help says how. The work is done
# by ci/queen, which is built first because `go run` does not pass on the exit
# status of what it runs, nor a signal.
set -eu
# Whose death ends the rig; it may come while this builds.
export QUEEN_RIG_PARENT=$PPID
here=$(dirname -- "$0")
cache=${QUEEN_CACHE:-$HOME/.cache/queen-sqs}
mkdir -p -- "$cache"
cache=$(cd -- "$cache" && pwd)
trap 'rm -f -- "$cache/queen-rig.$$"' EXIT
go -C "$here/.." build -o "$cache/queen-rig.$$" ./ci/queen
# Renaming leaves a copy that is running alone.
mv -f -- "$cache/queen-rig.$$" "$cache/queen-rig"
trap - EXIT
exec "$cache/queen-rig" "$@"
