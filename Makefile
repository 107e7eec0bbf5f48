# Holdfast: how it is built, tried and tested. Needs Go, Node >= 20 and make;
# only the tests and the validator of results need npm's registry, and only the
# tests a browser (which they find or install).

.DEFAULT_GOAL := help
SHELL := /bin/sh
.DELETE_ON_ERROR:

# package.json holds the one version number; the wasm and the module both carry
# it, so that the loader can refuse a pair that does not match.
VERSION := $(shell sed -n 's/^  "version": "\(.*\)",$$/\1/p' package.json)

FUZZTIME ?= 10s

DIST    := web/dist
BUNDLE  = go tool esbuild --bundle --target=es2022 --log-level=warning '--define:HOLDFAST_VERSION="$(VERSION)"' '--define:HOLDFAST_BUILD="$(BUILD)"'
# The validator and the recorder are builds of their own, which the module imports by their names.
ESBUILD = $(BUNDLE) '--external:*/holdfast-validate.mjs' '--external:*/holdfast-record.mjs' --define:HOLDFAST_UNBUNDLED=undefined --define:HOLDFAST_WASM=undefined
# Whether a build is one file, or loads the page's own host as a chunk. What signs in is in neither:
# the one file loads it from a file beside it, the module as a chunk.
ONE_FILE := --define:HOLDFAST_ONE_FILE=true
CHUNKS   := --define:HOLDFAST_ONE_FILE=false

# A folder counts as well as its files, so that a deleted file is noticed.
GO_SOURCES   := go.mod go.sum package.json $(shell find core jsbridge wasm web/scripts -type d -o -name '*.go')
WEB_SOURCES  := package.json web/build/wasm_exec.mjs $(shell find web/src web/packages -type d -o -name '*.ts')
DEMO_SOURCES := package.json $(shell find web/demo)

# Which build it is, for a page and the worker that it meets: all that both are made of.
BUILD = $(shell cat $(filter %.ts %.go,$(shell find core jsbridge wasm web/src -type f | sort)) | cksum | cut -d ' ' -f 1)

MODULE := $(DIST)/holdfast.wasm $(DIST)/holdfast-agents.wasm $(DIST)/holdfast.mjs $(DIST)/holdfast.js $(DIST)/holdfast-global.mjs $(DIST)/holdfast-worker.mjs $(DIST)/holdfast-oauth.mjs \
	$(DIST)/holdfast-store.mjs $(DIST)/holdfast-react.mjs $(DIST)/holdfast-agent-store.mjs $(DIST)/holdfast-agent-react.mjs $(DIST)/holdfast-tools.mjs $(DIST)/holdfast-ai.mjs $(DIST)/holdfast-hub.mjs $(DIST)/holdfast-trace.mjs \
	$(DIST)/holdfast-testing.mjs $(DIST)/holdfast-diagnose.mjs $(DIST)/holdfast-recorder.mjs $(DIST)/holdfast-record.mjs

# What validates results of tools is a module of its own, loaded when one needs
# it. It bundles a package of npm's, so that `make demo` leaves it out where npm
# never ran: results are then delivered unchecked, and the client says so.
VALIDATOR := $(DIST)/holdfast-validate.mjs
NPM_BUILT := $(if $(wildcard node_modules/.package-lock.json),$(VALIDATOR))
# Patterns of servers' must not be run by the browser's RegExp, which can hang.
LINEAR := --inject:web/src/output-schema/inject.ts

DEMO := $(addprefix $(DIST)/demo/,compare.js official.js holdfast.js inspector.js worker.js agent.js signin.js \
	index.html compare.css pane.css official.html holdfast.html official/client.js inspector.html demo.css agent.html agent.css signin.html signin.css)

.PHONY: help demo demo-static official-client picture build test stories test-core test-cluster cluster bench-cluster e2e e2e-stories e2e-beside same-wasm hosts wires browsers sample soak test-web types package lint-package bundlers browsers-short browsers-figures check conformance browser engines versions size figures bench bench-core simulate fuzz mutate count clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "make %-15s %s\n", $$1, $$2 }'

