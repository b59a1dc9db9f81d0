# make run     installs what is missing, builds, and opens Parley
# make test    installs what is missing, and runs every test at short counts
# make check   the fast part: vet, lint, types, the rules of the house, generated code up to date
# make long    the tests that repeat: kills, fuzzing, properties, attacks
# make bench   the figures

GO      := CGO_ENABLED=0 go
WINDOW  := desktop,production,webkit2_41
LDFLAGS := -s -w
PAGE    := frontend/dist/app/index.html

.PHONY: run test check long bench build build-headless page types

run:
	@if build/setup.sh window; then $(MAKE) --no-print-directory build && exec build/bin/parley; \
	else echo "Without them there is no window; Parley serves a browser instead." >&2; \
	  $(MAKE) --no-print-directory build-headless && exec build/bin/parley-headless; fi

build: page
	CGO_ENABLED=1 go build -tags $(WINDOW) -trimpath -ldflags '$(LDFLAGS)' -o build/bin/parley .

build-headless: page
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o build/bin/parley-headless .

page: $(PAGE)

frontend/node_modules/.package-lock.json: frontend/package-lock.json
	@echo "Installing the page's packages" >&2
	cd frontend && npm ci --silent
	@touch $@

$(PAGE): frontend/node_modules/.package-lock.json frontend/index.html frontend/vite.config.ts $(shell find frontend/src -type f)
	cd frontend && npm run --silent build
	@touch $@
