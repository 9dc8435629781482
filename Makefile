# For daily work, "go test ./..." is enough. This file names what takes longer. Times are
# for a machine with two cores.

.PHONY: test ci harness fuzz-long bench peers picture release release-check

# Some ten minutes: all tests, with the crash tests in their usual size.
test:
	go test ./...

# Some twenty minutes: the gate, on what is committed. FUZZTIME and FUZZTIME_CONTRACT shorten it.
ci:
	.ci/run

# About half an hour, before a release: every crash, failed step and edit of every
# scenario, the stress test for a minute, the built program killed before each of its
# system calls; as root, also power cuts on disk images; the dashboard in a browser. -count=1, because a cached result
# may be of the usual size.
harness:
	MEMORYD_HARNESS=full go test -count=1 -v -timeout 3h ./pkg/merge ./pkg/workspace/... ./cmd/memory ./cmd/memory/scripts ./internal/gitsync ./internal/hub
	go test -race -short ./pkg/workspace/sqldisk ./internal/hub ./internal/cli
	go test ./pkg/refine -run 'TestMaliciousAnswers|TestUndoAfterRandomAnswers' -rapid.checks=20000
	tools/dashboard/run check

# Half an hour with the default, before a release: the fuzz targets of everything that a run
# relies on, one after the other, each for LONG.
LONG ?= 3m
fuzz-long:
	FUZZTIME_CONTRACT=$(LONG) FUZZTIME=0 .ci/fuzz

# About ten minutes, before a release: the time and memory of each command, as a process, at
# 1,000, 10,000 and 100,000 memories, with their budgets.
bench:
	go run ./tools/bench

# Ten minutes: other tools on the same work, for BENCHMARKS.md. A module of its own, so that
# the program depends on none of them. It fetches Go modules and npm packages.
peers:
	cd bench/peers && go run .

# The picture in the README, from what the program prints.
picture:
	go run ./tools/screenshot

# Some minutes, before a release: the configuration fits goreleaser, two builds of the commit are
# the same bytes, and go install works from a tag of it.
release-check:
	packaging/goreleaser.sh
	packaging/reproduce.sh
	packaging/install.sh

# The files of a release, into dist/.
release:
	packaging/release.sh
