package similarity_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/similarity"
)

// near is what comparing a record with all others finds.
func near(all map[string]similarity.Record, r similarity.Record, tagOver, contentOver float64) []similarity.Neighbour {
	var out []similarity.Neighbour
	for key, other := range all {
		n := similarity.Neighbour{Key: key, TagOverlap: similarity.Tags(r.Tags, other.Tags), Content: similarity.Content(r.Text, other.Text)}
		if other.Block == r.Block && n.TagOverlap > tagOver && n.Content > contentOver {
			out = append(out, n)
		}
	}
	return sorted(out)
}

func sorted(ns []similarity.Neighbour) []similarity.Neighbour {
	slices.SortFunc(ns, func(a, b similarity.Neighbour) int {
		return cmp.Or(cmp.Compare(b.Content, a.Content), cmp.Compare(a.Key, b.Key))
	})
	return ns
}

// Whatever comes and goes, the index finds what comparing with all finds, the best first.
func TestIndexMissesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tagOver := rapid.SampledFrom([]float64{-1, 0, 0.5, 0.8}).Draw(t, "tag overlap")
		contentOver := rapid.SampledFrom([]float64{-1, 0, 0.5, 0.8, 0.85, 0.95, 1}).Draw(t, "content similarity")
		vocabulary := rapid.SampledFrom([]int{1, 2, 5, 40, 1000}).Draw(t, "vocabulary")
		longest := rapid.SampledFrom([]int{3, 12, 60, 200}).Draw(t, "longest")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var texts [][]string
		record := rapid.Custom(func(t *rapid.T) similarity.Record {
			words := make([]string, random.IntN(longest+1))
			if len(texts) > 0 && rapid.Bool().Draw(t, "an edit") { // of which some lie just at the threshold
				words = slices.Clone(texts[random.IntN(len(texts))])
				words = words[min(len(words), random.IntN(1+len(words)/4)):]
				for range random.IntN(1 + len(words)/4) {
					words[random.IntN(len(words))] = fmt.Sprint("w", random.IntN(vocabulary))
				}
			} else {
				for i := range words {
					words[i] = fmt.Sprint("w", random.IntN(vocabulary))
				}
			}
			texts = append(texts, words)
			return similarity.Record{
				Block: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "block"),
				Tags:  rapid.SliceOfN(rapid.SampledFrom([]string{"x", "X ", "y", "z", ""}), 0, 3).Draw(t, "tags"),
				Text:  similarity.Prepare(strings.Join(words, " ")),
			}
		})
		x := similarity.NewIndex(tagOver, contentOver)
		all := map[string]similarity.Record{}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			key := fmt.Sprint(rapid.IntRange(0, 30).Draw(t, "key"))
			if rapid.Bool().Draw(t, "remove") {
				x.Remove(key)
				delete(all, key)
				continue
			}
			all[key] = record.Draw(t, "record")
			x.Add(key, all[key])
		}
		if x.Len() != len(all) {
			t.Fatalf("%d records, want %d", x.Len(), len(all))
		}
		for i := range 4 {
			r := record.Draw(t, "query")
			if one, ok := all[fmt.Sprint(i)]; ok {
				r = one
			}
			got := slices.Collect(x.Near(r))
			if !slices.IsSortedFunc(got, func(a, b similarity.Neighbour) int { return cmp.Compare(b.Content, a.Content) }) {
				t.Fatalf("not the best first: %v", got)
			}
			if want := near(all, r, tagOver, contentOver); !slices.Equal(sorted(got), want) {
				t.Fatalf("found %v\nwant  %v", got, want)
			}
		}
	})
}

// corpus makes n texts over a vocabulary in which a few words are frequent, and every tenth text an edit of an earlier one.
func corpus(n, vocabulary, length int, tags func(i int) []string) []similarity.Record {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	texts := make([][]string, n)
	records := make([]similarity.Record, n)
	for i := range records {
		words := make([]string, length/2+random.IntN(length))
		for j := range words {
			at := random.Float64()
			words[j] = fmt.Sprint("w", int(at*at*at*float64(vocabulary)))
		}
		if i > 0 && i%10 == 0 {
			words = slices.Clone(texts[random.IntN(i)])
			for range len(words) / 20 {
				words[random.IntN(len(words))] = fmt.Sprint("w", random.IntN(vocabulary))
			}
		}
		texts[i] = words
		records[i] = similarity.Record{Block: "b", Tags: tags(i), Text: similarity.Prepare(strings.Join(words, " "))}
	}
	return records
}

// The order of the words is made again as records come and go by the thousand, and nothing is missed over it.
func TestIndexGrowsAndShrinks(t *testing.T) {
	for _, c := range []struct {
		name               string
		vocabulary, length int
		tags               func(int) []string
	}{
		{"few words, same tags", 30, 12, func(int) []string { return []string{"all", "same"} }},
		{"many words, no tags", 5000, 40, func(int) []string { return nil }},
		{"one text", 1, 20, func(i int) []string { return []string{fmt.Sprint(i % 7)} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			records := corpus(3000, c.vocabulary, c.length, c.tags)
			x := similarity.NewIndex(-1, 0.85)
			all := map[string]similarity.Record{}
			check := func() {
				t.Helper()
				for i := 0; i < len(records); i += 211 {
					if got, want := sorted(slices.Collect(x.Near(records[i]))), near(all, records[i], -1, 0.85); !slices.Equal(got, want) {
						t.Fatalf("record %d: found %d, want %d", i, len(got), len(want))
					}
				}
			}
			for i, r := range records {
				x.Add(fmt.Sprint(i), r)
				all[fmt.Sprint(i)] = r
			}
			check()
			for i := range 2500 {
				x.Remove(fmt.Sprint(i))
				delete(all, fmt.Sprint(i))
			}
			check()
			for i := range 2500 {
				x.Add(fmt.Sprint(i), records[i])
				all[fmt.Sprint(i)] = records[i]
			}
			check()
		})
	}
}

// A text that is all contained in a longer one is found, though the longer one's rarest words are all others.
func TestIndexFindsWhatIsContained(t *testing.T) {
	words := func(prefix string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s%d ", prefix, i)
		}
		return b.String()
	}
	text := func(s string) similarity.Record { return similarity.Record{Text: similarity.Prepare(s)} }
	for common := 3; common <= 400; common++ {
		// The rest is as long as it can be.
		rest := 0
		for 2*float64(common)/float64(2*common+rest+1) > 0.85 {
			rest++
		}
		x := similarity.NewIndex(-1, 0.85)
		for i, half := range []string{words("c", common/2), words("c", common)[len(words("c", common/2)):]} {
			x.Add(fmt.Sprint("half", i), text(half)) // the words of both come first, and count as more frequent
		}
		x.Add("long", text(words("c", common)+words("r", rest)))
		if got := slices.Collect(x.Near(text(words("c", common)))); len(got) != 1 || got[0].Key != "long" {
			t.Fatalf("%d words in %d: found %v", common, common+rest, got)
		}
	}
}
