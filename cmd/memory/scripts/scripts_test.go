package scripts_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // as the program has them

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/internal/cli"
	"github.com/memoryd/memoryd/internal/hubcli"
)

var update = flag.Bool("update", false, "rewrite the golden outputs in the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"memory":     func() { os.Exit(cli.Main()) },
		"memory-hub": func() { os.Exit(hubcli.Main()) },
	})
}

// TestScripts runs ../testdata/script/*.txtar against the program. Besides the
// commands of testscript, a script has:
//
//	exits CODE PROGRAM ARGS…   the program must end with this exit code
//	sample small|large DIR     a copy of a sample workspace
//	note NAME DIR              remember every byte below a directory
//	same NAME DIR              it must be as it was noted
//	onejson stdout|stderr      the output is one JSON document and nothing else
//	lock DIR                   hold the writer's lock of a workspace from now on
//	hub on|off                 serve the database $MEMORY_HUB_DB at $HUB_URL
//	modelserver DIR            a language model that gives the answers in DIR, at $MODEL_URL
func TestScripts(t *testing.T) { testscript.Run(t, scripts("../testdata/script")) }

func scripts(dir string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TZ", "UTC") // times are written in it; days.txtar sets another
			env.Values["trees"], env.Values["hub"] = map[string]string{}, &hubProcess{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "sample": sample, "note": note, "same": same, "onejson": oneJSON, "lock": lock,
			"awaits": awaits, "modelserver": modelServer, "hub": hubServer,
		},
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func sample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sample small|large DIR")
	}
	ts.Check(fixtures.CopyTo(ts.MkAbs(args[1]), map[string]fs.FS{"small": fixtures.Small, "large": fixtures.Large}[args[0]]))
}

func note(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: note NAME DIR")
	}
	ts.Value("trees").(map[string]string)[args[0]] = treeHash(ts, ts.MkAbs(args[1]))
}

func same(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] same NAME DIR")
	}
	was, ok := ts.Value("trees").(map[string]string)[args[0]]
	if !ok {
		ts.Fatalf("nothing was noted as %s", args[0])
	}
	if is := treeHash(ts, ts.MkAbs(args[1])); (is == was) == neg {
		ts.Fatalf("%s: same as noted: %v", args[1], is == was)
	}
}

// treeHash covers the name, mode and bytes of everything below dir, except who
// held the lock last.
func treeHash(ts *testscript.TestScript, dir string) string {
	h := sha256.New()
	ts.Check(filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Base(name) == ".lock" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch entries, err := os.ReadDir(name); {
			case filepath.ToSlash(rel) == "ops/cache": // derived, and anybody's to write
				return filepath.SkipDir
			case rel == "ops" && err == nil && len(entries) == 1 && entries[0].Name() == "cache":
				return filepath.SkipDir
			}
		}
		fmt.Fprintf(h, "%q %s\n", rel, info.Mode())
		if d.IsDir() {
			return nil
		}
		text, err := os.ReadFile(name)
		fmt.Fprintf(h, "%d %x\n", len(text), sha256.Sum256(text))
		return err
	}))
	return hex.EncodeToString(h.Sum(nil))
}

func oneJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: onejson stdout|stderr")
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(args[0]))))
	var v any
	if err := dec.Decode(&v); err != nil {
		ts.Fatalf("%s is no JSON: %v", args[0], err)
	}
	if err := dec.Decode(&v); !errors.Is(err, io.EOF) {
		ts.Fatalf("%s holds more than one JSON document", args[0])
	}
}

func lock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lock DIR")
	}
	file := filepath.Join(ts.MkAbs(args[0]), "ops", ".lock")
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
	l := flock.New(file)
	if ok, err := l.TryLockContext(context.Background(), 1); err != nil || !ok {
		ts.Fatalf("can't take the lock: %v", err)
	}
	ts.Defer(func() { _ = l.Unlock() })
}

// awaits waits until a file holds a text: what a process in the background is to write.
func awaits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: awaits FILE TEXT")
	}
	late := time.After(time.Minute)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Contains(string(text), args[1]) {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			ts.Fatalf("%s holds no %q within a minute:\n%s", args[0], args[1], text)
		}
	}
}