demo: build ## build everything and serve the demo page
	go run ./e2e/cmd/demo

build: $(MODULE) $(NPM_BUILT) $(DEMO) ## build the wasm, the module and the demo page into web/dist

# ---- the module ----

# What the build of the wasm is made of, and why, is said in web/scripts/wasmbuild.
# slim then rewrites the file so that it compresses better. What the linker wrote stays in LINKED, for same-wasm.
BUILD_WASM := go run ./web/scripts/wasmbuild -version $(VERSION)
LINKED     := web/build/linked
SLIM       = cp $(LINKED)/$(@F) $@ && go run ./web/scripts/slim $@

# There are two: for MCP alone, and with what is spoken to agents as well, for pages that ask for it.
$(DIST)/holdfast.wasm: $(GO_SOURCES)
	@mkdir -p $(@D) $(LINKED)
	$(BUILD_WASM) -o $(LINKED)/$(@F)
	$(SLIM)

$(DIST)/holdfast-agents.wasm: $(GO_SOURCES)
	@mkdir -p $(@D) $(LINKED)
	$(BUILD_WASM) -agents -o $(LINKED)/$(@F)
	$(SLIM)

# Another build, as a later version may be: what it writes this one cannot read. For the
# stories of two builds on one origin (fault 135). Only what the journal is in is compiled.
NEWER := web/build/newer.wasm

$(NEWER): $(MODULE)
	$(BUILD_WASM) -agents -newer -o $@

