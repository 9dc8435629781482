package similarity

import (
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// allPairs is the specification of Pairs.
func allPairs(records []Record, tagOver, contentOver float64) []Pair {
	var out []Pair
	for i, a := range records {
		for j := i + 1; j < len(records); j++ {
			b := records[j]
			if a.Block != b.Block {
				continue
			}
			p := Pair{A: i, B: j, TagOverlap: Tags(a.Tags, b.Tags), Content: Content(a.Text, b.Text)}
			if p.TagOverlap > tagOver && p.Content > contentOver {
				out = append(out, p)
			}
		}
	}
	return out
}

// drawRecords draws records that are likely to be similar: few words, few tags, copies with small edits.
func drawRecords(t *rapid.T) []Record {
	words := rapid.SliceOfN(rapid.SampledFrom(strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z don't 5 été 東京都")), 0, 14)
	tags := rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "Y ", "z", "", "u", "v", "w", "q"}), 0, 8)
	var records []Record
	for n := rapid.IntRange(0, 40).Draw(t, "n"); len(records) < n; {
		r := Record{Block: rapid.SampledFrom([]string{"", "", "b"}).Draw(t, "block")}
		if len(records) > 0 && rapid.Bool().Draw(t, "copy") {
			from := records[rapid.IntRange(0, len(records)-1).Draw(t, "from")]
			r.Block, r.Tags = from.Block, from.Tags
		} else {
			r.Tags = tags.Draw(t, "tags")
		}
		w := words.Draw(t, "words")
		if rapid.Bool().Draw(t, "long") {
			w = append(strings.Fields("one two three four five six seven eight nine ten eleven twelve"), w[:min(len(w), 4)]...)
		}
		r.Text = Prepare(strings.Join(w, " "))
		if rapid.IntRange(0, 20).Draw(t, "nil") == 0 {
			r.Text = nil
		}
		records = append(records, r)
	}
	return records
}

var thresholds = rapid.SampledFrom([]float64{-1, 0, 0.1, 0.5, 2.0 / 3, 0.8, 0.8, 0.8, 0.95, 1, 2})

func TestPairsEqualsAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := drawRecords(t)
		tagOver, contentOver := thresholds.Draw(t, "tagOver"), thresholds.Draw(t, "contentOver")
		if d := cmp.Diff(allPairs(records, tagOver, contentOver), Pairs(records, tagOver, contentOver)); d != "" {
			t.Fatal(d)
		}
	})
}

func TestSimilarAfterRemovals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := drawRecords(t)
		if len(records) == 0 {
			return
		}
		over := thresholds.Draw(t, "over")
		all := allPairs(records, over, over)
		j := NewJoin(records, over, over)
		removed := make([]bool, len(records))
		for range 30 {
			i := rapid.IntRange(0, len(records)-1).Draw(t, "i")
			if rapid.Bool().Draw(t, "remove") {
				j.Remove(i)
				removed[i] = true
				continue
			}
			var want []Pair
			for _, p := range all {
				if (p.A == i || p.B == i) && !removed[p.A] && !removed[p.B] {
					want = append(want, p)
				}
			}
			if d := cmp.Diff(want, j.Similar(i)); d != "" {
				t.Fatalf("similar to %d: %s", i, d)
			}
		}
	})
}

// What was asked for ahead is what would have been answered when its turn came, whatever was removed meanwhile.
func TestAhead(t *testing.T) {
	for name, records := range map[string][]Record{
		"same tags": corpus(600, 20000, sameTags),
		"few words": corpus(600, 30, sameTags),
		"few texts": corpus(600, 3, mixedTags),
	} {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(2, len(records)).Draw(t, "n")
			over := thresholds.Draw(t, "over")
			removals := rand.New(rand.NewSource(rapid.Int64().Draw(t, "removals")))
			j, plain := NewJoin(records[:n], 0.8, over), NewJoin(records[:n], 0.8, over)
			ahead := NewAhead(j)
			for i := range n {
				ahead.Ask(n-i, func(after int) int { return i + after })
				want := plain.Similar(i)
				if d := cmp.Diff(want, j.Similar(i), cmpopts.EquateEmpty()); d != "" {
					t.Fatalf("%s, similar to %d: %s", name, i, d)
				}
				j.Remove(i)
				plain.Remove(i)
				for _, p := range want {
					if other := p.A + p.B - i; removals.Intn(2) == 0 {
						j.Remove(other)
						plain.Remove(other)
					}
				}
			}
		})
	}
}

// corpus makes n texts of 60 to 120 words with the word frequencies of prose; every tenth is a light edit of the one before.
func corpus(n int, vocabulary uint64, tags func(*rand.Rand, int) []string) []Record {
	r := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(r, 1.1, 2.7, vocabulary)
	word := func() string { return fmt.Sprintf("w%d", zipf.Uint64()) }
	records := make([]Record, n)
	var last []string
	for i := range records {
		if i%10 == 9 {
			last = slices.Clone(last)
			for range 3 {
				last[r.Intn(len(last))] = word()
			}
		} else {
			last = make([]string, 60+r.Intn(61))
			for k := range last {
				last[k] = word()
			}
		}
		records[i] = Record{Tags: tags(r, i), Text: Prepare(strings.Join(last, " "))}
		if i%10 == 9 {
			records[i].Tags = records[i-1].Tags
		}
	}
	return records
}

