#!/usr/bin/env bash
# The images of compose.yml: ci/docker/images.sh help says how.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)

usage="usage: ci/docker/images.sh [--made]

Pulls the published images, and where one cannot be pulled makes it: of Debian
(debootstrap, as root), its PostgreSQL and HAProxy, and the broker's crate
(ci/queen.sh install). What is there already is not made again; the gateway's
image always has the sources as they are. Prints a line NAME=IMAGE for each
variable of compose.yml that names one.

  --made    fail where an image is neither there nor the gateway's

environment:
  QUEEN_SQS_DOCKER_PULL=never    do not try to pull

exit status: 3 where this machine lacks something that its last line names"

published_postgres=postgres:16
published_queen=ghcr.io/queen-mq/queen:1.6.0
published_proxy=haproxy:2.8
go_image=golang:1.26
local=queen-sqs-local
only_made=false

say() { echo "images: $*" >&2; }
lack() { say "$*"; exit 3; }
there() { docker image inspect "$1" >/dev/null 2>&1; }

pull() {
  [ "${QUEEN_SQS_DOCKER_PULL:-}" != never ] || return 1
  say "pulling $1"
  local why
  why=$(timeout 600 docker pull -q "$1" 2>&1) || { say "not pulled: $why"; return 1; }
}

# With the classic builder, which needs no plugin: nothing local is built in
# steps that would profit of another.
build() { DOCKER_BUILDKIT=0 docker build -q "$@" >/dev/null 2>"$scratch/log" || { cat "$scratch/log" >&2; return 1; }; }

# hash names an image by what it is made of.
hash() { cat "$@" | sha256sum | cut -c1-12; }

scratch=$(mktemp -d "${TMPDIR:-/tmp}/queen-sqs-images.XXXXXX")
folder() { # one that goes away with this process
  folder=$scratch/$1
  mkdir -p "$folder"
}
clean() {
  # debootstrap mounts these while it works.
  for fs in proc sys; do
    if mountpoint -q "$scratch/debian/$fs"; then umount "$scratch/debian/$fs" || return 0; fi
  done
  rm -rf --one-file-system "$scratch"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# debian makes the system that the local images share and sets the variable
# debian to its name.
debian() {
  local suite=trixie
  # The broker is built on this machine and must find its C library.
  if grep -qx ID=debian /etc/os-release; then suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-trixie}"); fi
  debian=$local/debian:$suite-$(hash local/debian)
  if there "$debian"; then return; fi
  [ "$(id -u)" = 0 ] || lack "no image can be pulled, and making them needs root"
  command -v debootstrap >/dev/null || lack "no image can be pulled, and making them needs debootstrap (apt-get install debootstrap)"
  say "making $debian, which takes a minute or two"
  folder debian
  if ! local/debian "$suite" "$folder" >"$scratch/log" 2>&1; then
    tail -n 20 "$scratch/log" >&2
    say "debootstrap failed"
    exit 1
  fi
  tar -C "$folder" --one-file-system -c . | docker import - "$debian" >/dev/null
  rm -rf --one-file-system "$folder"
}

# image NAME PUBLISHED: the published image, or the local one of
# local/Dockerfile.NAME.
image() {
  local name=$1 published=$2 variable=${1^^}_IMAGE mine recipe=(local/debian "local/Dockerfile.$1")
  if [ -e "local/$name" ]; then recipe+=("local/$name"); fi
  # Which has the pinned version.
  if [ "$name" = queen ]; then recipe+=(../queenrig/tools.go); fi
  mine=$local/$name:$(hash "${recipe[@]}")
  if there "$published"; then echo "$variable=$published"; return; fi
  if ! there "$mine"; then
    if $only_made; then lack "there is no $name image yet; make docker makes it"; fi
    if pull "$published"; then echo "$variable=$published"; return; fi
    debian
    folder "$name"
    cp "local/Dockerfile.$name" "$folder/Dockerfile"
    if [ -e "local/$name" ]; then cp "local/$name" "$folder/"; fi
    if [ "$name" = queen ]; then
      broker
      cp "$broker" "$folder/queen"
    fi
    say "making $mine"
    build --build-arg "DEBIAN=$debian" -t "$mine" "$folder"
  fi
  echo "$variable=$mine"
}

# broker sets the variable broker to the path of the binary that the tests run.
broker() {
  if [ -z "${QUEEN_BIN:-}" ] && ! command -v cargo >/dev/null && ! "$root/ci/queen.sh" check | grep -q '^found: Queen'; then
    lack "the published broker cannot be pulled, and building its crate needs cargo"
  fi
  broker=${QUEEN_BIN:-$("$root/ci/queen.sh" install | tail -n 1)}
}

# gateway builds Dockerfile with the Go image. Where that cannot be pulled, this
# machine's Go compiles, and the instructions behind the last FROM are applied to
# what it made.
gateway() {
  if there "$go_image" || { ! $only_made && ! there "$local/gateway" && pull "$go_image"; }; then
    sed -n 's/^!//p' Dockerfile.dockerignore | tar -C "$root" -cT - ci/docker/Dockerfile |
      docker build -q --build-arg "GO_IMAGE=$go_image" -f ci/docker/Dockerfile -t queen-sqs - >/dev/null
    echo GATEWAY_IMAGE=queen-sqs
    return
  fi
  folder gateway
  CGO_ENABLED=0 go -C "$root" build -ldflags=-s -o "$folder/queen-sqs" ./cmd/queen-sqs
  mkdir -p "$folder/etc/ssl/certs" "$folder/data"
  cp /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/" 2>/dev/null || true
  local tag changes=(--change "LABEL queen-sqs=local")
  tag=$local/gateway:$(hash "$folder/queen-sqs" Dockerfile images.sh)
  if ! there "$tag"; then
    say "making $tag"
    while IFS= read -r line; do changes+=(--change "$line"); done < <(
      awk '/^FROM /{text=""; next} /^[A-Z]+ / && !/^COPY /{text=text $0 "\n"} END{printf "%s", text}' Dockerfile)
    tar -C "$folder" --owner=0 --group=0 -cf "$folder/image.tar" queen-sqs etc
    tar -C "$folder" --owner=65532 --group=65532 -rf "$folder/image.tar" data
    docker import "${changes[@]}" "$folder/image.tar" "$tag" >/dev/null
    docker tag "$tag" "$local/gateway"
    # Those of earlier sources.
    docker image prune -af --filter label=queen-sqs=local --filter until=24h >/dev/null
  fi
  echo "GATEWAY_IMAGE=$tag"
}

case "${1:-}" in
"") ;;
--made) only_made=true ;;
*) echo "$usage"; [ "$1" = help ] || [ "$1" = --help ]; exit ;;
esac
command -v docker >/dev/null || lack "there is no docker command"
docker version >/dev/null 2>&1 || lack "no Docker engine answers"
image postgres "$published_postgres"
image queen "$published_queen"
image proxy "$published_proxy"
gateway