# The glue between Go and JavaScript must come from the toolchain that built the wasm.
web/build/wasm_exec.mjs: go.mod $(wildcard web/scripts/wasmbuild/*.go)
	go run ./web/scripts/wasmbuild -glue -o $@

# The module is what every page needs before it knows where the runtime is. All else is in chunks
# beside it, which it loads by itself: a page's side of a worker, and what runs in the page only where
# no worker does. What two of them have in common esbuild makes a chunk as well (see below).
# Their names change with what is in them: a module never meets another build's. A chunk is loaded by
# the module alone. FIRST_LOADED tells esbuild so, and what the module needs is in one file, and not in nine.
FIRST_LOADED := --inject:web/src/index.ts

# What a page loads at once is then put into one file each (web/scripts/joinchunks), of which it has each with one request.
# Source maps are of the module alone, and say lines and columns: the sources and their names are in the repository.

# An import of an address that only the running app knows is left alone by bundlers where a comment in it says
# so. Minifying takes that out: a mark stands for it, of the same length, so that the source map stays right.
UNBUNDLED := /*webpackIgnore:true*//*@vite-ignore*/
MARK      := an import whose address is no part.

$(DIST)/holdfast.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	rm -f $(DIST)/holdfast-*-????????.mjs $(DIST)/holdfast-*-????????.mjs.map $(DIST)/holdfast-global.mjs*
	$(ESBUILD) $(CHUNKS) $(FIRST_LOADED) '--define:HOLDFAST_UNBUNDLED="$(MARK)"' holdfast=web/src/index.ts holdfast-agent=web/src/agentmodule.ts \
		holdfast-transport=web/src/transport/transportentry.ts \
		--format=esm --minify --sourcemap --sources-content=false --splitting --outdir=$(DIST) --entry-names=[name] --chunk-names=holdfast-[name]-[hash] --out-extension:.js=.mjs
	go run ./web/scripts/joinchunks $(DIST) $(ESBUILD)
	for chunk in $(DIST)/holdfast-*-????????.mjs; do \
		sed 's|import("$(MARK)"+|import($(UNBUNDLED)|g' $$chunk > $$chunk.tmp && mv $$chunk.tmp $$chunk || exit 1; \
	done

# A classic script has no import.meta; what it can ask for is its own address. It
# is one file, whatever a page needs of it: where a script of another origin is
# allowed, a module of that origin may not be.
SCRIPT_TAG = $(ESBUILD) web/src/global.ts --format=iife --global-name=holdfast --minify \
	--define:import.meta.url=scriptURL --inject:web/src/script.ts $(ONE_FILE)

$(DIST)/holdfast.js: $(WEB_SOURCES) $(GO_SOURCES)
	$(SCRIPT_TAG) --outfile=$@

# What runs in a worker is one file as well, with the same build in it as the module, and with the digests of
# the wasm, as it ships: any script of the origin can tell a worker where the wasm is.
$(DIST)/holdfast-worker.mjs: $(WEB_SOURCES) $(GO_SOURCES) $(DIST)/holdfast.wasm $(DIST)/holdfast-agents.wasm
	digests=$$(go run ./web/scripts/integrity $(filter %.wasm,$^)) && \
	$(ESBUILD) $(ONE_FILE) "--define:HOLDFAST_WASM=\"$$digests\"" web/src/host/worker/worker.ts --format=esm --minify --outfile=$@

# What signs in is a chunk of the module's, and for the script-tag build a file beside it.
$(DIST)/holdfast-oauth.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	$(ESBUILD) $(ONE_FILE) web/src/auth/opensignin.ts --format=esm --minify --outfile=$@

# The module and that for agents, by the files beside it: what loads it needs no bundler.
$(DIST)/holdfast-global.mjs: $(DIST)/holdfast.mjs
	$(ESBUILD) web/packages/global/globalmodule.ts --format=esm --minify --outfile=$@ \
		--alias:holdfast/agent=./holdfast-agent.mjs --alias:holdfast=./holdfast.mjs --external:./holdfast-agent.mjs --external:./holdfast.mjs

# What draws with Holdfast has each of these once, whatever part of the app imports it: they import each other by their
# published names, and what they are made with is the app's. "use client" is for apps that have components on a server.
OF_APP := --external:holdfast --external:react --external:ai

$(DIST)/holdfast-tools.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	$(ESBUILD) $(OF_APP) web/packages/tools/toolsmodule.ts --format=esm --minify --outfile=$@

$(DIST)/holdfast-trace.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	$(ESBUILD) $(OF_APP) web/packages/trace/tracemodule.ts --format=esm --minify --outfile=$@

$(DIST)/holdfast-testing.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	$(ESBUILD) $(OF_APP) web/packages/testing/testingmodule.ts --format=esm --minify --outfile=$@

$(DIST)/holdfast-diagnose.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	$(ESBUILD) $(OF_APP) web/packages/doctor/diagnosemodule.ts --format=esm --minify --outfile=$@

$(DIST)/holdfast-recorder.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	$(ESBUILD) $(OF_APP) web/src/recorder/recorderentry.ts --format=esm --minify --outfile=$@

# What records is loaded by pages and workers, by its address: it imports nothing.
$(DIST)/holdfast-record.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	$(ESBUILD) web/src/recorder/hostrecorder.ts --format=esm --minify --outfile=$@

$(DIST)/holdfast-hub.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	$(ESBUILD) $(OF_APP) web/packages/hub/hubmodule.ts --format=esm --minify --outfile=$@

$(DIST)/holdfast-ai.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	$(ESBUILD) $(OF_APP) web/packages/ai/aimodule.ts --format=esm --minify --outfile=$@

$(DIST)/holdfast-store.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	$(ESBUILD) $(OF_APP) web/packages/observe/stores.ts --format=esm --minify --outfile=$@

$(DIST)/holdfast-agent-store.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	$(ESBUILD) $(OF_APP) web/packages/observe/agentstores.ts --format=esm --minify --outfile=$@

$(DIST)/holdfast-agent-react.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	$(ESBUILD) $(OF_APP) web/packages/react/agentreact.ts --format=esm --minify '--banner:js="use client";' --outfile=$@

$(DIST)/holdfast-react.mjs: $(WEB_SOURCES) $(GO_SOURCES)
	$(ESBUILD) $(OF_APP) web/packages/react/react.ts --format=esm --minify '--banner:js="use client";' --outfile=$@

$(VALIDATOR): $(WEB_SOURCES) node_modules/.package-lock.json
	$(ESBUILD) web/src/output-schema/validate.ts --format=esm --minify $(LINEAR) --outfile=$@

# ---- the demo page, which loads the module as any other page would ----

DEMO_SCRIPT = $(ESBUILD) --format=esm --alias:holdfast/agent=../holdfast-agent.mjs --alias:holdfast=../holdfast.mjs --external:../holdfast-agent.mjs --external:../holdfast.mjs --external:../holdfast-worker.mjs --external:./official/client.js

$(DIST)/demo/%.js: web/demo/%.ts $(DEMO_SOURCES)
	$(DEMO_SCRIPT) $< --define:DEMO_STATIC=false --outfile=$@

$(filter-out %.js,$(DEMO)) $(DIST)/demo/official/client.js: $(DIST)/demo/%: web/demo/%
	@mkdir -p $(@D)
	cp $< $@

# The official client in the left pane of the first page is one file, which is committed with its licences: the demo
# needs no npm. It also has @cfworker/json-schema in it, which brings no licence file: NOTICE has that. e2e/demo_compare_test.go checks that it is what this writes.
OFFICIAL := web/demo/official
OFFICIAL_IN := @modelcontextprotocol/client @modelcontextprotocol/core zod eventsource-parser pkce-challenge

official-client: node_modules/.package-lock.json ## write the official client's bundle of the demo, and its licences
	go tool esbuild $(OFFICIAL)/bundled.mjs --bundle --format=esm --target=es2022 --minify --legal-comments=none --log-level=warning --outfile=$(OFFICIAL)/client.js
	@for package in $(OFFICIAL_IN); do \
		echo "$$package"; echo --------------------------------------------------------------------------------; echo; \
		cat node_modules/$$package/LICENSE || exit 1; echo; echo; \
	done > $(OFFICIAL)/LICENSES

# The first page as files that run without a server of their own: a service worker plays the MCP server. They can be
# put anywhere that serves files over https.
STATIC := $(DIST)/static
STATIC_DEMO := index.html compare.css demo.css pane.css official.html holdfast.html official.js holdfast.js

demo-static: build ## build the demo's first page as static files, which need no server of their own, into web/dist/static
	rm -rf $(STATIC) && mkdir -p $(STATIC)/demo/official
	$(DEMO_SCRIPT) web/demo/compare.ts --define:DEMO_STATIC=true --minify --outfile=$(STATIC)/demo/compare.js
	$(ESBUILD) web/demo/staticserver.ts --format=esm --minify --outfile=$(STATIC)/server.js
	cp web/demo/static.html $(STATIC)/index.html
	cp $(addprefix $(DIST)/demo/,$(STATIC_DEMO)) $(STATIC)/demo
	cp $(OFFICIAL)/client.js $(OFFICIAL)/LICENSES NOTICE $(STATIC)/demo/official
	cp $(DIST)/holdfast.wasm $(DIST)/holdfast.mjs $(DIST)/holdfast-*-????????.mjs $(DIST)/holdfast-worker.mjs $(STATIC)

picture: build browser ## the moving picture of the demo that the README has, docs/demo.gif
	$(STORIES) -v ./e2e -run '^TestPicture$$' -picture

# ---- checks ----

# What needs no browser goes first, two steps at a time: most of them use one core.
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

test: versions ## everything a change must pass
	@$(MAKE) --no-print-directory -j2 $(SYNC) test-web test-core check types lint-package test-cluster
	@$(MAKE) --no-print-directory e2e
	@$(MAKE) --no-print-directory browsers-short

versions: browser
	@go version
	@echo "node $$(node --version), npm $$(npm --version)"

browser: ## find a browser for the tests, or install Chromium
	@go run ./e2e/cmd/chromium

engines: ## find Firefox and WebKit for the tests, or install them; without leave for that their stories are skipped
	@go run ./e2e/cmd/engines

check: ## gofmt and vet, for this machine and for wasm
	@unformatted=$$(gofmt -l core e2e jsbridge wasm web/scripts); test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	go vet ./...
	go vet -tags npm ./core/acp
	cd e2e/cluster/jetstore && go vet ./...
	cd e2e/cluster && go vet ./...
	GOOS=js GOARCH=wasm go vet ./...
	GOOS=js GOARCH=wasm go vet -tags mcponly ./wasm

test-core: ## the protocol core, natively, and the steps that build the wasm: needs Go alone
	go test -timeout 30m ./core/... ./web/scripts/...

# Servers on several nodes are modules of their own: their engine is no part of the client's go.mod.
test-cluster: ## the store for several nodes, and the short stories of servers on them: needs Go alone
	cd e2e/cluster/jetstore && go test -count=1 ./...
	cd e2e/cluster && go test -count=1 -short -parallel 4 . ./node

SCHEDULES ?= 20

cluster: build browser node_modules/.package-lock.json ## all stories of servers on several nodes, with SCHEDULES random ones, and one in Chrome
	cd e2e/cluster/jetstore && go test -count=1 ./...
	cd e2e/cluster && go test -count=1 ./node ./browser
	cd e2e/cluster && go test -count=1 -timeout 60m -v . -schedules $(SCHEDULES) $(if $(SEED),-first $(SEED))

test-web: web/build/wasm_exec.mjs node_modules/.package-lock.json ## the TypeScript units, in Node
	$(ESBUILD) $(CHUNKS) web/test/*.test.ts --format=esm --platform=node --external:oidc-provider --external:react --external:react-dom --external:ai --external:@opentelemetry/* --external:@modelcontextprotocol/* --external:typescript/* $(LINEAR) --outdir=web/build/test --out-extension:.js=.mjs
	node --test --test-concurrency=2 web/build/test/*.test.mjs

# Six stories at a time keep two cores at work, and leave each the time that the clocks of pages and
# servers give it. What lies beside the stories (the peers' own tests, and the core against the
# official servers) runs meanwhile.
STORIES := go test -count=1 -parallel 6 -timeout 45m

# The tests of core/acp that need npm's files, by their names: the others have run.
ACP_NPM = $(shell grep -ho '^func Test[A-Za-z0-9_]*' $$(grep -l '^//go:build.*npm' core/acp/*_test.go) | sed 's/^func //' | paste -s -d '|' -)

e2e: build $(NEWER) $(VALIDATOR) demo-static browser ## the stories, in Chrome; the wasm tests, and what needs the official servers, too
	@$(MAKE) --no-print-directory -j2 $(SYNC) e2e-beside e2e-stories

e2e-stories:
	$(STORIES) ./e2e

# Both play the scripts of core/coretest, the vectors of the parsers and INPUTS random inputs from SEED on, which it prints.
INPUTS ?= 2000

same-wasm: build ## whether the wasm does the same, byte for byte, as slim left it and as Go's linker wrote it
	$(BUNDLE) web/test/slim/slim.ts --format=esm --platform=node --outfile=web/build/slim.mjs
	node web/build/slim.mjs $(LINKED) $(DIST) $(INPUTS) $(SEED)

# Marked are those that take long, and the further rows of tables: e2e/long_test.go.
stories: build $(NEWER) $(VALIDATOR) demo-static browser ## all stories, with those that make test leaves out
	$(STORIES) ./e2e -run .

e2e-beside: same-wasm
	go test -count=1 -tags npm -timeout 10m ./core/acp -run '^($(ACP_NPM))$$'
	go test -p 1 -parallel 3 -count=1 -timeout 20m $$(go list ./e2e/... | grep -v -e '/e2e$$' -e '/e2e/bench$$' -e '/e2e/acpserver$$')

# The random stories: how much of them `make test` plays is their flags' defaults.
# A failure prints its seed, and HOLDFAST_SEED plays it again.
RANDOM_STORIES := '^(TestReloads|TestCuts|TestKills|TestTabs|TestTaskSchedules|TestAgentSoak|TestSharedSchedules|TestRandomSignIns|TestFault132_AckedStaysAckedOverKills)$$'
FIRST := $(or $(FIRST),$(shell date +%s))

sample: build $(NEWER) $(VALIDATOR) demo-static browser ## a few minutes of them, whether the benchmarks and the agents' own test server still run, and a twelfth of the stories that make test leaves out, from FIRST on, which it prints
	@echo "FIRST=$(FIRST)"
	@$(MAKE) --no-print-directory same-wasm INPUTS=100000 SEED=$(FIRST)
	HOLDFAST_FIRST=$(FIRST) HOLDFAST_HISTORIES=2500 go test -count=1 -v ./core/mcp -run 'Histories$$'
	go test -p 1 -parallel 3 -count=1 ./e2e/bench ./e2e/acpserver
	$(STORIES) -v ./e2e -run $(RANDOM_STORIES) -reloads 30 -cuts 250 -kills 4 -tabends 6 -taskschedules 9 -agentturns 2 -visitends 12
	HOLDFAST_FIRST=$(FIRST) $(STORIES) ./e2e -long 12

soak: build $(NEWER) $(VALIDATOR) browser ## a night of them
	HOLDFAST_HISTORIES=1000000 HOLDFAST_EVERY=1 go test -count=1 -timeout 8h ./core/mcp -run 'Histories$$|AfterEveryByte$$'
	HOLDFAST_HISTORIES=500 go test -count=1 -tags npm -timeout 8h ./core/acp -run '^TestSoak$$'
	go test -parallel 1 -count=1 -timeout 8h -v ./e2e -run $(RANDOM_STORIES) -reloads 5000 -cuts 100000 -kills 1000 -tabends 1000 -taskschedules 20000 -agentturns 500 -visitends 5000 -signins 3000

# Next.js is as large as all else that npm brings, and no other test needs it: it is no part of npm ci.
NEXT := web/build/nextapp

$(NEXT)/node_modules/.package-lock.json: e2e/nextapp/package.json e2e/nextapp/package-lock.json
	@mkdir -p $(NEXT)
	cp $^ $(NEXT)
	cd $(NEXT) && npm ci --no-audit --no-fund
	@touch $@

# `make test` has Vite 8's dev server, webpack and esbuild.
bundlers: build $(VALIDATOR) types browser $(NEXT)/node_modules/.package-lock.json ## use the package in every way that docs/bundlers.md has
	$(STORIES) -v ./e2e -run '^(TestStoryBundlers|TestStoryOwnWorker)$$' -bundlers

# `make test` has all stories in the page host, and a short row of the shared one.
hosts: build $(NEWER) $(VALIDATOR) browser ## the stories that say what lasts, under every other host; the shared host's own at length
	$(STORIES) ./e2e -run '^TestHosts$$' -hosts shared,killed,worker
	$(STORIES) -v ./e2e -run '(^Test|_)Shared' -visitends 300

# Stories that say what lasts, whose peers are served over TLS with HTTP/2 where HOLDFAST_WIRE is h2. Not among them is
# what counts connections, and what cuts them before a head: over HTTP/2 Chrome then sends again by itself (fault 448).
WIRE_STORIES := '^(TestStoryReload.*|TestStoryKeys|TestFault5[12356]_.*|TestFault61_CrashedTab|TestFault75_TakeOver|TestFault92_ResumedByOneTab|TestFault95_ReloadWithAGapInChrome|TestFault124_PairsOfTabs|TestFault132_.*|TestFault151_ServerRestarted|TestStoryResum.*|TestStoryCutTwiceAndResume|TestStoryServerRestart|TestTask_.*|TestTabs|TestReloads|TestCuts|TestKills)$$'

# `make test` has the short row of e2e/wires, in the page host.
wires: build $(NEWER) $(VALIDATOR) browser ## stories over TLS and HTTP/2, through a proxy that cuts, in each host: docs/wires.md
	for host in page shared; do HOLDFAST_HOST=$$host $(STORIES) ./e2e/wires -all || exit 1; done
	HOLDFAST_WIRE=h2 $(STORIES) ./e2e -run $(WIRE_STORIES)

ENGINES ?= chromium,firefox,webkit

# One engine and one story at a time.
browsers: build $(VALIDATOR) browser engines ## the stories that matter most, in Chromium, Firefox and WebKit: docs/browsers.md
	go test -count=1 -timeout 60m -v ./e2e/engines -engines $(ENGINES)

browsers-figures: build $(VALIDATOR) browser engines ## calls and bursts in each engine beside plain fetch, into docs/browsers.md
	go test -count=1 -timeout 30m -v ./e2e/engines -run '^TestFigures$$' -figures

browsers-short: build $(VALIDATOR) browser engines ## the short row of them, which make test tells after its stories
	go test -count=1 -timeout 20m -v ./e2e/engines -run '^TestMatrix$$' -engines $(ENGINES) -short

conformance: build $(VALIDATOR) browser ## the official conformance suite, in Chrome
	go run ./e2e/cmd/conformance

types: node_modules/.package-lock.json web/build/wasm_exec.mjs ## emit the declarations, one file for each entry; check the demo, the type tests and the examples of the pages
	@node_modules/.bin/tsc --version
	rm -rf web/build/types
	node_modules/.bin/tsc -p tsconfig.json
	node_modules/.bin/tsc -p tsconfig.ai.json
	node web/scripts/rolltypes.mjs web/build/types $(DIST)/types
	node_modules/.bin/tsc -p web/test/tsconfig.json
	node_modules/.bin/tsc -p web/test/tsconfig.units.json
	node_modules/.bin/tsc -p web/examples/tsconfig.json
	node_modules/.bin/tsc -p web/test/official/tsconfig.json
	node_modules/.bin/tsc -p e2e/bench/tsconfig.json
	node web/scripts/examples.mjs

package: build $(VALIDATOR) types ## check what npm would publish
	node web/scripts/package.mjs

lint-package: package ## have publint and Are the types wrong? look at it
	node web/scripts/lintpackage.mjs

node_modules/.package-lock.json: package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

# ---- measures ----

# Names and shares of the bundle are for the tables only and not in what ships.
size: $(MODULE) $(VALIDATOR) ## what the built files weigh and what in them weighs most; fails over budget
	@mkdir -p web/build/size
	@$(BUILD_WASM) -agents -names -o web/build/size/named.wasm
	@$(SCRIPT_TAG) --metafile=web/build/size/holdfast.json --outfile=web/build/size/holdfast.js
	@node web/scripts/printsize.mjs
	@node web/scripts/figures.mjs --check

figures: $(MODULE) $(VALIDATOR) ## write the sizes that the pages quote, as make size prints them
	@node web/scripts/figures.mjs

bench: build browser node_modules/.package-lock.json ## run Holdfast beside the other clients in Chrome, and write docs/benchmarks.md
	go run ./e2e/bench -write docs/benchmarks.md

bench-core: build browser ## native benchmarks of the core, and what keeping calls costs a page
	go test -run '^$$' -bench . -benchmem ./core/...
	go test -run '^$$' -bench BenchmarkJournal -benchtime 7x ./e2e

bench-cluster: ## what one store serves, and how long a call waits for another node
	cd e2e/cluster/jetstore && go test -run '^$$' -bench . -benchtime 3s .
	cd e2e/cluster && go test -run '^$$' -bench Takeover -benchtime 40x .

CLIENTS ?= 100000

simulate: ## a hundred thousand clients against one service, in virtual time
	go run ./core/simulate/cmd -clients $(CLIENTS) -svg docs/simulation.svg

growth: build browser ## how cost grows with calls and updates: docs/growth.md and its picture
	go test -run '^$$' -bench '^BenchmarkGrowth$$' -benchtime 1x -timeout 60m ./e2e/growth

fuzz: ## fuzz each target of the core for FUZZTIME
	@for package in $$(go list ./core/...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
		done; \
	done

MUTANTS ?= 300

mutate: ## change one token at a time in the protocol packages: which changes does no quick test notice?
	go run ./e2e/cmd/mutate -mutants $(MUTANTS) $(if $(SEED),-seed $(SEED))

count: node_modules/.package-lock.json ## how much code each room has, in statements and members; how large the core's types are; who decides what of a call
	go run ./web/scripts/count
	go run ./web/scripts/structure
	node web/scripts/count/count.mjs
	go test -count=1 -v ./e2e -run '^TestHouseDeciders$$'

clean: ## remove what make has built
	rm -rf web/build web/dist
