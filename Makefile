# "go test ./..." is all one needs from day to day. This file names what takes
# longer. Times are of a machine with two cores.

.PHONY: test ci harness fuzz-long bench peers

# About a minute: everything, the harness in its usual size.
test:
	go test ./...

# About ten minutes: the gate. FUZZTIME and FUZZTIME_CONTRACT shorten it.
ci:
	.ci/run

# About half an hour, before a release: every crash, failed step and edit of every
# scenario, the stress for a minute, the built program killed before each of its
# system calls; as root, also power cuts on disk images. -count=1, for a result of
# another size must not be taken from the cache.
harness:
	MEMORYD_HARNESS=full go test -count=1 -v -timeout 3h ./pkg/workspace ./cmd/memory

# Half an hour with the default, before a release: the fuzz targets that read what
# a run trusts, one after the other, LONG each.
LONG ?= 3m
fuzz-long:
	FUZZTIME_CONTRACT=$(LONG) FUZZTIME=0 .ci/fuzz

# Some minutes: how fast each command is, as a process, at 1,000 to 100,000 memories.
bench:
	go run ./tools/bench

# Ten minutes: other tools on the same work, the table of BENCHMARKS.md. A module of its
# own, so that the program needs none of them; it fetches Go modules and npm packages.
peers:
	cd bench/peers && go run .
