package recall

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Who asks with the title of a memory finds it among the first ten, or what holds instead,
// however often others have the words, whoever else matters more, and however the index
// came about; unless that many memories are called so.
func TestTitlesAreFound(t *testing.T) {
	words := strings.Fields("login cache port pipeline alert worker retry budget week Ana report queue")
	rapid.Check(t, func(t *rapid.T) {
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		said := func(n int) string {
			list := make([]string, n)
			for i := range list {
				list[i] = words[chance.IntN(len(words))]
			}
			return strings.Join(list, " ")
		}
		docs := make([]Document, 150)
		called := map[string][]int{}
		key := func(title string) string {
			list := strings.Fields(title)
			slices.Sort(list)
			return strings.Join(list, " ")
		}
		for i := range docs {
			d := &docs[i]
			*d = Document{
				ID: fmt.Sprintf("m%d", i), Title: said(1 + chance.IntN(5)), Content: said(chance.IntN(60)), Tags: []string{said(1)},
				People: []string{[]string{"Ana", "Ben"}[chance.IntN(2)]}, Session: []string{"", "s1", "s2"}[chance.IntN(3)],
				Created: epoch.Add(time.Duration(chance.IntN(1000)) * time.Hour), Priority: []string{"low", "", "critical"}[chance.IntN(3)], Reads: chance.Int64N(200),
			}
			if chance.IntN(4) == 0 { // without a title
				d.Title, d.Summary = "", d.Title
			} else {
				d.Summary = said(chance.IntN(8))
			}
			if chance.IntN(20) == 0 && i > 0 {
				d.Supersedes = []string{fmt.Sprintf("m%d", chance.IntN(i))}
			}
			name := d.Title
			if name == "" {
				name = d.Summary
			}
			called[key(name)] = append(called[key(name)], i)
		}
		half := chance.IntN(len(docs))
		ix := recoded(t, indexOf(docs[:half]...))
		ix.Add(docs[half:]...)
		newer := newerOf(docs)
		for _, d := range docs { // and what supersedes these
			for i := 0; i < len(newer[d.ID]); i++ {
				for _, id := range newer[newer[d.ID][i]] {
					if !slices.Contains(newer[d.ID], id) {
						newer[d.ID] = append(newer[d.ID], id)
					}
				}
			}
		}
		for name, those := range called {
			instead := 0
			for _, i := range those {
				instead += len(newer[docs[i].ID])
			}
			if len(those)+instead > 10 {
				continue
			}
			list := strings.Fields(name)
			chance.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			found := search(t, ix, Query{Text: strings.ToUpper(strings.Join(list, ", ")), At: epoch.Add(2000 * time.Hour), Limit: 10, Mode: Exhaustive, Retention: func(id string) float64 { return float64(len(id)%3) / 2 }})
			for _, i := range those {
				id := docs[i].ID
				if !slices.ContainsFunc(found.Hits, func(h Hit) bool { return h.ID == id || slices.Contains(newer[id], h.ID) }) {
					t.Fatalf("%s, called %q, is not found: %v", id, name, found.Hits)
				}
			}
		}
	})
}

// Terms that the query only has in a time that is not searched for count, too.
func TestTitleWithATime(t *testing.T) {
	docs := []Document{{ID: "it", Title: "Report of last week", Created: epoch}}
	for i := range 30 {
		docs = append(docs, Document{ID: fmt.Sprint("other", i), Title: "Report", Content: "Report on report", Created: epoch.Add(20 * 24 * time.Hour)})
	}
	found := ask(t, indexOf(docs...), Query{Text: "report of last week", At: epoch.Add(28 * 24 * time.Hour), Limit: 10})
	if !strings.HasPrefix(order(found), "it") {
		t.Error(order(found))
	}
}

// A cold memory that is called by its title is found, unless only what matters most is
// wanted, it is archived, or something else holds instead.
func TestTitlesAreFoundCold(t *testing.T) {
	for name, c := range map[string]struct {
		doc  Document
		mode Mode
		want string
	}{
		"standard":    {Document{Title: "Login worker"}, Standard, "it"},
		"deep":        {Document{Title: "Login worker"}, Deep, "it"},
		"reflexive":   {Document{Title: "Login worker"}, Reflexive, ""},
		"called else": {Document{Title: "The login worker pool"}, Standard, ""},
		"archived":    {Document{Title: "Login worker", Archived: true}, Standard, ""},
		"superseded":  {Document{Title: "Login worker", SupersededBy: []string{"new"}}, Standard, "new"},
	} {
		c.doc.ID = "it"
		ix := indexOf(c.doc, Document{ID: "new", Content: "the pool"}, Document{ID: "noise", Content: "login worker"})
		found := ask(t, ix, Query{Text: "login worker", Mode: c.mode, Retention: func(id string) float64 {
			return map[string]float64{"it": 0, "new": 1, "noise": .1}[id]
		}})
		var got []string
		for _, h := range found.Hits {
			if h.ID != "noise" {
				got = append(got, h.ID)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %q", name, got, c.want)
		}
	}
}
