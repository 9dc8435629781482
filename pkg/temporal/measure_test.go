package temporal_test

import (
	"slices"
	"testing"
	"time"

	"github.com/memoryd/memoryd/fixtures/datasets"
	"github.com/memoryd/memoryd/pkg/temporal"
)

// labelled is a text in which people have marked the expressions of time.
type labelled struct {
	Text, Ref, Source string
	Complete          bool // everything in the text is marked
	Expressions       []struct {
		Tier, Match string
		Accept      [][2]string
	}
}

// TestMeasured holds the share of expressions of which some span begins on an
// accepted day above the floors, as score_temporal.py counts it ("date").
func TestMeasured(t *testing.T) {
	items := loadLabelled(t)
	type tally struct{ n, hit int }
	scores := map[string]*tally{}
	count := func(key string, hit bool) {
		if scores[key] == nil {
			scores[key] = &tally{}
		}
		scores[key].n++
		if hit {
			scores[key].hit++
		}
	}
	for _, x := range items {
		ref := parseNaive(t, x.Ref)
		spans := temporal.Resolve(x.Text, ref)
		if x.Complete && len(x.Expressions) == 0 {
			count("negatives", len(spans) > 0)
		}
		for _, e := range x.Expressions {
			hit := false
			for _, s := range spans {
				for _, a := range e.Accept {
					from, to := parseNaive(t, a[0]), parseNaive(t, a[1])
					within := e.Match == "within" && !s.From.Before(from) && s.From.Before(to)
					hit = hit || within || s.From.Format(time.DateOnly) == from.Format(time.DateOnly)
				}
			}
			count(e.Tier, hit)
			if e.Tier == "core" {
				count(x.Source, hit)
			}
		}
	}
	for key, floor := range map[string]float64{
		"core": .95, "locomo": .99, "te3-platinum": .88, "tweets": .90, "extended": .55,
	} {
		s := scores[key]
		if s == nil {
			t.Fatalf("no item of %s", key)
		}
		got := float64(s.hit) / float64(s.n)
		t.Logf("%-12s %3d of %3d = %.3f", key, s.hit, s.n, got)
		if got < floor {
			t.Errorf("%s: %.3f, want at least %.2f", key, got, floor)
		}
	}
	if s := scores["negatives"]; s.hit > 1 {
		t.Errorf("%d of %d texts without a time have a span, want at most one", s.hit, s.n)
	}
}

func loadLabelled(t *testing.T) []labelled {
	t.Helper()
	return slices.Collect(datasets.Rows[labelled](t, "dev/temporal.jsonl"))
}

func parseNaive(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04:05", s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
