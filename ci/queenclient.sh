#!/bin/sh
# Queen's own Rust client against this project's broker: downloads the crate
# queen-mq, whose package carries its live test suite, through cargo, and runs
# that suite against a freshly started `queen-sqs broker`.
#
#   ci/queenclient.sh [TEST...]
#
# TEST is one of the suite's programs; without any, those whose verbs the broker
# serves. Needs go, cargo and curl. Nothing of the crate stays in the checkout.
#
#   QUEEN_MQ_VERSION  the client's version (default 1.3.0)
#   QUEEN_CACHE       where sources and builds are kept (default ~/.cache/queen-sqs)
set -eu

version=${QUEEN_MQ_VERSION:-1.3.0}
cache=${QUEEN_CACHE:-$HOME/.cache/queen-sqs}
here=$(cd -- "$(dirname -- "$0")/.." && pwd)
work=$cache/queen-mq-$version
[ $# -gt 0 ] || set -- core semantics kv_timers

for tool in go cargo curl; do
	command -v "$tool" >/dev/null || { echo "queenclient: $tool is not installed" >&2; exit 2; }
done
mkdir -p -- "$work"

# A package of its own makes cargo vendor the crate; the crate is then built from
# a copy, because what cargo vendors is not to be written to.
if [ ! -e "$work/suite/Cargo.toml" ]; then
	rm -rf -- "$work/fetch" "$work/suite.part"
	mkdir -p -- "$work/fetch/src"
	: >"$work/fetch/src/lib.rs"
	cat >"$work/fetch/Cargo.toml" <<-TOML
		[package]
		name = "fetch"
		version = "0.0.0"
		edition = "2021"
		[dependencies]
		queen-mq = "=$version"
		[workspace]
	TOML
	(cd -- "$work/fetch" && cargo vendor --quiet --versioned-dirs vendor >/dev/null)
	cp -R -- "$work/fetch/vendor/queen-mq-$version" "$work/suite.part"
	rm -rf -- "$work/fetch"
	# An own workspace, should the cache lie inside another one.
	printf '\n[workspace]\n' >>"$work/suite.part/Cargo.toml"
	mv -- "$work/suite.part" "$work/suite"
fi

programs=
for name in "$@"; do programs="$programs --test $name"; done
export CARGO_TARGET_DIR="$work/target"
# shellcheck disable=SC2086 # the names of programs are words
(cd -- "$work/suite" && cargo test --quiet --no-run $programs)

run=$(mktemp -d)
broker=
finish() {
	status=$?
	trap - EXIT
	if [ -n "$broker" ]; then
		kill "$broker" 2>/dev/null || true
		wait "$broker" 2>/dev/null || true
	fi
	[ "$status" -eq 0 ] || { echo "the broker's log:" >&2; cat -- "$run/log" >&2 2>/dev/null || true; }
	rm -rf -- "$run"
	exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

go -C "$here" build -o "$run/queen-sqs" ./cmd/queen-sqs
"$run/queen-sqs" broker --listen 127.0.0.1:0 --data "$run/data" 2>"$run/log" &
broker=$!
url=
tries=0
while [ -z "$url" ]; do
	address=$(sed -n 's/.*msg=serving listen=\([^ ]*\).*/\1/p' "$run/log")
	if [ -n "$address" ] && curl -fsS -o /dev/null "http://$address/health"; then
		url=http://$address
	fi
	kill -0 "$broker" 2>/dev/null || { echo "queenclient: the broker did not start" >&2; exit 1; }
	tries=$((tries + 1))
	[ "$tries" -le 100 ] || { echo "queenclient: the broker does not answer" >&2; exit 1; }
	[ -n "$url" ] || sleep 0.1
done

cd -- "$work/suite"
# shellcheck disable=SC2086
QUEEN_TEST_URL=$url QUEEN_TEST_STRICT=1 cargo test --quiet --no-fail-fast $programs -- --test-threads=4
