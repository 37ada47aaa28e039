# The commands of this project. `make` lists them; each can be repeated any number of times.

# `make install` puts the programs into $(DESTDIR)$(PREFIX)/bin and the files they need beside it.
PREFIX ?= /usr/local

# Sprints of each observer in `make attack`.
SPRINTS ?= 300

# Largest sizes in `make growth`: small, medium or full.
LARGEST ?= small

.DEFAULT_GOAL := help
.PHONY: help run run-full test test-fast attack bench growth release release-test lint format install setup

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

run: ## set up what is missing, build, and start API and worker on http://localhost:8080
	@scripts/setup.sh run
	@exec scripts/run.sh

run-full: ## the same on MongoDB and an S3 bucket, with a page that shows all mails and pushes
	@scripts/setup.sh full
	@exec scripts/run-full.py

test: ## set up what the tests need, check the format, build, and run every test
	@scripts/setup.sh test
	@scripts/test.sh

test-fast: ## the same setup, and the quick tests: no mongod, no browser, no S3 server
	@scripts/setup.sh test
	@scripts/test.sh fast

attack: ## simulate every attacker in the threat model, and print how much each learns; ten minutes
	@scripts/setup.sh test
	swift build
	PYTHONPATH=Tests/API:Tests/Browser:Benchmarks .venv/bin/python3 Tests/Attack/attack.py --sprints $(SPRINTS) $(if $(WRITE),--write $(WRITE))

bench: ## measure the release build on both stores, compare with the last time, print a table
	@scripts/setup.sh bench
	scripts/build-release.sh HappinessAPI PictureTool BenchmarkSeed
	.venv/bin/python3 Benchmarks/bench.py

growth: ## measure what grows with members, teams, sprints and ballots; minutes, with LARGEST=full an hour
	@scripts/setup.sh bench
	scripts/build-release.sh HappinessAPI BenchmarkSeed
	.venv/bin/python3 Benchmarks/growth.py --largest $(LARGEST)

release: ## build Debian packages, container image, bill of materials and checksums into dist; ten minutes
	@scripts/setup.sh release
	@scripts/release.sh

release-test: ## use what is in dist, in a fresh Debian and in a container; as root, three minutes
	@scripts/setup.sh release
	scripts/test-image.sh $(wildcard dist/*.oci.tar)
	scripts/test-deb.sh dist

lint: ## check the format
	@scripts/lint.sh

format: ## fix the format
	@scripts/lint.sh --fix

install: ## build the release and install it below PREFIX (default /usr/local)
	@scripts/setup.sh run
	scripts/build-release.sh HappinessAPI PictureTool happiness
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/happiness-metric"
	install -m 0755 .build/release/HappinessAPI .build/release/PictureTool .build/release/happiness "$(DESTDIR)$(PREFIX)/bin"
	ln -sf HappinessAPI "$(DESTDIR)$(PREFIX)/bin/Worker"
	cp -R $(wildcard templates public openapi) "$(DESTDIR)$(PREFIX)/share/happiness-metric"

setup: ## set up everything run, test and bench need
	@scripts/setup.sh run
	@scripts/setup.sh test
	@scripts/setup.sh bench
