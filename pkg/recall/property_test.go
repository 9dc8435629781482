package recall

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/supersession"
)

var someWords = strings.Fields("cache port gateway retry budget deploying rollback api_key v1.2 日本語 Ana Ben running runs The database schema")

func drawText(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(someWords), 0, 8).Draw(t, label), " ")
}

func drawID(t *rapid.T, label string) string {
	return fmt.Sprintf("m%d", rapid.IntRange(0, 29).Draw(t, label))
}

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func drawDocument(t *rapid.T) Document {
	d := Document{
		ID: drawID(t, "id"), Title: drawText(t, "title"), Summary: drawText(t, "summary"), Content: drawText(t, "content"),
		Tags:    rapid.SliceOfN(rapid.SampledFrom([]string{"Ops", "db", " ops "}), 0, 2).Draw(t, "tags"),
		People:  rapid.SliceOfN(rapid.SampledFrom([]string{"Ana", "ben", "DEV-001"}), 0, 2).Draw(t, "people"),
		Session: rapid.SampledFrom([]string{"", "", "s1", "s2"}).Draw(t, "session"),
		Type:    rapid.SampledFrom([]string{"", "factual", "episodic"}).Draw(t, "type"),
		Scope:   rapid.SampledFrom([]string{"global", "agent:DEV-001"}).Draw(t, "scope"),
		Agent:   rapid.SampledFrom([]string{"", "DEV-001", "QA"}).Draw(t, "agent"),

		Priority: rapid.SampledFrom([]string{"", "low", "high", "critical"}).Draw(t, "priority"),
		Reads:    rapid.Int64Range(-1, 300).Draw(t, "reads"),
		Archived: rapid.IntRange(0, 4).Draw(t, "archived") == 0,
	}
	if days := rapid.IntRange(-1, 60).Draw(t, "day"); days >= 0 {
		d.Created = epoch.Add(time.Duration(days) * 24 * time.Hour)
	}
	for range rapid.IntRange(0, 2).Draw(t, "links") {
		if id := drawID(t, "link"); rapid.Bool().Draw(t, "back") {
			d.Supersedes = append(d.Supersedes, id)
		} else {
			d.SupersededBy = append(d.SupersededBy, id)
		}
	}
	return d
}

func drawQuery(t *rapid.T) Query {
	q := Query{
		Text:  rapid.SampledFrom([]string{"", " in January", " last week", " since February"}).Draw(t, "time"),
		At:    epoch.Add(50 * 24 * time.Hour),
		Limit: rapid.IntRange(0, 12).Draw(t, "limit"),
		Mode:  rapid.SampledFrom([]Mode{Standard, Reflexive, Deep, Exhaustive}).Draw(t, "mode"),
	}
	q.Text = drawText(t, "query") + q.Text
	if rapid.Bool().Draw(t, "retention") {
		q.Retention = func(id string) float64 { return float64(id[len(id)-1]-'0') / 9 }
	}
	if rapid.IntRange(0, 3).Draw(t, "filtered") == 0 {
		q.Filter = Filter{
			Type: rapid.SampledFrom([]string{"", "FACTUAL", "none"}).Draw(t, "of type"), Scope: rapid.SampledFrom([]string{"", "agent", "agent:dev-001", "global"}).Draw(t, "in scope"),
			Agent: rapid.SampledFrom([]string{"", "dev-001"}).Draw(t, "by"), Tags: rapid.SliceOfN(rapid.Just("ops"), 0, 1).Draw(t, "tagged"),
		}
		if rapid.Bool().Draw(t, "since") {
			q.Filter.Since = epoch.Add(20 * 24 * time.Hour)
		}
	}
	if rapid.Bool().Draw(t, "noted") {
		q.Note = func(id string) (supersession.Note, bool) {
			return supersession.Note{Text: "The retry budget is " + id + "."}, id != "m3"
		}
	}
	return q
}

// last keeps, of documents with one id, the last, where the first stood.
func last(docs []Document) (list []Document) {
	at := map[string]int{}
	for _, d := range docs {
		if i, ok := at[d.ID]; ok {
			list[i] = d
			continue
		}
		at[d.ID] = len(list)
		list = append(list, d)
	}
	return list
}

// recoded is an index encoded and decoded.
func recoded(t interface{ Fatal(...any) }, ix *Index) *Index {
	out, err := decode(ix.encode())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func search(t *rapid.T, ix *Index, q Query) Result {
	found, err := ix.Search(q)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// However an index came about, decoded and changed or in one go, it finds the same with the
// same scores, and is encoded in the same bytes.
func TestChangedIsAnew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SliceOfN(rapid.Custom(drawDocument), 0, 12).Draw(t, "base")
		after := rapid.SliceOfN(rapid.Custom(drawDocument), 0, 40).Draw(t, "delta")
		gone := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return drawID(t, "id") }), 0, 4).Draw(t, "removed")

		ix := New()
		ix.Add(before...)
		ix = recoded(t, ix)
		if rapid.Bool().Draw(t, "one by one") {
			for _, d := range after {
				ix.Add(d)
			}
		} else {
			ix.Add(after...)
		}
		ix.Remove(gone...)

		whole := New()
		whole.Add(slices.DeleteFunc(last(append(slices.Clone(before), after...)), func(d Document) bool { return slices.Contains(gone, d.ID) })...)
		if !ix.equal(whole) {
			t.Fatalf("the bytes differ: %d and %d", len(ix.encode()), len(whole.encode()))
		}
		reopened := recoded(t, whole)
		q, between := drawQuery(t), drawQuery(t)
		want := search(t, whole, q)
		for range 2 { // the second time with what the first, and another query, left behind
			for name, other := range map[string]*Index{"changed": ix, "reopened": reopened, "whole": whole} {
				search(t, other, between)
				if diff := cmp.Diff(want, search(t, other, q), cmp.AllowUnexported(Hit{}, sought{})); diff != "" {
					t.Fatalf("%s: %s", name, diff)
				}
			}
		}
		if ix.Len() != whole.Len() {
			t.Fatalf("%d documents, want %d", ix.Len(), whole.Len())
		}
	})
}

