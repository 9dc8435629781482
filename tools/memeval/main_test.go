package main

import (
	"compress/gzip"
	"errors"
	"flag"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden outputs in the scripts")

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"memeval": main}) }

// TestScripts runs testdata/script/*.txtar against the program. Besides the
// commands of testscript, a script has:
//
//	exits CODE PROGRAM ARGS…   the program must end with this exit code
//	pack FILE GZ               compress a file
//	long FILE MIB              a row of a text of so many MiB
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "pack": pack, "long": long},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

func pack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pack FILE GZ")
	}
	f, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	z := gzip.NewWriter(f)
	_, err = z.Write([]byte(ts.ReadFile(args[0])))
	ts.Check(errors.Join(err, z.Close(), f.Close()))
}

func long(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: long FILE MIB")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	row := `{"id":"long","text":"` + strings.Repeat("tomorrow it may rain, ", n<<20/22+1) + `","ref":"2026-03-01"}`
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(row), 0o644))
}

// Any input is answered or refused, with the exit code that says which.
func FuzzRun(f *testing.F) {
	for _, row := range []string{
		`{"id":"a","a":"x","b":"y","label":1}`, `{"id":"a","text":"yesterday","ref":"2026-03-01"}`, `[]`, `{"id":"\t"}`, "\x1f\x8b", "\ufeff\n\n",
		`{"id":"a","text":"b c"}`, `{"id":"q","question":"b last week","question_date":"2026-03-01"}`,
		`{"id":"a","refs":["x","y","z"],"old":{"text":"b is c"},"new":{"title":"t","text":"b is d"}}`,
	} {
		f.Add(row)
	}
	f.Fuzz(func(t *testing.T, input string) {
		for _, args := range []string{"neardup -", "neardup --calibrate -", "temporal -", "summarise --words 9 -", "supersession --evidence -", "recall -"} {
			var out, errs strings.Builder
			code := run(strings.Fields(args), strings.NewReader(input), &out, &errs)
			if code != 0 && code != 1 || (code == 0) != (errs.Len() == 0) {
				t.Fatalf("memeval %s: exit code %d: %s", args, code, errs.String())
			}
			if lines := strings.Count(out.String(), "\n"); code == 0 && lines == 0 && strings.TrimSpace(strings.TrimPrefix(input, "\ufeff")) != "" && !strings.HasPrefix(args, "temporal") && !strings.HasPrefix(args, "recall") {
				t.Fatalf("memeval %s answers nothing to %q", args, input)
			}
		}
	})
}
