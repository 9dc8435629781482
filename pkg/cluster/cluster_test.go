package cluster

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func quote(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func notes(texts ...string) (items []Item) {
	for n, line := range texts {
		tags, body, _ := strings.Cut(line, "|")
		items = append(items, ItemOf(record(fmt.Sprintf("m%02d", n), body, strings.Fields(tags)...), nil))
	}
	return items
}

func members(clusters []Cluster) (all []string) {
	for _, c := range clusters {
		all = append(all, strings.Join(c.Members, " "))
	}
	return all
}

func TestFind(t *testing.T) {
	deploys := []string{
		"deploy|The staging deploy runs from the pipeline after each merge.",
		"deploy|The production deploy runs from the pipeline on Tuesdays.",
		"deploy|A deploy is rolled back with the pipeline's rollback job.",
	}
	others := []string{
		"parser|The parser reads tokens lazily.", "parser|The parser keeps comments beside tokens.", "billing|Invoices are sent by e-mail.",
	}
	for _, c := range []struct {
		name  string
		items []Item
		want  []string
	}{
		{"nothing", nil, nil},
		{"one subject", notes(append(slices.Clone(deploys), others...)...), []string{"m00 m01 m02"}},
		{"two are too few", notes(others...), nil},
		{"alike, but without a tie", notes("|The pipeline deploys to staging.", "|The pipeline deploys to production.", "|The pipeline deploys to tests."), nil},
		{"tied, but unlike", notes("misc|Invoices leave on Mondays by post.", "misc|Lexers skip comments between tokens.", "misc|Badges open the back door."), nil},
		{"tied by a path", notes("|Fix retries in pkg/net/retry.go first.", "|Jitter of retries stands in pkg/net/retry.go.", "|pkg/net/retry.go counts retries."), []string{"m00 m01 m02"}},
	} {
		if got := members(Find(c.items, Default())); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Items that are near need no tie, but words in common all the same.
func TestNear(t *testing.T) {
	items := notes("|The pipeline deploys to staging.", "|The pipeline deploys to production.", "|The pipeline deploys to tests.", "|Badges open the back door.")
	o := Default()
	o.Near = [][2]string{{"m01", "m00"}, {"m02", "m00"}, {"m00", "m03"}, {"m00", "m00"}, {"m00", "none"}}
	found := Find(items, o)
	if got := members(found); !slices.Equal(got, []string{"m00 m01 m02"}) {
		t.Fatalf("%q", got)
	}
	if found[0].Common[0].Kind != Word {
		t.Errorf("in common: %+v", found[0].Common)
	}
}

// Links tie a memory to those that it links to, and to others that link there.
func TestLinksTie(t *testing.T) {
	text := "The cache of sessions holds tokens for an hour."
	items := []Item{
		ItemOf(record("hub", text), []string{"x"}), ItemOf(record("a", text+" It is small."), []string{"hub"}), ItemOf(record("b", text+" It is fast."), []string{"hub"}),
	}
	if got := members(Find(items, Default())); !slices.Equal(got, []string{"a b hub"}) {
		t.Errorf("%q", got)
	}
}

// A tie that many share says nothing, and a cluster has a bound.
func TestBounds(t *testing.T) {
	var many []string
	for n := range 60 {
		many = append(many, fmt.Sprintf("all|The export of ledger %c%c wrote rows to the archive bucket.", 'a'+n/26, 'a'+n%26))
	}
	o := Default()
	for _, c := range Find(notes(many...), o) {
		if len(c.Members) > o.Max {
			t.Errorf("%d members", len(c.Members))
		}
	}
	o.Shared = 59
	if got := Find(notes(many...), o); got != nil {
		t.Errorf("a tag that 60 have tied %q", members(got))
	}
}

func TestMatch(t *testing.T) {
	clusters := []Cluster{{Members: []string{"a", "b", "c", "d"}}, {Members: []string{"e", "f", "g"}}, {Members: []string{"x", "y", "z"}}}
	earlier := map[string][]string{"one": {"a", "b", "c"}, "two": {"e", "h", "i", "j"}, "three": {"e", "f", "h", "i"}, "four": {"d", "a"}}
	if got, want := Match(clusters, earlier), []string{"one", "three", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

var words = strings.Fields("cache token deploy pipeline parser retry index ledger session export budget schema worker queue 東京 日本 кэш")

func randomItems(t *rapid.T) []Item {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Item {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 8).Draw(t, "text"), " ")
		return Item{
			ID: fmt.Sprint("m", rapid.IntRange(0, 60).Draw(t, "id")), Text: text,
			Ties: rapid.SliceOfN(rapid.SampledFrom([]string{"tag:a", "tag:b", "link:m1", "name:x.go"}), 0, 3).Draw(t, "ties"),
		}
	}), 0, 40).Draw(t, "items")
}

// TestProperties: the order of items says nothing; no item is in two clusters; the bounds hold.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := randomItems(t)
		o := Default()
		o.Max, o.Threshold = rapid.IntRange(3, 12).Draw(t, "max"), rapid.Float64Range(0, 1).Draw(t, "threshold")
		for range rapid.IntRange(0, 20).Draw(t, "near") {
			o.Near = append(o.Near, [2]string{fmt.Sprint("m", rapid.IntRange(0, 61).Draw(t, "a")), fmt.Sprint("m", rapid.IntRange(0, 61).Draw(t, "b"))})
		}
		found := Find(items, o)
		ids := map[string]bool{}
		for _, it := range items {
			ids[it.ID] = true
		}
		for _, c := range found {
			if len(c.Members) < o.Min || len(c.Members) > o.Max || c.Coherence < 0 || c.Coherence > 1 || len(c.Common) == 0 || !slices.IsSorted(c.Members) {
				t.Fatalf("%+v", c)
			}
			for _, id := range c.Members {
				if !ids[id] {
					t.Fatalf("%s is in two clusters, or no item", id)
				}
				delete(ids, id)
			}
		}
		shuffled := slices.Clone(items)
		rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed"))).Shuffle(len(shuffled), func(i, k int) { shuffled[i], shuffled[k] = shuffled[k], shuffled[i] })
		if len(ids) == len(items) { // one of an id counts, whichever
			if again := Find(shuffled, o); !reflect.DeepEqual(found, again) {
				t.Fatalf("in another order: %+v, not %+v", again, found)
			}
		}
	})
}

func FuzzFind(f *testing.F) {
	f.Add("a b|c d e\na|c d\na|c d f", 3)
	f.Fuzz(func(t *testing.T, lines string, least int) {
		o := Default()
		o.Min = least
		items := notes(strings.Split(strings.ToValidUTF8(lines, "?"), "\n")...)
		if a, b := Find(items, o), Find(items, o); !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v, then %+v", a, b)
		}
	})
}