// Scores are the sums of their parts and fall; hits fit the filter and the mode;
// fewer are the first of more; nothing superseded stands before what holds.
func TestHits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := last(rapid.SliceOfN(rapid.Custom(drawDocument), 0, 15).Draw(t, "documents"))
		byID := map[string]Document{}
		ix := New()
		for _, d := range docs {
			byID[d.ID] = d
			ix.Add(d)
		}
		q := drawQuery(t)
		q.Note = nil
		w := tuned
		w.wide = 1 // so that more has to be looked at
		few, err := ix.search(q, &w)
		if err != nil {
			t.Fatal(err)
		}
		wide := q
		wide.Limit = 1000
		all := search(t, ix, wide)
		limit := q.Limit
		if limit == 0 {
			limit = 10
		}
		if !cyclic(docs) {
			if diff := cmp.Diff(all.Hits[:min(limit, len(all.Hits))], few.Hits, cmp.AllowUnexported(Hit{}, sought{})); diff != "" {
				t.Fatalf("the first %d of all differ: %s", limit, diff)
			}
		}
		at := map[string]int{}
		for i, h := range all.Hits {
			at[h.ID] = i
			if math.Abs(h.Score-h.Parts.Sum()) > 1e-12*h.Score || !(h.Score > 0) || math.IsInf(h.Score, 0) {
				t.Fatalf("%s: score %v, parts %+v", h.ID, h.Score, h.Parts)
			}
			if i > 0 && h.Score > all.Hits[i-1].Score {
				t.Fatalf("score %v behind %v", h.Score, all.Hits[i-1].Score)
			}
			d := byID[h.ID]
			if d.Archived && q.Mode != Exhaustive || q.Retention != nil && q.Retention(h.ID) < q.Tiers.least(q.Mode) && (h.Parts.Title == 0 || q.Mode == Reflexive) {
				t.Fatalf("%s is not of the mode %s", h.ID, q.Mode)
			}
			if f := q.Filter; f.Type != "" && !strings.EqualFold(f.Type, d.Type) || !strings.HasPrefix(strings.ToLower(d.Scope), f.Scope) ||
				len(f.Tags) > 0 && !slices.ContainsFunc(d.Tags, func(t string) bool { return fold(t) == "ops" }) ||
				f.Agent != "" && d.Agent != "DEV-001" && d.Scope != "agent:DEV-001" || !f.Since.IsZero() && d.Created.Before(f.Since) {
				t.Fatalf("%s doesn't fit %+v", h.ID, f)
			}
		}
		if cyclic(docs) {
			return
		}
		for older, list := range newerOf(docs) {
			for _, newer := range list {
				i, ok := at[older]
				j, there := at[newer]
				if ok && there && i < j {
					t.Fatalf("%s stands before %s, which supersedes it", older, newer)
				}
				d, known := byID[newer]
				if ok && !there && known && fits(d, &q) {
					t.Fatalf("%s is found without %s, which supersedes it", older, newer)
				}
			}
		}
	})
}

// fits says whether a document could be a hit of an unfiltered query.
func fits(d Document, q *Query) bool {
	return q.Filter.Type == "" && q.Filter.Scope == "" && q.Filter.Agent == "" && q.Filter.Tags == nil && q.Filter.Since.IsZero() &&
		(!d.Archived || q.Mode == Exhaustive) && (q.Retention == nil || q.Retention(d.ID) >= q.Tiers.least(q.Mode))
}

func newerOf(docs []Document) map[string][]string {
	known := map[string]bool{}
	for _, d := range docs {
		known[d.ID] = true
	}
	newer := map[string][]string{}
	add := func(a, b string) {
		if a != b && known[a] && known[b] {
			newer[a] = append(newer[a], b)
		}
	}
	for _, d := range docs {
		for _, older := range d.Supersedes {
			add(older, d.ID)
		}
		for _, n := range d.SupersededBy {
			add(d.ID, n)
		}
	}
	return newer
}

func cyclic(docs []Document) bool {
	newer := newerOf(docs)
	state := map[string]int{}
	var visit func(id string) bool
	visit = func(id string) bool {
		if state[id] != 0 {
			return state[id] == 1
		}
		state[id] = 1
		defer func() { state[id] = 2 }()
		return slices.ContainsFunc(newer[id], visit)
	}
	for id := range newer {
		if visit(id) {
			return true
		}
	}
	return false
}
