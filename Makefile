# make build   bin/vyre: the page, the sessions' parent and the daemon in one file
# make run     build, start the daemon, say which agents it found and how to open the page
# make test    build, install the pinned real agents and a browser, run every test
# make lint    the linters, for Linux and macOS
# make bench   measure and print; docs/reference/bench.md keeps the figures
# make soak    20 threads for 30 minutes while the daemon is killed (SOAK=5m: shorter)
# make docs    write the generated references and goldens again
# make agents  install the agents that the tests run, and nothing else
# make clean   remove what was built
#
# Nothing is done twice: what is up to date is left alone. Needs Go 1.26,
# Node.js 20 or newer with npm, and git.

SHELL       := /bin/sh
.SHELLFLAGS := -ec
.DELETE_ON_ERROR:
MAKEFLAGS   += --no-builtin-rules

include tools/versions.mk

GO    ?= go
NPM   ?= npm
CACHE := .cache

# Git may be missing, or refuse a checkout that another user owns: then the
# version carries no revision instead of the build failing.
VCS   := $(shell git rev-parse HEAD >/dev/null 2>&1 && echo auto || echo false)
STATIC := CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=$(VCS) -ldflags='-s -w'

# Folders count as well as files, so that a removed file is noticed.
SHIM_SRC := $(shell find cmd/vyre-shim internal/shim/proto internal/shim/procs internal/shim/cgroup internal/fail internal/confine ! -name '*_test.go' 2>/dev/null) go.mod go.sum
GO_SRC   := $(wildcard *.go) go.mod go.sum web/embed.go \
            $(shell find agent cmd internal ! -path '*/testdata*' ! -path 'internal/arch*' ! -path '*/embed' ! -path '*/embed/*' ! -name '*_test.go' 2>/dev/null)
WEB_SRC  := $(shell find web \( -name node_modules -o -name static -o -name test-results -o -name test -o -name .cache \) -prune -o -type f ! -name '*.go' -print 2>/dev/null)

GO_DIRS  := $(wildcard *.go) agent cmd internal $(wildcard web/*.go)

.PHONY: build run test test-go test-web lint bench soak docs agents chromium clean need-go need-node

build: bin/vyre

bin/vyre: internal/shim/embed/vyre-shim $(CACHE)/web $(GO_SRC) | need-go
	@mkdir -p bin
	$(STATIC) -o $@ ./cmd/vyre
	@touch $@

internal/shim/embed/vyre-shim: $(SHIM_SRC) | need-go
	$(STATIC) -o $@ ./cmd/vyre-shim
	@touch $@

$(CACHE)/web: $(CACHE)/web-modules $(WEB_SRC)
	cd web && $(NPM) run build
	@touch $@

$(CACHE)/web-modules: web/package-lock.json | need-node
	@mkdir -p $(CACHE)
	cd web && $(NPM) ci --no-audit --no-fund
	@touch $@

run: build
	./bin/vyre up

agents: $(CACHE)/agents

$(CACHE)/agents: agents/package-lock.json | need-node
	@mkdir -p $(CACHE)
	cd agents && $(NPM) ci --ignore-scripts --no-audit --no-fund
	@ls agents/node_modules/@anthropic-ai/*/claude >/dev/null 2>&1 || { \
	  echo "make: npm installed no agent for this platform ($$(uname -sm)); see agents/package.json" >&2; exit 1; }
	@touch $@

# The page's tests drive a real browser.
chromium:
	@tools/chromium.sh

test: build agents chromium test-go test-web

test-go: build agents
	$(GO) test -timeout 25m ./...

test-web: build chromium
	cd web && $(NPM) test

GOLANGCI := $(CACHE)/golangci-lint-$(GOLANGCI_VERSION)

lint: $(GOLANGCI) | need-go
	@bad=$$(gofmt -l $(GO_DIRS)); test -z "$$bad" || { echo "run gofmt -w on: $$bad"; exit 1; }
	$(GO) vet ./...
	GOOS=darwin $(GO) vet ./...
	$(GOLANGCI) run ./...

$(GOLANGCI): tools/versions.mk | need-go
	@mkdir -p $(CACHE)/tools
	GOBIN="$(CURDIR)/$(CACHE)/tools" $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@mv $(CACHE)/tools/golangci-lint $@ && touch $@

bench: build agents
	$(GO) test -count=1 -timeout 40m -run '^$$' -bench . -benchtime 1x ./internal/bench/...

SOAK ?= 30m

# Two minutes of it are part of make test.
soak: build agents
	VYRE_SOAK=$(SOAK) $(GO) test -count=1 -timeout 2h -run '^TestSoak$$' -v ./e2e

docs: build
	VYRE_UPDATE=1 $(GO) test -count=1 -run 'Reference|Golden' ./...

clean:
	rm -rf bin $(CACHE) internal/shim/embed/vyre-shim agents/node_modules web/node_modules
	find web/static -mindepth 1 ! -name README -delete 2>/dev/null || true

need-go:
	@command -v $(GO) >/dev/null 2>&1 || { echo "make: Go 1.26 is needed and there is no go in PATH" >&2; exit 1; }
	@$(GO) version | grep -Eq 'go1\.(2[6-9]|[3-9][0-9])' || { echo "make: Go 1.26 or newer is needed; this is $$($(GO) version)" >&2; exit 1; }

need-node:
	@command -v node >/dev/null 2>&1 && command -v $(NPM) >/dev/null 2>&1 || { echo "make: Node.js 20 or newer with npm is needed" >&2; exit 1; }
	@node -e 'process.exit(+process.versions.node.split(".")[0] >= 20 ? 0 : 1)' || { echo "make: Node.js 20 or newer is needed; this is $$(node -v)" >&2; exit 1; }
