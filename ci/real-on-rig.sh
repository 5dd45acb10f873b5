#!/usr/bin/env bash
# The part of ci/real.sh that runs on a rig.
set -uo pipefail
cd "$(dirname "$0")/.."
work=$QUEEN_SQS_REAL_WORK
status=0

step() {
  local name=$1 begun=$SECONDS
  shift
  echo "== $name"
  if "$@" >"$work/log" 2>&1; then
    summary "$work/log"
    echo "ok: $name, $((SECONDS - begun)) s"
  else
    cat "$work/log"
    echo "FAILED: $name, $((SECONDS - begun)) s"
    status=1
  fi
}

# summary prints what a green run has to say: counts, and what was not run.
summary() {
  sed -n '/ scenarios over /p; /^waited /p; /^messages found late/p; /^run again/p; /^one of two/p; /^sent again/p; /^not run: /,$p; /^measured/p' "$1" |
    grep -v -e '^PASS$' -e 'it states what Amazon does' || true
}

# features TARGET LONGEST-WAIT TAGS CONCURRENCY
features() {
  (cd features && QUEEN_SQS_TARGET=$1 "$work/features" -test.run '^TestFeatures$' -test.timeout 20m -together -max-wait "$2" -tags "$3" -concurrency "$4")
}

step "the HTTP client and the broker contract on Queen" go test -count=1 -timeout 10m ./server/queen/httpclient
step "handles across gateways and brokers" go test -count=1 -timeout 5m -v ./ci/across
if [ -n "${QUEEN_SQS_SHAPES:-}" ]; then
  # A scenario with a broken broker has deadlines: it is run beside few others, and
  # while the broker is still small.
  step "features, one gateway over a broker that breaks" features queen 20s "@broken-broker" 4
  step "features, one gateway" features queen 75s "~@broken-broker" 24
  step "features, two gateways on two brokers" features queen-two 20s "~@broken-broker" 16
  step "features, one of two gateways restarting" features queen-restart 12s "~@broken-broker" 16
else
  step "features, one gateway" features queen 20s "~@broken-broker" 24
fi
exit $status
