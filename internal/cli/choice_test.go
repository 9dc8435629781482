package cli

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/layout"
)

// Options of which the values are listed. The ends of the line that a command needs
// besides stand under its name.
var (
	choices = map[string][]string{
		"sort": {"updated", "created", "read", "reads", "score", "id", "type"}, "tier": {"hot", "warm", "cold", "archived"},
		"scope": {"global", "team:", "agent:", "project:", "session:"}, "preset": config.Presets(),
		"mode": {"reflexive", "standard", "deep", "exhaustive"}, "context format": {"xml", "markdown", "json"},
		"trigger":  {"manual", "session_end", "index_overflow", "weekly", "threshold", "interval"},
		"priority": {"critical", "high", "medium", "low"}, "host": {"claude", "codex", "gemini", "cursor", "copilot"},
		"stage": enrich.Stages(), "import format": {"mcp", "jsonl", "json", "markdown", "claude", "memory-tool"}, "export format": {"mcp", "jsonl", "json", "markdown", "claude", "memory-tool"},
		"adopt as": layout.Names(), "check format": {"text", "json", "sarif"}, "tools": {"loop", "all"}, "kind": edgefile.Types(), "to": {"team:", "global"}, "for": {"systemd", "launchd", "windows"},
	}
	lineOf = map[string][]string{
		"adopt": {"."}, "check": {"--ci", "--format", "json"}, "add": {"--type", "factual", "--text", "x"}, "import": {"."}, "export": {"out", "--format", "json"}, "recall": {"x"}, "service": {"install", "--print"}, "session": {"end"},
		"simulate": {"--days", "1"}, "forecast": {"m"}, "explain": {"m"}, "promote": {"m"},
	}
	// A type that no rule knows is kept, so that other tools may have their own.
	anything = []string{
		"type", "subtype", "accesses", "tag", "memory", "set", "content", "session", "agent", "since", "until", "project", "query", "into", "at-run", "keep", "within",
		"by", "text", "id", "store", "in", "reason", "debounce", "compare", "metrics", "addr", "allow-host", "token-file", "tls-cert", "tls-key", "idle-exit", "plan", "pause", "wait", "add", "remove", "out", "make", "group", "server-name", "model",
		"remote", "branch", "machine", "alias", "ttl", "review-on", "supersedes", "also", "db", "expires", "label", "organisation", "login", "url", "issuer", "baseline", "changed-since",
	}
)

// An option that takes one of a few values refuses every other one as a mistake in the
// line, and names what was written and what may be.
func TestChoices(t *testing.T) {
	dir := t.TempDir()
	if code := Run(context.Background(), Process{Args: []string{"memory", "init", dir}, Dir: dir, Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}); code != fail.ExitDone {
		t.Fatalf("init: exit code %d", code)
	}
	tried := 0
	for _, cmd := range builtCommands() {
		for _, f := range cmd.flags {
			name := f.Names()[0]
			switch f.(type) {
			case *urfave.StringFlag, *urfave.StringSliceFlag:
			default:
				continue
			}
			want, listed := choices[cmd.name+" "+name]
			if !listed {
				want, listed = choices[name]
			}
			if listed == slices.Contains(anything, name) {
				t.Errorf("%s --%s: does it take one of a few values, or anything?", cmd.name, name)
			}
			if !listed {
				continue
			}
			tried++
			line := lineOf[cmd.name]
			if i := slices.Index(line, "--"+name); i >= 0 {
				line = slices.Delete(slices.Clone(line), i, i+2)
			}
			var out, errs bytes.Buffer
			code := Run(context.Background(), Process{
				Args: slices.Concat([]string{"memory", cmd.name}, line, []string{"--" + name, "beos"}), Dir: dir,
				Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
			})
			if code != fail.ExitUsage || !strings.Contains(errs.String(), "--"+name) || !strings.Contains(errs.String(), `"beos"`) || out.Len() > 0 {
				t.Errorf("%s --%s beos: exit code %d\n%s%s", cmd.name, name, code, out.String(), errs.String())
			}
			for _, w := range want {
				if !strings.Contains(errs.String(), w) {
					t.Errorf("%s --%s beos: %s is not named in %s", cmd.name, name, w, errs.String())
				}
			}
		}
	}
	if tried < 15 {
		t.Errorf("%d options were tried", tried)
	}
}

// So do the words of which a command takes one.
func TestChoicesOfWords(t *testing.T) {
	for line, want := range map[string]string{
		"service beos": "install, uninstall or status", "session beos": "start or end", "completion beos": "bash, zsh, fish or powershell",
	} {
		if code, out, errs := run(t, strings.Fields(line)...); code != fail.ExitUsage || !strings.Contains(errs, `"beos"`) || !strings.Contains(errs, want) || out != "" {
			t.Errorf("%s: exit code %d\n%s%s", line, code, out, errs)
		}
	}
}
