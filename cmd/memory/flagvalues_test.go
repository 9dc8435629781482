//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// badValues are values that flags don't take, by flag: each is tried with every command beside it.
var badValues = []struct {
	values string // parted by "|"
	lines  []string
}{
	{"-1|0|x|1.5|99999999999999999999", []string{"list --limit", "recall x --limit", "log --limit", "receipts --limit", "simulate --days", "undo last --action"}},
	{"-1|x|1.5", []string{"plan --max", "consolidate --max", "forecast --limit", "context --budget", "simulate --max"}},
	{"nonsense|2026-13-45|99:99|03/05/2026", []string{"recall x --since", "recall x --until", "enrich --since", "enrich --until", "list --since", "log --until", "history a --since", "receipts --until"}},
	{"nonsense|-5m|5", []string{
		"forecast --within", "consolidate --pause", "consolidate --wait", "enrich --wait", "undo last --wait", "session end --session s --wait", "watch --debounce",
		"watch --compare", "serve --idle-exit",
	}},
	{"nonsense|127.0.0.1:99999|127.0.0.1:-1|:7420|0.0.0.0:7420|::1", []string{"serve --addr", "watch --metrics"}},
	{"nonsense", []string{
		"list --tier", "list --sort", "recall x --mode", "list --scope", "plan --scope", "plan --trigger", "consolidate --trigger", "consolidate --scope", "clusters --scope",
		"export x --format", "export x --format markdown --scope", "import x --format", "context --format", "add x --priority", "add x --scope", "enrich --stage", "enrich --scope", "list --at",
		"init elsewhere --preset", "install --host", "uninstall --host", "check --host", "edit a --content", "edit a --set", "add --type semantic --content",
	}},
	{"", []string{ // of a variable that isn't set
		"session end --session", "session end --agent", "context --into", "context --agent", "add x --type", "add x --id", "add --text", "list --tag", "review --group",
		"list --workspace", "serve --token-file", "recall x --type",
	}},
}

func callFor(t *testing.T, patience time.Duration, exe, dir string, args ...string) (stdout, stderr string, code int, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, args...)
	var out, errs strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), "MEMORY_WORKSPACE=", "HOME="+dir), &out, &errs
	var exit *exec.ExitError
	if err = cmd.Run(); errors.As(err, &exit) && exit.Exited() {
		code, err = exit.ExitCode(), nil
	}
	return out.String(), errs.String(), code, err
}

// A value that a flag doesn't take is misuse of the command line: exit code 2, one line that names the flag or the value, a hint at most, and nothing
// is done.
func TestBadFlagValues(t *testing.T) {
	exe, dir := program(t), t.TempDir()
	put(t, filepath.Join(dir, "memory.toml"), "")
	put(t, filepath.Join(dir, "global/a.json"), `{"id":"a","type":"semantic","created_at":"2026-02-28T00:00:00Z","content":"The kiln is hot"}`)
	before := hashes(t, dir)
	for _, row := range badValues {
		for _, line := range row.lines {
			for value := range strings.SplitSeq(row.values, "|") {
				words := strings.Fields(line)
				flag := words[len(words)-1]
				words[len(words)-1] += "=" + value
				out, errs, code, err := callFor(t, time.Minute, exe, dir, words...) // a server would stay
				message, hint, _ := strings.Cut(strings.TrimSuffix(errs, "\n"), "\n")
				told := strings.Contains(message, flag) || value != "" && strings.Contains(message, value)
				if err != nil || code != 2 || out != "" || !told || !strings.HasPrefix(message, "memory: ") || strings.Count(hint, "\n") > 0 || hint != "" && !strings.HasPrefix(hint, "hint: ") {
					t.Errorf("memory %s: exit code %d, %v\n%s%s", strings.Join(words, " "), code, err, out, errs)
				}
			}
		}
	}
	after := hashes(t, dir)
	for name := range after {
		if before[name] != after[name] && !strings.HasPrefix(strings.TrimPrefix(name, dir), "/ops/") {
			t.Errorf("%s was written", name)
		}
	}
	sound(t, dir)
}
