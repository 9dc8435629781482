package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every scene of the demonstration shows something: each command prints at least a line, and so does each
// block that the agent is given.
func TestDemo(t *testing.T) {
	exe := program(t)
	home := t.TempDir()
	out, errs, code, err := call(exe, t.TempDir(), append(os.Environ(), "HOME="+home, "MEMORY_WORKSPACE="), "demo")
	if err != nil || code != 0 || errs != "" {
		t.Fatalf("memory demo: exit code %d, %v\n%s", code, err, errs)
	}
	scenes := strings.Split(out, "\n# ")[1:]
	for _, empty := range emptyParts(out) {
		t.Errorf("nothing follows %q", empty)
	}
	// What a newcomer is to see in it, whatever the exact words are.
	for i, want := range []string{
		`memories +\d\d`,
		`mem_pgpool000001(?s:.*)mem_sandbox00001(?s:.*)summari[sz]e mem_incident0001(?s:.*)archive mem_cookies00001`,
		`(?m)^merged .*mem_prices000001`,
		`run_\w+ +2026-03-01(?s:.*)chain intact`,
		`mem_prices000002`,
		`\[-12-\] \{\+20\+\}`,
		`restored mem_cookies00001`,
		`<memory id="mem_pgpool000003"`,
		`sessions/demo-1/mem_`,
		`<memory id="mem_cartbadge002"`,
		`to agent:DEV-001(?s:.*)demo-1 +claude +start +[1-9](?s:.*)demo-1 +claude +prompt +[1-9]`,
		`clean: \d\d memories`,
	} {
		if i >= len(scenes) || !regexp.MustCompile(want).MatchString(scenes[i]) {
			t.Errorf("scene %d lacks %q:\n%s", i+1, want, strings.Join(scenes[min(i, len(scenes)):min(i+1, len(scenes))], ""))
		}
	}
	// Plan, run and log count the same memories.
	if alone := regexp.MustCompile(`\d+ left alone`).FindAllString(out, -1); len(alone) != 3 || alone[0] != alone[1] || alone[1] != alone[2] {
		t.Errorf("%q are left alone", alone)
	}
	if len(scenes) != 12 {
		t.Errorf("%d scenes, want 12", len(scenes))
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("the demonstration left %v in HOME, %v", left, err)
	}

	for _, wrong := range []string{"# A scene.\n\n# Another.\n$ memory x\ny\n", "# A scene.\n$ memory x\n\n$ memory y\nz\n", "# A scene.\nthe hook of its host gives the agent:\n\n# B.\nx\n", "# A scene.\n$ memory x\n"} {
		if len(emptyParts(wrong)) != 1 {
			t.Errorf("%q would not be noticed: %q", wrong, emptyParts(wrong))
		}
	}
}

// emptyParts returns the titles, commands and announcements of a demonstration that nothing follows.
func emptyParts(out string) (empty []string) {
	announces := regexp.MustCompile(`^(\$ memory .*|the hook of its host gives the agent:)$`)
	title := regexp.MustCompile(`^# .*\.$`)
	last := ""
	for line := range strings.Lines(out + "# .") {
		line = strings.TrimSpace(line)
		switch {
		case announces.MatchString(line), title.MatchString(line):
			if last != "" && !(title.MatchString(last) && announces.MatchString(line)) {
				empty = append(empty, last)
			}
			last = line
		case line != "":
			last = ""
		}
	}
	return empty
}
