package similarity

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// sharedFile finds a file of the measuring data, which stands beside the repository and is no part of it.
func sharedFile(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(dir) == dir {
			t.Skip("SKIPPED: no go.mod above the package, so the measuring data cannot be found")
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(dir, "..", "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("SKIPPED: measuring data missing, nothing was measured: %v", err)
	}
	return path
}

// readLines decodes a file of JSON lines.
func readLines[T any](t *testing.T, path string) (out []T) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<26)
	for s.Scan() {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, v)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

type plantedMemory struct {
	ID      string
	Content struct{ Summary, Details string }
}

// forms are the texts that a memory may be compared by.
var forms = map[string]func(plantedMemory) string{
	"details":             func(m plantedMemory) string { return m.Content.Details },
	"summary and details": func(m plantedMemory) string { return m.Content.Summary + "\n" + m.Content.Details },
	"cut-off and details": func(m plantedMemory) string {
		r := []rune(m.Content.Details)
		return string(r[:min(140, len(r))]) + "\n" + m.Content.Details
	},
}

func TestPlantedWorkspace(t *testing.T) {
	memories := map[string]plantedMemory{}
	for _, m := range readLines[plantedMemory](t, sharedFile(t, "dev/workspace1000.jsonl")) {
		memories[m.ID] = m
	}
	raw, err := os.ReadFile(sharedFile(t, "dev/workspace1000_truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var truth struct {
		Merge, Trap []struct{ Older, Newer, Kind string }
		Keep        []struct{ A, B, Kind string }
	}
	if err := json.Unmarshal(raw, &truth); err != nil {
		t.Fatal(err)
	}
	for name, form := range forms {
		for _, p := range truth.Merge {
			a, b := form(memories[p.Older]), form(memories[p.Newer])
			if s, d := content(a, b), Differences(a, b); s <= 0.8 || d != nil {
				t.Errorf("%s: duplicates %s, %s: similarity %.3f, differences %q", name, p.Older, p.Newer, s, d)
			}
		}
		for _, p := range truth.Trap {
			a, b := form(memories[p.Older]), form(memories[p.Newer])
			if s, d := content(a, b), Differences(a, b); s <= 0.8 || len(d) == 0 {
				t.Errorf("%s: %s trap %s, %s: similarity %.3f, differences %q", name, p.Kind, p.Older, p.Newer, s, d)
			}
		}
		for _, p := range truth.Keep {
			if s := content(form(memories[p.A]), form(memories[p.B])); p.Kind == "below-threshold" && s >= 0.8 {
				t.Errorf("%s: %s, %s are different: similarity %.3f", name, p.A, p.B, s)
			}
		}
	}
}

func TestRealPairs(t *testing.T) {
	type tally struct{ pairs, similar, silent int } // silent: similar and without differences
	tallies := map[string]*tally{}
	add := func(key, a, b string) {
		c := tallies[key]
		if c == nil {
			c = &tally{}
			tallies[key] = c
		}
		c.pairs++
		if content(a, b) > 0.8 {
			c.similar++
			if Differences(a, b) == nil {
				c.silent++
			}
		}
	}
	for _, p := range readLines[struct {
		Source, Kind, A, B string
		Label              *int
	}](t, sharedFile(t, "dev/neardup_pairs.jsonl")) {
		switch {
		case p.Label == nil:
		case p.Kind == "contradiction":
			add("contradictions", p.A, p.B)
		case *p.Label == 1:
			add(p.Source+" same", p.A, p.B)
		default:
			add(p.Source+" different", p.A, p.B)
		}
	}
	for _, p := range readLines[struct {
		Source, Kind string
		Old, New     struct{ Text string }
	}](t, sharedFile(t, "dev/supersession.jsonl")) {
		if p.Source == "revision-value" {
			add(p.Kind, p.Old.Text, p.New.Text)
		}
	}
	for key, c := range tallies {
		t.Logf("%-24s %5d pairs, %4d similar, %4d of them without differences", key, c.pairs, c.similar, c.silent)
	}
	for _, c := range []struct {
		key      string
		min, max float64 // share of silent ones among the similar
	}{
		{"number-or-date-changed", 0, 0.01},
		{"contradictions", 0, 0.1},
		{"revision same", 0.7, 1},
		{"mrpc same", 0.85, 1},
		{"sick same", 0.95, 1},
		{"sts same", 0.95, 1},
		{"cosmetic-edit", 0.85, 1},
	} {
		got := tallies[c.key]
		if got == nil || got.similar == 0 {
			t.Errorf("no similar pairs of %s", c.key)
		} else if share := float64(got.silent) / float64(got.similar); share < c.min || share > c.max {
			t.Errorf("%s: %.3f of the similar pairs have no differences, want %.2f to %.2f", c.key, share, c.min, c.max)
		}
	}
	if r := tallies["revision same"]; r != nil && r.similar < r.pairs*97/100 {
		t.Errorf("only %d of %d revisions are similar", r.similar, r.pairs)
	}
	if r := tallies["revision different"]; r != nil && r.similar > 0 {
		t.Errorf("%d different paragraphs are similar", r.similar)
	}
}
