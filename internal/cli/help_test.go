package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/term"
)

// run runs a command line without a workspace in reach.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(context.Background(), Process{
		Args: append([]string{"memory"}, args...), Dir: t.TempDir(),
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
	})
	return code, out.String(), errs.String()
}

// builtCommands are all commands.
func builtCommands() (all []*command) {
	for _, name := range commands().names() {
		all = append(all, commands().find(name))
	}
	return all
}

func TestEveryCommandExplainsItself(t *testing.T) {
	_, overview, _ := run(t, "help", "--all")
	for _, cmd := range builtCommands() {
		t.Run(cmd.name, func(t *testing.T) {
			if cmd.purpose == "" || strings.Contains(cmd.purpose, "\n") || strings.HasSuffix(cmd.purpose, ".") {
				t.Errorf("purpose %q: want one line without a full stop", cmd.purpose)
			}
			if !strings.Contains(overview, "\n  "+pad(cmd.name, 11)+"  "+cmd.purpose+"\n") {
				t.Error("missing in help --all")
			}
			code, byHelp, _ := run(t, "help", cmd.name)
			if code != fail.ExitDone {
				t.Fatalf("help %s: exit code %d", cmd.name, code)
			}
			if _, byFlag, _ := run(t, cmd.name, "--help"); byFlag != byHelp {
				t.Error("help and --help differ")
			}
			for _, want := range []string{"memory " + cmd.name + ": " + cmd.purpose, "Usage:\n  memory " + cmd.name, "Example:\n  "} {
				if !strings.Contains(byHelp, want) {
					t.Errorf("help lacks %q:\n%s", want, byHelp)
				}
			}
			for _, line := range strings.Split(cmd.detail, "\n") {
				if term.Columns(line) > 82 {
					t.Errorf("line of %d columns: %s", term.Columns(line), line)
				}
			}
			if strings.Contains(strings.ReplaceAll(byHelp, fail.DocsURL(""), ""), "docs/") {
				t.Errorf("the help names a page without its address:\n%s", byHelp)
			}
			page, section, _ := strings.Cut(cmd.page, "#")
			if text, err := os.ReadFile("../../docs/" + page); page != "" && (err != nil || section != "" && !hasSection(string(text), section)) {
				t.Errorf("no page %s: %v", cmd.page, err)
			}
			for _, f := range cmd.flags {
				if doc, ok := f.(urfave.DocGenerationFlag); !ok || doc.GetUsage() == "" {
					t.Errorf("--%s says nothing", f.Names()[0])
				}
				if !strings.Contains(byHelp, "  --"+f.Names()[0]) {
					t.Errorf("--%s is missing in the help", f.Names()[0])
				}
			}
		})
	}
}

// hasSection reports whether a page has a heading with this anchor, as GitHub makes it.
func hasSection(page, anchor string) bool {
	for line := range strings.Lines(page) {
		if title, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok && strings.ReplaceAll(strings.ToLower(title), " ", "-") == anchor {
			return true
		}
	}
	return false
}

// The first page is what a newcomer sees: ten commands on one screen, and nothing that only programs call.
func TestFirstPage(t *testing.T) {
	_, page, _ := run(t)
	for _, same := range [][]string{{"help"}, {"-h"}, {"--help"}} {
		if _, other, _ := run(t, same...); other != page {
			t.Errorf("%v prints another page", same)
		}
	}
	lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	if len(lines) > 24 {
		t.Errorf("%d lines", len(lines))
	}
	var listed []string
	for _, line := range lines {
		if term.Columns(line) > 80 {
			t.Errorf("%d columns: %s", term.Columns(line), line)
		}
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "  "), "  "); ok && strings.HasPrefix(line, "  ") && commands().find(strings.TrimSpace(name)) != nil {
			listed = append(listed, strings.TrimSpace(name))
		}
	}
	if want := strings.Fields("init install add recall plan consolidate review undo status serve"); !slices.Equal(listed, want) {
		t.Errorf("lists %q, want %q", listed, want)
	}
}

