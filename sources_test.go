package memoryd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/config"
)

// Each line of docs/sources.md names tests that exist.
func TestSources(t *testing.T) {
	text, err := os.ReadFile("docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || !regexp.MustCompile(`^ 00\d $`).MatchString(cells[0]) {
			continue
		}
		rows++
		for named := range strings.SplitSeq(cells[3], ";") {
			place, tests, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(named), "`"), "`")
			if strings.HasSuffix(place, ".txtar") {
				if found, err := filepath.Glob("cmd/memory/testdata/*/" + place); err != nil || len(found) == 0 {
					t.Errorf("no script %s, which line %q names", place, strings.TrimSpace(cells[1]))
				}
				continue
			}
			code := ""
			files, err := filepath.Glob(place + "/*_test.go")
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				code += string(text)
			}
			for test := range strings.SplitSeq(tests, ",") {
				if test = strings.TrimSpace(test); test == "" || !strings.Contains(code, "func "+test+"(") {
					t.Errorf("no test %q in %s, which line %q names", test, place, strings.TrimSpace(cells[1]))
				}
			}
		}
	}
	if rows < 30 {
		t.Errorf("%d lines were found", rows)
	}
}

// Each setting that docs/sources.md names for a key of the sources exists.
func TestKeysOfTheSources(t *testing.T) {
	text, err := os.ReadFile("docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	defaults, err := config.Parse("memory.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"retention.*": true}
	for _, v := range defaults.Values() {
		known[v.Key] = true
	}
	_, table, _ := strings.Cut(string(text), "## Keys of the sources")
	table, _, _ = strings.Cut(table, "\n## ")
	names := regexp.MustCompile("`([a-z]+\\.[a-z_*]+)").FindAllStringSubmatch(table, -1)
	for _, name := range names {
		if !known[name[1]] {
			t.Errorf("there is no setting %s", name[1])
		}
	}
	if len(names) < 50 {
		t.Errorf("%d settings were found", len(names))
	}
}
