//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documented is a command line of the documentation.
type documented struct {
	where string
	words []string // without the program
	whole bool     // it is to be typed; else a text names a command and some of its options
}

// placeholders are what the documentation writes for something of the reader's, and what there is of
// it in the prepared workspace.
var placeholders = map[string]string{
	"ID": "mem_k3x9q0a7b2cd", "RUN": "@run", "rev_3f9a01bc": "@review", "run_20260301T090000Z_1f2e3d4c": "@run",
	"HOST": "claude", "EVENT": "SessionStart", "AGENT": "DEV-001", "COMMAND": "plan", "KEY": "run.limit", "FORMAT": "jsonl",
	"PATH": "notes.md", "FILE": "AGENTS.md", "DIR": "elsewhere", "…": "text", "SHELL": "bash", "NAME": "plan", "mem_": "mem_k3x9q0a7b2cd", "A": "mem_k3x9q0a7b2cd", "B": "mem_p1r8t5v2x9z4",
}

// notRun are lines that can't be run here; their commands and options are checked.
var notRun = map[string]string{
	"watch":                     "runs until it is stopped: TestWatch",
	"serve":                     "runs until it is stopped, and opens a browser: serve.txtar",
	"clusters mem_k3x9q0a7b2cd": "needs memories that were put together: enrich.txtar",
	"hook":                      "ends well whatever happens, since a host would stop for another exit code: hook.txtar",
	"git install":               "needs a git repository: git.txtar",
	"sync":                      "needs a git repository: git.txtar",
	"login":                     "needs a hub: hub_online.txtar",
	"logout":                    "needs a hub: hub_online.txtar",
	"merge-file base.json ours.json theirs.json": "needs three files: mergefile.txtar",
	"service install":   "changes the services of the machine, but for --dry-run: service.txtar",
	"adopt":             "needs a folder of a host: adopt.txtar",
	"unadopt":           "needs an adopted folder: adopt.txtar",
	"service uninstall": "changes the services of the machine",
}

// needs are commands that make what another one needs.
var needs = map[string][]string{
	"restore": {"archive", "mem_k3x9q0a7b2cd"},
	"demote":  {"promote", "mem_k3x9q0a7b2cd", "--to", "global"},
	"unlink":  {"link", "mem_k3x9q0a7b2cd", "DEPENDS_ON", "mem_p1r8t5v2x9z4"},
}

// TestDocumentedLines runs every command line of the documentation: those in fenced blocks and in the
// help, in a workspace that has what they name; of those in a running text the command and the options
// are checked.
func TestDocumentedLines(t *testing.T) {
	exe := program(t)
	lines := documentedLines(t, exe)
	d := prepare(t, exe, lines)
	whole, tried := 0, map[string]bool{}
	for _, line := range lines {
		if line.whole {
			whole++
		}
		if key := fmt.Sprint(line.words, line.whole); tried[key] {
			continue
		} else {
			tried[key] = true
		}
		if err := d.try(t, line); err != nil {
			t.Errorf("%s: memory %s: %v", line.where, strings.Join(line.words, " "), err)
		}
	}
	if whole < 40 || len(lines) < 100 {
		t.Errorf("only %d lines were found, %d of them to be typed", len(lines), whole)
	}
	for _, wrong := range [][]string{{"nosuch"}, {"plan", "--nosuch"}, {"watch", "--nosuch"}, {"show", "mem_nowhere"}, {"hook", "claude", "SessionStart", "--nosuch"}} {
		if d.try(t, documented{words: wrong, whole: true}) == nil {
			t.Errorf("memory %v would not be noticed", wrong)
		}
	}
}

// docs is a prepared workspace, in the directory project of a home.
type docs struct {
	exe, home string
	names     map[string]string
}

func (d docs) env(home string) []string {
	return []string{"HOME=" + home, "PATH=" + filepath.Dir(d.exe) + ":" + os.Getenv("PATH"), "MEMORY_AT=2026-03-01T09:00:00Z", "EDITOR=true"}
}

func prepare(t *testing.T, exe string, lines []documented) docs {
	d := docs{exe: exe, home: t.TempDir(), names: map[string]string{}}
	project := filepath.Join(d.home, "project")
	record := `{"id":%q,"type":%q,"created_at":"2026-01-0%dT00:00:00Z","created_by":"DEV-001","tags":["db"],"access_count":1,"last_accessed":"2026-02-20T00:00:00Z","content":{"details":%q}}`
	for i, text := range []string{
		"The database listens on port 5432 in staging and in production", "The database listens on port 5433 in staging and in production",
		"Run the migrations before the deploy and watch the queue", "Run the migrations before the deploy, and watch the queue",
		"The nightly report takes ten minutes and is mailed to the team", "The nightly report takes ten minutes, and is mailed to the team",
	} {
		id := fmt.Sprintf("mem_made%08d", i)
		put(t, filepath.Join(project, "memory/global", id+".json"), fmt.Sprintf(record, id, "factual", i+1, text))
	}
	for _, line := range lines {
		for _, id := range regexp.MustCompile(`(?m)^mem_[a-z0-9]{12}$`).FindAllString(strings.Join(line.words, "\n"), -1) {
			put(t, filepath.Join(project, "memory/agents/DEV-001", id+".json"), fmt.Sprintf(record, id, "procedural", 9, "Start the shop with make "+id))
		}
	}
	put(t, filepath.Join(project, "memory/teams/development/mem_team00000000.json"), fmt.Sprintf(record, "mem_team00000000", "procedural", 9, "Review before you merge"))
	put(t, filepath.Join(project, "memory/projects/web/mem_web000000000.json"), fmt.Sprintf(record, "mem_web000000000", "factual", 9, "The pages are rendered on the server"))
	put(t, filepath.Join(project, "memory/memory.toml"), "")
	put(t, filepath.Join(project, "notes.md"), "# Notes\n\nThe till counts coins at noon.\n")
	put(t, filepath.Join(project, "AGENTS.md"), "# Rules\n")
	put(t, filepath.Join(project, "reads.jsonl"), `{"at":"2026-03-02T09:00:00Z","id":"mem_k3x9q0a7b2cd"}`+"\n")
	put(t, filepath.Join(d.home, ".claude/projects/shop/memory/till.md"), "---\nname: till\ndescription: the till\ntype: project\n---\n\nThe till counts coins at noon.\n")
	for _, args := range [][]string{{"reindex"}, {"consolidate"}, {"context", "--session", "6f1c2d3e-0001"}} {
		if out, errs, code, err := call(exe, project, d.env(d.home), args...); err != nil || code != 0 {
			t.Fatalf("%v: exit code %d, %v\n%s%s", args, code, err, out, errs)
		}
	}
	for name, pattern := range map[string]string{"@run": `run_\w+`, "@review": `rev_\w+`} {
		var all bytes.Buffer
		for _, args := range [][]string{{"log"}, {"review"}} {
			out, errs, _, _ := call(exe, project, d.env(d.home), args...)
			all.WriteString(out + errs)
		}
		if d.names[name] = regexp.MustCompile(pattern).FindString(all.String()); d.names[name] == "" {
			t.Fatalf("the prepared workspace has no %s:\n%s", name, all.String())
		}
	}
	return d
}

