package memoryd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each link of the documentation to a file of this repository leads to one, and each anchor to a heading.
func TestLinksOfDocs(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := filepath.Glob("docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, page := range append(append(pages, decisions...), "README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", "BENCHMARKS.md", "CHANGELOG.md") {
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text(t, page), -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			links++
			file, anchor, _ := strings.Cut(link[1], "#")
			to := page
			if file != "" {
				to = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s: %v", page, link[1], err)
				continue
			}
			if anchor != "" && !anchors(text(t, to))[anchor] {
				t.Errorf("%s links to %s, which has no such heading", page, link[1])
			}
		}
	}
	if links < 60 {
		t.Errorf("only %d links were found", links)
	}
}

// anchors are those of the headings of a page, as GitHub makes them.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		text := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		all[strings.ReplaceAll(text, " ", "-")] = true
	}
	return all
}

// Pages that are read as a whole stay short. BENCHMARKS.md has tables of one build, and git has the others.
func TestPagesAreShort(t *testing.T) {
	for page, most := range map[string]int{"README.md": 120, "ARCHITECTURE.md": 150, "BENCHMARKS.md": 100, "CHANGELOG.md": 40, "docs/format.md": 250} {
		if n := strings.Count(text(t, page), "\n"); n > most {
			t.Errorf("%s has %d lines, want %d at most", page, n, most)
		}
	}
	for i, line := range strings.Split(text(t, "README.md"), "\n") {
		if n := len([]rune(line)); n > 160 {
			t.Errorf("README.md:%d has %d characters, want 160 at most", i+1, n)
		}
	}
}

// The index of decisions names each of them once, by its title, and a title begins with its subject.
func TestIndexOfDecisions(t *testing.T) {
	index := text(t, "docs/decisions/README.md")
	files, err := filepath.Glob("docs/decisions/0*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		heading, _, _ := strings.Cut(text(t, file), "\n")
		title, ok := strings.CutPrefix(heading, "# ")
		if subject, rest, _ := strings.Cut(title, ": "); !ok || rest == "" || len(strings.Fields(subject)) > 4 {
			t.Errorf("%s: the title %q doesn't begin with a subject, as in \"# Join: rare terms first\"", file, heading)
		}
		if line := "- " + name[:4] + " [" + title + "](" + name + ")\n"; strings.Count(index, line) != 1 {
			t.Errorf("docs/decisions/README.md lacks the line, below the packages that it is about:\n%s", line)
		}
	}
	if n := strings.Count(index, "\n- "); n != len(files) {
		t.Errorf("docs/decisions/README.md has %d lines for %d decisions", n, len(files))
	}
}
