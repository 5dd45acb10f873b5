GO          ?= go
STATICCHECK  = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: help run test lint unit real shapes docker bench backlog oversize fuzz queen vuln

help: ## what there is
	@sed -n 's/^\([a-z]*\):.*## /\1: /p' $(MAKEFILE_LIST)

run: ## run the service on 127.0.0.1:9324, on disk in ./queen-sqs-data
	$(GO) run ./cmd/queen-sqs serve

test: lint unit real docker ## everything a contributor must pass

lint: ## formatting, vet, staticcheck
	@unformatted=$$(find . -name '*.go' -not -path './.git/*' -exec gofmt -l {} +); \
	if [ -n "$$unformatted" ]; then echo "gofmt these:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(STATICCHECK) ./...

unit: ## all tests on the embedded broker, with the race detector; fuzz seeds included
	QUEEN_SQS_DOCKER=off $(GO) test -race -timeout 20m ./...

real: ## on the real Queen broker: the HTTP client, the broker contract, handles across gateways, the features
	ci/real.sh

shapes: ## the same, and the features also on two gateways, restarting ones, and a broker that breaks
	QUEEN_SQS_SHAPES=all ci/real.sh

docker: ## images of the whole composition, and a test of it in containers; says so where it cannot run
	QUEEN_SQS_DOCKER=$${QUEEN_SQS_DOCKER:-make} $(GO) test -race -count=1 -timeout 40m -v ./ci/docker

queen: ## run the real Queen broker on a private PostgreSQL
	ci/queen.sh up

bench: ## rates of signed workers beside a no-op server
	$(GO) run ./cmd/sqs-conform bench rates

cost: ## what the gateway costs beside its broker, real Queen included where it can run
	$(GO) run ./cmd/sqs-conform bench cost

backlog: ## a million messages on disk: memory, restart, drain
	$(GO) run ./cmd/sqs-conform bench backlog

oversize: ## memory under requests over the body limit
	$(GO) run ./cmd/sqs-conform bench oversize

fuzz: ## ten minutes of each fuzzer
	ci/fuzz.sh 10m

vuln: ## known vulnerabilities in what is linked
	$(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...
