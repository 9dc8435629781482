package recall

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
)

// remembered parses a memory of a file.
func remembered(file, rest string, archived bool) *memory.Memory {
	m := memory.ParseRecord([]byte(`{"type":"factual","created_at":"2026-01-01T00:00:00Z",`+rest+`}`), memory.Ref{File: file})
	m.Archived = archived
	return m
}

// Where the mode finds few, colder and archived memories follow, but never next to the live one that has replaced them, however many steps
// there are between the two, and not those that only stand near.
func TestFew(t *testing.T) {
	live := []*memory.Memory{
		remembered("global/a.json", `"id":"survivor","content":"The harbour closes at nine in winter."`, false),
		remembered("global/b.json", `"id":"cold","content":"The harbour has a crane."`, false),
		remembered("global/c.json", `"id":"other","content":"Lamps take bulbs."`, false),
	}
	archived := []*memory.Memory{
		remembered("archive/d.json", `"id":"merged","superseded_by":"between","content":"The harbour closes at nine."`, true),
		remembered("archive/e.json", `"id":"between","superseded_by":["survivor"],"content":"The harbour closes."`, true),
		remembered("archive/f.json", `"id":"circle","superseded_by":"circle","content":"The harbour was dredged."`, true),
		remembered("archive/g.json", `"id":"stale","content":"The harbour master is called Ilse."`, true),
	}
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s, err := Open(nil, memory.NewSnapshot(at, live, archived), 0)
	if err != nil {
		t.Fatal(err)
	}
	score := func(m *memory.Memory) float64 {
		if m.ID == "cold" {
			return 0
		}
		return 1
	}
	for _, tt := range []struct {
		text  string
		few   int
		limit int
		mode  Mode
		want  []string // those beyond the mode with a +
		left  int
	}{
		{"harbour", 3, 10, Standard, []string{"survivor", "+circle", "+cold", "+stale"}, 0},
		{"harbour", 0, 10, Standard, []string{"survivor"}, 1},
		{"harbour", 1, 10, Standard, []string{"survivor"}, 1},
		{"harbour", 3, 1, Standard, []string{"survivor"}, 0},
		{"harbour", 3, 10, Deep, []string{"survivor", "+circle", "+cold", "+stale"}, 0},
		{"Ilse", 3, 10, Standard, []string{"+stale"}, 0},
		{"lamps", 3, 10, Standard, []string{"other"}, 0},
		{"zeppelin", 3, 10, Standard, nil, 0},
		{"", 9, 10, Standard, []string{"other", "survivor"}, 1},
	} {
		t.Run(fmt.Sprint(tt.text, tt.few, tt.limit, tt.mode), func(t *testing.T) {
			hits, left, err := s.Search(Request{Query: Query{Text: tt.text, At: at, Limit: tt.limit, Mode: tt.mode}, Few: tt.few, Texts: true, Score: score})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, h := range hits {
				id := h.ID
				if h.Beyond {
					id = "+" + id
				} else if i > 0 && hits[i-1].Beyond {
					t.Error("a hit of the mode stands behind one that isn't")
				}
				got = append(got, id)
			}
			slices.Sort(got)
			if slices.Sort(tt.want); !slices.Equal(got, tt.want) || left != tt.left {
				t.Errorf("%v, %d left out; want %v, %d", got, left, tt.want, tt.left)
			}
		})
	}
}

// Both ways with 10,000 memories in the archive next to as many live ones: a query that one live memory answers, and many archived ones.
func BenchmarkFew(b *testing.B) {
	var lists [2][]*memory.Memory
	for i := range 20000 {
		archived := i >= 10000
		dir, text := "global", fmt.Sprintf("Note %d about the %s of building %d, written by team %d.", i, []string{"roof", "door", "cellar", "garden"}[i%4], i%997, i%13)
		if archived {
			dir, text = "archive", text+" The harbour crane was serviced."
		}
		m := remembered(fmt.Sprintf("%s/%d.json", dir, i), fmt.Sprintf(`"id":"m%d","content":%q`, i, text), archived)
		lists[i/10000] = append(lists[i/10000], m)
	}
	lists[0][7] = remembered("global/7.json", `"id":"m7","content":"The harbour crane is painted green."`, false)
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s, err := Open(nil, memory.NewSnapshot(at, lists[0], lists[1]), 0)
	if err != nil {
		b.Fatal(err)
	}
	for _, few := range []int{0, Few} {
		b.Run(fmt.Sprint(few), func(b *testing.B) {
			for b.Loop() {
				hits, _, err := s.Search(Request{Query: Query{Text: "who painted the harbour crane", At: at}, Few: few, Texts: true})
				if err != nil || len(hits) == 0 || (len(hits) > 1) != (few > 0) {
					b.Fatal(len(hits), err)
				}
			}
		})
	}
}
