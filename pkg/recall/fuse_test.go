package recall

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/memory"
)

func searcherOf(t testing.TB, records ...string) *Searcher {
	t.Helper()
	var live []*memory.Memory
	for i, r := range records {
		live = append(live, remembered(fmt.Sprintf("global/%d.json", i), r, false))
	}
	s, err := Open(nil, memory.NewSnapshot(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), live, nil), 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func idsOf(hits []Found) (ids []string) {
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	return ids
}

// A memory that several phrasings find comes before what one alone finds better, and what replaces another stays in front of it.
func TestFusesPhrasings(t *testing.T) {
	s := searcherOf(t,
		`"id":"both","content":"The ferry leaves the quay at noon, and the timetable hangs at the pier."`,
		`"id":"ferry","content":"Ferry, ferry, ferry."`,
		`"id":"pier","content":"Pier, pier, pier."`,
		`"id":"old","content":"The kiosk sells tickets.","superseded_by":"new"`,
		`"id":"new","content":"Machines sell tickets since May.","supersedes":"old"`,
		`"id":"lamp","content":"Lamps take bulbs."`,
	)
	for _, tt := range []struct {
		text string
		also []string
		want []string
	}{
		{"ferry", nil, []string{"ferry", "both"}},
		{"ferry", []string{"pier"}, []string{"both", "ferry", "pier"}},
		{"ferry", []string{" ferry ", ""}, []string{"ferry", "both"}},
		{"", []string{"pier"}, []string{"pier", "both"}},
		{"kiosk", []string{"kiosk tickets"}, []string{"new", "old"}},
		{"zeppelin", []string{"dirigible"}, nil},
		{"lamp", []string{"zeppelin", "dirigible", "airship", "ferry"}, []string{"lamp"}}, // the fifth is not read
	} {
		hits, _, err := s.Search(Request{Query: Query{Text: tt.text, Also: tt.also, Limit: 10}})
		if got := idsOf(hits); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q %q: %v, want %v (%v)", tt.text, tt.also, got, tt.want, err)
		}
	}
}

// Whatever the phrasings are, a fused list has no memory twice, at most as many as wanted, falling scores from 1 on where nothing supersedes anything,
// and each of its memories is a hit of some phrasing.
func TestFuseProperties(t *testing.T) {
	words := strings.Fields("ferry pier quay lamp bulb ticket kiosk noon May harbour crane rope")
	s := func() *Searcher {
		var records []string
		for i := range 60 {
			records = append(records, fmt.Sprintf(`"id":"m%d","content":"%s %s %s"`, i, words[i%12], words[i*5%12], words[i*7%11]))
		}
		return searcherOf(t, records...)
	}()
	rapid.Check(t, func(t *rapid.T) {
		phrase := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 3).Draw(t, "words"), " ")
		})
		texts := rapid.SliceOfN(phrase, 1, 6).Draw(t, "phrasings")
		limit := rapid.IntRange(1, 80).Draw(t, "limit")
		hits, _, err := s.Search(Request{Query: Query{Text: texts[0], Also: texts[1:], Limit: limit}})
		if err != nil || len(hits) > limit {
			t.Fatalf("%d hits of %d: %v", len(hits), limit, err)
		}
		found := map[string]bool{}
		for _, text := range texts {
			one, _, err := s.Search(Request{Query: Query{Text: text, Limit: 100}})
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range one {
				found[h.ID] = found[h.ID] || strings.TrimSpace(text) != ""
			}
		}
		seen := map[string]bool{}
		texts = (&Query{Text: texts[0], Also: texts[1:]}).phrasings()
		for i, h := range hits {
			if seen[h.ID] || len(texts) > 0 && !found[h.ID] {
				t.Fatalf("%s twice, or found by none", h.ID)
			}
			if seen[h.ID] = true; len(texts) > 1 && (h.Score <= 0 || h.Score > 1+1e-9 || i > 0 && h.Score > hits[i-1].Score) {
				t.Fatalf("scores %v", hits)
			}
		}
	})
}

// A memory is found by its aliases, behind one that says the words itself; one without aliases is as it was.
func TestAliases(t *testing.T) {
	s := searcherOf(t,
		`"id":"says","content":"The rollout happens on Tuesdays."`,
		`"id":"alias","content":"We deploy on Tuesdays.","aliases":["rollout","Auslieferung","go live"]`,
		`"id":"other","content":"Lamps take bulbs.","aliases":"light fixture"`,
	)
	for query, want := range map[string][]string{
		"rollout": {"says", "alias"}, "Auslieferung": {"alias"}, "going live": {"alias"}, "light fixture": {"other"}, "deploy": {"alias"},
	} {
		hits, _, err := s.Search(Request{Query: Query{Text: query, Limit: 10}})
		if got := idsOf(hits); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v (%v)", query, got, want, err)
		}
		for _, h := range hits {
			if !h.Evident() {
				t.Errorf("%q: %s doesn't fit by itself", query, h.ID)
			}
		}
	}
}
