package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// initialised is a package and the bytes it allocated before main.
var initialised = regexp.MustCompile(`(?m)^init github\.com/memoryd/memoryd/(\S+) .* (\d+) bytes, \d+ allocs$`)

// Before main no package makes what only some commands use: tables and expressions are made
// when they are first used, see text.Set and lazyregexp.
func TestStartIsLight(t *testing.T) {
	const most = 4 << 10 // bytes: a map of a hundred words is more, or twenty expressions
	cmd := exec.Command(program(t), "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	all := initialised.FindAllSubmatch(out, -1)
	for _, m := range all {
		if n, err := strconv.Atoi(string(m[2])); err != nil || n > most {
			t.Errorf("%s allocates %s bytes at each start, more than %d", m[1], m[2], most)
		}
	}
	if len(all) == 0 {
		t.Errorf("the runtime tells of no package of ours:\n%s", out)
	}
}