// try runs a line in a copy of the workspace, which is sound afterwards.
func (d docs) try(t *testing.T, line documented) error {
	words := d.filled(line.words)
	reason := unrun(words)
	help := !line.whole || reason != "" && !slices.Contains(words, "--dry-run")
	if help {
		words = append(slices.DeleteFunc(words, func(w string) bool { return w == "--json" }), "--help")
	}
	home := d.home // help changes nothing
	if !help {
		home = t.TempDir()
		if err := os.CopyFS(home, os.DirFS(d.home)); err != nil {
			return err
		}
	}
	for i, word := range words {
		if rest, ok := strings.CutPrefix(word, "~/"); ok { // as a shell does
			words[i] = filepath.Join(home, rest)
		}
	}
	project := filepath.Join(home, "project")
	if before := needs[words[0]]; before != nil && !help {
		if _, errs, code, err := call(d.exe, project, d.env(home), before...); err != nil || code != 0 {
			return fmt.Errorf("%v before it: exit code %d, %v\n%s", before, code, err, errs)
		}
	}
	out, errs, code, err := call(d.exe, project, d.env(home), words...)
	switch {
	case err != nil:
		return err
	case code != 0, help && !strings.HasPrefix(out, "memory "+words[0]+": "):
		return fmt.Errorf("exit code %d\n%s%s", code, out, errs)
	case help:
		return nil
	}
	if out, errs, code, err := call(d.exe, project, d.env(home), "check"); err != nil || code != 0 {
		return fmt.Errorf("check afterwards: exit code %d, %v\n%s%s", code, err, out, errs)
	}
	return nil
}

func (d docs) filled(words []string) []string {
	filled := make([]string, len(words))
	for i, word := range words {
		if name, ok := placeholders[strings.TrimSuffix(word, "…")]; ok {
			word = name
		}
		if made, ok := d.names[word]; ok {
			word = made
		}
		filled[i] = word
	}
	return filled
}

// unrun is why a line isn't run, "" if it is.
func unrun(words []string) string {
	for n := min(2, len(words)); n > 0; n-- {
		if reason := notRun[strings.Join(words[:n], " ")]; reason != "" {
			return reason
		}
	}
	return ""
}

var (
	span    = regexp.MustCompile("`memory ([^`]+)`")
	comment = regexp.MustCompile(`(?:\s+#|\s{2,}\S).*$`)
)

// documentedLines finds the lines in README.md, docs and the help.
func documentedLines(t *testing.T, exe string) (all []documented) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fenced := false
		for i, line := range strings.Split(string(text), "\n") {
			where := fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
			switch {
			case strings.HasPrefix(strings.TrimSpace(line), "```"):
				fenced = !fenced
			case fenced:
				line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
				if rest, ok := strings.CutPrefix(comment.ReplaceAllString(line, ""), "memory "); ok && !strings.HasPrefix(line, "memory is ") {
					all = append(all, documented{where, shellWords(rest), true})
				}
			default:
				for _, found := range span.FindAllStringSubmatch(line, -1) {
					all = append(all, documented{where, shellWords(found[1]), false})
				}
			}
		}
	}
	overview, _, _, _ := call(exe, t.TempDir(), os.Environ(), "help", "--man")
	for _, found := range regexp.MustCompile(`"memory\\-([a-z]+)\(1\)"`).FindAllStringSubmatch(overview, -1) {
		help, _, _, _ := call(exe, t.TempDir(), os.Environ(), "help", found[1])
		_, examples, _ := strings.Cut(help, "\nExample:\n")
		for line := range strings.Lines(examples) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "memory "); ok {
				all = append(all, documented{"help of " + found[1], shellWords(rest), true})
			}
		}
	}
	return all
}

// shellWords splits a line at blanks outside of double quotes, up to a pipe.
func shellWords(line string) (words []string) {
	line, _, _ = strings.Cut(line, " | ")
	for _, found := range regexp.MustCompile(`(?:[^\s"]|"[^"]*")+`).FindAllString(line, -1) {
		words = append(words, strings.ReplaceAll(found, `"`, ""))
	}
	return words
}