func sameTags(*rand.Rand, int) []string { return []string{"a", "b", "c"} }

func mixedTags(r *rand.Rand, _ int) []string {
	out := []string{}
	for range 4 + r.Intn(3) {
		out = append(out, fmt.Sprintf("t%d", r.Intn(36)))
	}
	return out
}

// linkedTags leaves three of forty tags out: all sets overlap by more than 0.8.
func linkedTags(r *rand.Rand, _ int) []string {
	out := []string{}
	leave := r.Perm(40)[:3]
	for k := range 40 {
		if !slices.Contains(leave, k) {
			out = append(out, fmt.Sprintf("t%d", k))
		}
	}
	return out
}

func TestPairsOfLargeGroups(t *testing.T) {
	for name, records := range map[string][]Record{
		"same tags":   corpus(800, 20000, sameTags),
		"mixed tags":  corpus(800, 20000, mixedTags),
		"linked tags": corpus(800, 20000, linkedTags),
		"few words":   corpus(500, 30, sameTags),
	} {
		if d := cmp.Diff(allPairs(records, 0.8, 0.8), Pairs(records, 0.8, 0.8)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func BenchmarkPairs(b *testing.B) {
	for _, c := range []struct {
		name string
		make func() []Record
	}{
		{"mixed tags", func() []Record { return corpus(10000, 50000, mixedTags) }},
		{"same tags", func() []Record { return corpus(10000, 50000, sameTags) }},
		{"linked tags", func() []Record { return corpus(10000, 50000, linkedTags) }},
		{"small vocabulary", func() []Record { return corpus(10000, 300, sameTags) }},
		{"small vocabulary 100k", func() []Record { return corpus(100000, 2000, sameTags) }},
		{"mixed tags 100k", func() []Record { return corpus(100000, 50000, mixedTags) }},
		{"same tags 100k", func() []Record { return corpus(100000, 50000, sameTags) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				records := c.make()
				b.StartTimer()
				b.ReportMetric(float64(len(Pairs(records, 0.8, 0.8))), "pairs")
			}
		})
	}
}

// BenchmarkMillion joins a million records with five of ten thousand tags each, a tenth of
// which are light edits of another with the same tags: 100,000 pairs, all of them found. Texts
// that have no partner aren't asked for.
func BenchmarkMillion(b *testing.B) {
	const n = 1_000_000
	r := rand.New(rand.NewSource(1))
	words := make([]string, 20_000)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", i)
	}
	tags := make([]string, 10_000)
	for i := range tags {
		tags[i] = fmt.Sprintf("t%d", i)
	}
	records := make([]Record, n)
	for i := range records {
		if i%10 != 9 {
			records[i] = Record{Tags: []string{tags[r.Intn(len(tags))], tags[r.Intn(len(tags))], tags[r.Intn(len(tags))], tags[r.Intn(len(tags))], tags[r.Intn(len(tags))]}, Text: Later(unasked{})}
			continue
		}
		text := make([]string, 60+r.Intn(61))
		for k := range text {
			text[k] = words[r.Intn(len(words))]
		}
		records[i-1].Text = Prepare(strings.Join(text, " "))
		text[r.Intn(len(text))] = words[r.Intn(len(words))]
		records[i] = Record{Tags: records[i-1].Tags, Text: Prepare(strings.Join(text, " "))}
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		pairs := Pairs(records, 0.8, 0.8)
		runtime.ReadMemStats(&after)
		if len(pairs) != n/10 {
			b.Fatalf("%d pairs", len(pairs))
		}
	}
	b.ReportMetric(float64(after.HeapSys-before.HeapInuse)/1e6, "MB-beside-records")
	b.ReportMetric(float64(after.HeapSys)/1e6, "MB-in-all")
}

// unasked is the text of a record without a partner.
type unasked struct{}

func (unasked) Text() string { panic("asked for a text that has no partner") }

// counting is a source that counts how often it was asked.
type counting struct {
	text string
	asks *atomic.Int32
}

func (c counting) Text() string {
	c.asks.Add(1)
	return c.text
}

// Read reads each text that has a partner by its tags, once, and no other; a join that was read ahead answers like one that was not.
func TestReadAhead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := drawRecords(t)
		asks := make([]atomic.Int32, len(records))
		ahead := slices.Clone(records)
		for i, r := range records {
			if r.Text != nil {
				ahead[i].Text = Later(counting{r.Text.body(), &asks[i]})
			}
		}
		over := thresholds.Draw(t, "over")
		j, plain := NewJoin(ahead, over, over), NewJoin(records, over, over)
		order := make([]int, len(records))
		for i := range order {
			order[i] = i
		}
		for _, i := range rapid.Permutation(order).Draw(t, "order") {
			if !j.Alone(i) && ahead[i].Text != nil {
				ahead[i].Text.Read()
			}
		}
		for i := range records {
			if want := plain.Similar(i); !slices.Equal(j.Similar(i), want) {
				t.Fatalf("record %d: %v, not %v", i, j.Similar(i), want)
			}
			if want := records[i].Text != nil && !plain.Alone(i); (asks[i].Load() == 1) != want || asks[i].Load() > 1 {
				t.Fatalf("record %d was read %d times", i, asks[i].Load())
			}
		}
	})
}
