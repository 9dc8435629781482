package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// What docs/evaluation.md shows of memeval is what it prints: every line of an
// example, in order, "…" standing for lines left out.
func TestExamplesInTheDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/evaluation.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("testdata")
	examples := 0
	for _, block := range strings.Split(string(text), "```\n") {
		first, shown, _ := strings.Cut(block, "\n")
		command, ok := strings.CutPrefix(first, "$ memeval ")
		if !ok {
			continue
		}
		examples++
		var out, errs bytes.Buffer
		if code := run(strings.Fields(command), strings.NewReader(""), &out, &errs); code != 0 {
			t.Errorf("memeval %s: exit code %d: %s", command, code, errs.String())
			continue
		}
		rest := out.String()
		for _, line := range strings.Split(strings.TrimSuffix(shown, "\n"), "\n") {
			if strings.TrimSpace(line) == "…" {
				continue
			}
			_, after, ok := strings.Cut("\n"+rest, "\n"+line+"\n")
			if !ok {
				t.Errorf("memeval %s doesn't print %q, or not there", command, line)
			}
			rest = after
		}
	}
	if examples != 2 {
		t.Errorf("%d examples found", examples)
	}
}
