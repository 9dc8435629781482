package cli

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

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
		for _, row := range flagTable(cmd.flags).rows {
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
