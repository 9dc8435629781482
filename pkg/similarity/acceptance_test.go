package similarity

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/fixtures/datasets"
)

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
	for m := range datasets.Rows[plantedMemory](t, "dev/workspace1000.jsonl") {
		memories[m.ID] = m
	}
	var truth struct {
		Merge, Trap []struct{ Older, Newer, Kind string }
		Keep        []struct{ A, B, Kind string }
	}
	if err := json.Unmarshal(datasets.Read(t, "dev/workspace1000_truth.json"), &truth); err != nil {
		t.Fatal(err)
	}
	for name, form := range forms {
		for _, p := range truth.Merge {
			a, b := form(memories[p.Older]), form(memories[p.Newer])
			edited := strings.HasPrefix(p.Kind, "edit") // words put in place of others: a person may be asked
			if s, d := content(a, b), Differences(a, b); s <= 0.8 || d != nil && !edited {
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

// half says in which half of the data a pair is: one to choose by, one to see whether the choice holds.
func half(id string) int { return int(sha256.Sum256([]byte(id))[0] & 1) }

// tally counts what Judge makes of the pairs of one kind.
type tally struct{ pairs, similar, merged int }

func (c tally) share() float64 { return float64(c.merged) / float64(max(c.similar, 1)) }

func TestRealPairs(t *testing.T) {
	tallies := map[string]*[2]tally{}
	var revisions [2][]Labelled // and synthetic duplicates
	add := func(key, id, a, b string, label *int) {
		if tallies[key] == nil {
			tallies[key] = &[2]tally{}
		}
		c := &tallies[key][half(id)]
		x, y := Prepare(a), Prepare(b)
		v := Judge(x, y, 0.8)
		c.pairs++
		if v.Decision != Separate {
			c.similar++
		}
		if v.Decision == Merge {
			c.merged++
		}
		if label != nil {
			revisions[half(id)] = append(revisions[half(id)], Labelled{A: x, B: y, Same: *label == 1})
		}
	}
	type pairLine struct {
		ID, Source, Kind, A, B string
		Label                  *int
	}
	for p := range datasets.Rows[pairLine](t, "dev/neardup_pairs.jsonl") {
		label := p.Label
		if p.Source != "revision" {
			label = nil
		}
		switch {
		case p.Label == nil:
		case p.Kind == "contradiction":
			add("sick contradiction", p.ID, p.A, p.B, label)
		case *p.Label == 1:
			add(p.Source+" same", p.ID, p.A, p.B, label)
		default:
			add(p.Source+" different", p.ID, p.A, p.B, label)
		}
	}
	for p := range datasets.Rows[pairLine](t, "dev/neardup_synth.jsonl") {
		add(p.Source+" "+p.Kind, p.ID, p.A, p.B, p.Label)
	}
	type update struct {
		ID, Source, Kind string
		Old, New         struct{ Text string }
	}
	for p := range datasets.Rows[update](t, "dev/supersession.jsonl") {
		if p.Source != "techdoc" {
			add(p.Source+" "+p.Kind, p.ID, p.Old.Text, p.New.Text, nil)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(tallies)) {
		for h, c := range tallies[key] {
			t.Logf("%-40s half %d: %5d pairs, %4d similar, %4d of them merged", key, h, c.pairs, c.similar, c.merged)
		}
	}
	for h, pairs := range revisions {
		scores, _ := Calibrate(pairs, []float64{0.8})
		t.Logf("revisions and synthetic pairs, half %d: %+v", h, scores[0])
		if scores[0].Recall < 0.55 || scores[0].Precision < 1 {
			t.Errorf("half %d: recall %.3f, precision %.3f", h, scores[0].Recall, scores[0].Precision)
		}
	}
	for _, c := range []struct {
		key      string
		min, max float64 // share of the similar pairs that are merged
	}{
		{"synth-trap number", 0, 0},
		{"synth-trap negation", 0, 0},
		{"revision-value number-or-date-changed", 0, 0},
		{"situatedqa value-changed", 0, 0.01},
		{"mquake value-changed", 0, 0.02},
		{"sick contradiction", 0, 0.02},
		{"sick different", 0, 0.1},
		{"revision same", 0.45, 1},
		{"revision-value cosmetic-edit", 0.35, 1},
		{"synth exact", 1, 1},
		{"synth cosmetic", 1, 1},
		{"synth edit3", 0.3, 1},
		{"synth edit5", 0.3, 1},
		{"mrpc same", 0.05, 1},
		{"sick same", 0.15, 1},
		{"sts same", 0.2, 1},
	} {
		for h := range 2 {
			got := tallies[c.key]
			if got == nil || got[h].similar == 0 {
				t.Errorf("no similar pairs of %s", c.key)
			} else if s := got[h].share(); s < c.min || s > c.max {
				t.Errorf("%s, half %d: %.3f of the similar pairs are merged, want %.2f to %.2f", c.key, h, s, c.min, c.max)
			}
		}
	}
	for h := range 2 {
		if c := tallies["revision same"][h]; c.similar < c.pairs*97/100 {
			t.Errorf("half %d: only %d of %d revisions are similar", h, c.similar, c.pairs)
		}
		if c := tallies["revision different"][h]; c.similar > 0 {
			t.Errorf("half %d: %d different paragraphs are similar", h, c.similar)
		}
	}
}
