package cli

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// hostileValues are what no option and no argument is meant to be given.
var hostileValues = []string{
	"", " ", "\x00", "a\x00b", "\xff\xfe", "\x1b[31mred\a", "\n", "a\nb\r\n", "\u202edcba", "e\u0301", "-", "--", "-x", "-1", "0", "1.5", "5", "1e400", "NaN", "0x10",
	"99999999999999999999", "-99999999999999999999", strings.Repeat("a", 20_000), strings.Repeat("é ", 300), "a/b", "..", ".", "sub/../x", `C:\x`, "[", `{"a":`, "$(x)", "%s%d%n", "🙈", "null", "a,b,,c", "team:", ":x", "2026-13-45",
}

// What the hostile values stand behind, by command: what it needs to come to them.
var beforeValues = map[string][]string{
	"add": {"--type", "factual", "--text", "x"}, "import": {"."}, "export": {"--format", "jsonl"}, "session": {"end"}, "simulate": {"--days", "1"}, "service": {"install", "--print"},
	"archive": {"b"}, "edit": {"a"}, "tag": {"a", "t"}, "promote": {"a"}, "link": {"a", "DEPENDS_ON", "b"}, "undo": {"last"}, "recall": {"till"}, "context": {"--no-count"},
	"restore": {"a"}, "demote": {"a"}, "unlink": {"a", "DEPENDS_ON", "b"}, "init": {"other"}, "hook": {"claude", "SessionStart"}, "model": {"receipts"}, "git": {"install"},
	"login": {"https://127.0.0.1:1", "acme"}, "show": {"a"},
}

// Options and commands that ask another program or another machine whatever they are given, or stay.
var notTried = []string{"watch", "serve", "mcp", "demo", "sync"}

// runHostile is one run of a command in this process: a panic is a result too.
func runHostile(dir string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	defer func() {
		if r := recover(); r != nil {
			code, stderr = -1, fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	code = Run(ctx, Process{
		Args: append([]string{"memory"}, args...), Env: []string{"PATH=/nowhere", "TZ=UTC", "HOME=" + filepath.Join(dir, "home")}, Dir: dir,
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
	})
	return code, out.String(), errs.String()
}

// filesBelow are the files of a directory with size and time, without what is derived.
func filesBelow(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "cache" {
			return fs.SkipDir
		}
		if d.IsDir() {
			all[name] = "directory"
			return nil
		}
		info, err := d.Info()
		if err == nil {
			all[name] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Whatever the values of options and the arguments of a command are, it ends with one of the exit codes, says why where it fails, in
// characters that a terminal may have, and a mistake in the line writes nothing.
func TestHostileValues(t *testing.T) {
	values := hostileValues
	if testing.Short() {
		values = values[:12]
	}
	for _, cmd := range builtCommands() {
		if slices.Contains(notTried, cmd.name) {
			continue
		}
		t.Run(cmd.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "project")
			if err := random.Write(dir, map[string]string{
				"memory/memory.toml":            "",
				"memory/global/a.json":          `{"id":"a","type":"factual","created_by":"DEV-001","created_at":"2026-01-01T00:00:00Z","content":"The till is blue"}`,
				"memory/agents/DEV-001/b.json":  `{"id":"b","type":"procedural","created_by":"DEV-001","created_at":"2026-01-02T00:00:00Z","content":"Open the till"}`,
				"memory/archive/c.json":         `{"id":"c","type":"factual","created_by":"DEV-001","created_at":"2026-01-02T00:00:00Z","content":"The lamp is off"}`,
				"memory/sessions/s/_index.json": `{"version":"1.0.0","entries":[]}`,
			}); err != nil {
				t.Fatal(err)
			}
			before := filesBelow(t, dir)
			try := func(args ...string) {
				code, out, errs := runHostile(dir, args...)
				said := func(text string) string {
					return fmt.Sprintf("%.200q: %s: exit code %d\n%.500s%.500s", args, text, code, out, errs)
				}
				switch {
				case code < fail.ExitDone || code > fail.ExitNotFound || strings.Contains(errs, "panic") || strings.Contains(errs, "goroutine "):
					t.Error(said("panics, or has no exit code of ours"), errs)
				case code != fail.ExitDone && code != fail.ExitProblems && errs == "":
					t.Error(said("says nothing"))
				case cmd.name != "completion" && strings.ContainsAny(out+errs, "\x1b\a\x00"):
					t.Error(said("writes control characters"))
				case len(errs) > 60_000:
					t.Error(said("repeats all of it"))
				}
				after := filesBelow(t, dir)
				if code == fail.ExitUsage && !maps.Equal(before, after) {
					t.Error(said("a mistake in the line writes"))
				}
				before = after
			}
			base := beforeValues[cmd.name]
			flags := cmd.flags
			if cmd.name == "list" { // those of every command are read in one place
				flags = append(globalFlags(), flags...)
			}
			for _, f := range flags {
				name := "--" + f.Names()[0]
				if _, lone := f.(*urfave.BoolFlag); lone {
					try(slices.Concat([]string{cmd.name}, base, []string{name + "=perhaps"})...)
					continue
				}
				for _, value := range values {
					try(slices.Concat([]string{cmd.name, name + "=" + value}, base)...)
				}
			}
			for _, value := range values {
				if cmd.name == "service" { // it would install
					continue
				}
				try(cmd.name, value)
				if len(base) > 0 {
					try(slices.Concat([]string{cmd.name}, base, []string{value})...)
				}
			}
			try(slices.Concat([]string{cmd.name}, slices.Repeat([]string{"x"}, 500))...)
		})
	}
}
