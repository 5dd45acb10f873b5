#!/usr/bin/env bash
# What has to hold on the real Queen broker: the HTTP client's own tests, the
# broker contract, handles across gateways, and the features over one gateway.
# With QUEEN_SQS_SHAPES set, the features also over two gateways on two brokers,
# gateways that are killed, and a broker that breaks, and with longer waits.
# Without cargo (or a broker that is built already) and PostgreSQL it says what it
# did not run; in CI (CI set) that is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=$(ci/queen.sh check 2>&1) || {
  if ! grep -q '^missing: \(PostgreSQL\|an ordinary\)' <<<"$missing" && command -v cargo >/dev/null; then
    ci/queen.sh install
  else
    echo "NOT RUN: everything that needs the real Queen broker:"
    echo "  the broker contract and the HTTP client on Queen"
    echo "  receipt handles across two gateways and two brokers"
    echo "  the features over a gateway on Queen"
    echo "because:"
    sed 's/^/  /' <<<"$missing"
    [ -z "${CI:-}" ] || exit 1
    exit 0
  fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go test -c -o "$work/features" ./features

# Two broker processes on one database, joined by the mesh: what one of them is
# enough for runs on the first.
QUEEN_SQS_REAL_WORK=$work exec ci/queen.sh run -brokers 2 -mesh -- ci/real-on-rig.sh