// With --json, help is one document: of all commands, or of one.
func TestHelpDocument(t *testing.T) {
	_, out, _ := run(t, "help", "--json")
	var all struct {
		Commands               []struct{ Name, Group, Purpose, Usage string }
		Options                []struct{ Name, Value, Text string }
		ExitCodes, Environment []struct{ Name, Text string }
	}
	if err := json.Unmarshal([]byte(strings.Replace(out, "exit_codes", "exitcodes", 1)), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Commands) != len(commands()) || len(all.ExitCodes) != len(fail.Meanings) || len(all.Environment) == 0 {
		t.Errorf("%d commands, %d exit codes, %d variables", len(all.Commands), len(all.ExitCodes), len(all.Environment))
	}
	if o := all.Options[0]; o.Name != "--workspace" || o.Value != "DIR" || o.Text == "" {
		t.Errorf("the first option is %+v", o)
	}
	for _, cmd := range builtCommands() {
		code, out, _ := run(t, "help", cmd.name, "--json")
		var one struct {
			Name, Usage, Example string
			Options              []struct{ Name, Text string }
		}
		if err := json.Unmarshal([]byte(out), &one); err != nil || code != fail.ExitDone || one.Name != cmd.name || one.Example == "" || len(one.Options) != len(cmd.flags) {
			t.Errorf("help %s --json: exit code %d, %v: %s", cmd.name, code, err, out)
		}
	}
}

// The examples in the help are lines that the program understands.
func TestExamplesAreUnderstood(t *testing.T) {
	for _, cmd := range builtCommands() {
		words := shellWords(strings.TrimSuffix(strings.TrimPrefix(cmd.example, "source <("), ")"))
		if len(words) < 2 || words[0] != "memory" || words[1] != cmd.name {
			t.Errorf("%s: its example is of something else: %s", cmd.name, cmd.example)
			continue
		}
		l, err := parseLine(words[1:], memoryProgram())
		if err != nil {
			t.Errorf("%s: %v", cmd.example, err)
			continue
		}
		if n := len(l.args); n < cmd.least || cmd.most >= 0 && n > cmd.most {
			t.Errorf("%s: %d arguments", cmd.example, n)
		}
	}
}

// shellWords splits a line at blanks outside of double quotes.
func shellWords(line string) (words []string) {
	word, quoted, open := "", false, false
	for _, r := range line + " " {
		switch {
		case r == '"':
			quoted, open = !quoted, true
		case r == ' ' && !quoted:
			if open || word != "" {
				words = append(words, word)
			}
			word, open = "", false
		default:
			word += string(r)
		}
	}
	return words
}

func TestNoCommandTakesAGlobalFlagForItself(t *testing.T) {
	global := flagForms(globalFlags())
	for _, cmd := range builtCommands() {
		seen := map[string]bool{}
		for _, f := range cmd.flags {
			for _, name := range f.Names() {
				if _, taken := global[name]; taken || seen[name] {
					t.Errorf("%s: --%s stands twice", cmd.name, name)
				}
				seen[name] = true
			}
		}
	}
}

// Every page has the parts of a page, says of every option what it does, and holds no line
// that its readers would take for a macro.
func TestManual(t *testing.T) {
	macro := regexp.MustCompile(`^\.(TH|SH|SS|TP|B|nf|fi)( "[^"]*")*$`)
	pages := map[string]string{"": manual(commands(), nil)}
	for _, cmd := range builtCommands() {
		pages[cmd.name] = manual(commands(), cmd)
		if want := `.B "memory\-` + strings.ReplaceAll(cmd.name, "-", `\-`) + `(1)"`; !strings.Contains(pages[""], want) {
			t.Errorf("the first page lacks %s", want)
		}
		for _, row := range flagTable(cmd.flags).Rows {
			if !strings.Contains(pages[cmd.name], roff(row[0])) {
				t.Errorf("%s: its page lacks %s", cmd.name, row[0])
			}
		}
	}
	for name, page := range pages {
		for _, want := range []string{`.TH "MEMORY`, `.SH "NAME"`, `.SH "SYNOPSIS"`} {
			if !strings.Contains(page, want) {
				t.Errorf("%q lacks %s", name, want)
			}
		}
		for line := range strings.Lines(page) {
			if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, ".") && !macro.MatchString(line) || strings.HasPrefix(line, "'") {
				t.Errorf("%q: no macro of ours: %s", name, line)
			}
		}
	}
}

// groff, where it is there, has nothing to say against the pages.
func TestManualInGroff(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("SKIPPED: groff is not installed: the pages are not typeset")
	}
	var all bytes.Buffer
	all.WriteString(manual(commands(), nil))
	for _, cmd := range builtCommands() {
		all.WriteString(manual(commands(), cmd))
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = &all
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
