package config

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var updateReference = flag.Bool("update-reference", false, "write the generated part of docs/settings.md")

// docs/settings.md says of every setting what the table says.
func TestReferenceOfSettings(t *testing.T) {
	const page, begins = "../../docs/settings.md", "run \"go generate ./pkg/config\". -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	written, _, ok := strings.Cut(string(text), begins)
	if !ok {
		t.Fatalf("%s lacks the line before the generated part, which ends in %q", page, begins)
	}
	want := written + begins + reference()
	if *updateReference {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Errorf("%s isn't what the table of settings gives: run \"go generate ./pkg/config\"", page)
	}
}

// reference describes the settings in Markdown, a table for each section.
func reference() string {
	var b strings.Builder
	s := Default()
	section := "-"
	for _, row := range s.table() {
		head, _, inSection := strings.Cut(row.key, ".")
		if !inSection {
			head = "At the top of the file"
		}
		if head != section {
			section = head
			fmt.Fprintf(&b, "\n## %s\n\n| setting | type | default | meaning |\n|---|---|---|---|\n", head)
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s |\n", row.key, cell(row.kind()), row.literal(), cell(row.doc))
	}
	b.WriteString("\n## Presets\n\nWhat a preset sets, unless the file says otherwise.\n\n| preset | setting | value |\n|---|---|---|\n")
	for _, name := range Presets() {
		if len(presets[name]) == 0 {
			fmt.Fprintf(&b, "| `%s` | the defaults | |\n", name)
		}
		for _, key := range slices.Sorted(maps.Keys(presets[name])) {
			row, _ := s.find(key)
			row.set(row.parse(presets[name][key]))
			fmt.Fprintf(&b, "| `%s` | `%s` | `%s` |\n", name, key, row.literal())
		}
	}
	return b.String()
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// kind says what values a setting takes.
func (f value) kind() string {
	switch f.p.(type) {
	case *Duration:
		lo, hi := time.Duration(f.lo), time.Duration(f.hi)
		switch {
		case hi != longest:
			return fmt.Sprintf("duration, %s to %s", clock(lo), clock(hi))
		case lo > 0:
			return fmt.Sprintf("duration, %s at least", clock(lo))
		}
		return "duration"
	case *int:
		switch {
		case f.hi != many:
			return fmt.Sprintf("whole number, %d to %d", f.lo, f.hi)
		case f.lo > 0:
			return fmt.Sprintf("whole number, %d at least", f.lo)
		}
		return "whole number"
	case *float64:
		if f.amount {
			return "number, 0 at least"
		}
		return "number, 0 to 1"
	case *bool:
		return "true or false"
	case *[]string:
		return "list of texts"
	case *time.Time:
		return `time, or ""`
	}
	_, advice := f.check("\x00") // what to write instead
	return strings.TrimPrefix(advice, "write ")
}
