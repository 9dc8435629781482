package recall

import (
	"fmt"
	"math"
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/supersession"
)

var benchTime = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// vocabulary draws words as texts without function words do: the commonest stands
// in three memories of ten, and so on by the law of Zipf and Mandelbrot.
type vocabulary struct {
	r    *rand.Rand
	zipf *rand.Zipf
}

func newVocabulary(seed int64) *vocabulary {
	r := rand.New(rand.NewSource(seed))
	return &vocabulary{r, rand.NewZipf(r, 1.07, 50, 60000)}
}

func (v *vocabulary) word() string {
	n := v.zipf.Uint64()
	var b strings.Builder
	for n += 20; n > 0; n /= 20 {
		b.WriteByte("bcdfghklmnprstvwzjqx"[n%20])
		b.WriteByte("aeiou"[n%5])
	}
	return b.String()
}

func (v *vocabulary) text(words int) string {
	list := make([]string, words)
	for i := range list {
		list[i] = v.word()
	}
	return strings.Join(list, " ")
}

// manyDocuments are memories of about 1 KB with records' fields: half of them in
// sessions of 20.
func manyDocuments(n int) []Document {
	v := newVocabulary(1)
	docs := make([]Document, n)
	for i := range docs {
		d := &docs[i]
		d.ID = fmt.Sprintf("mem_%012x", uint64(i)*0x9e3779b97f4a7c15>>16)
		d.Title, d.Content = v.text(6), v.text(60+v.r.Intn(80))
		d.Tags = []string{v.word(), v.word(), v.word()}
		d.Type, d.Agent = []string{"semantic", "episodic", "procedural"}[i%3], fmt.Sprintf("DEV-%03d", i%50)
		d.Scope = "agent:" + d.Agent
		d.People = []string{d.Agent}
		if i%2 == 0 {
			d.Session = fmt.Sprintf("s%d", i/40)
		}
		d.Created = benchTime.Add(-time.Duration(i*7919%525600) * time.Minute)
		if i%100 == 99 {
			d.Supersedes = []string{docs[i-50].ID}
		}
	}
	return docs
}

func queries(n, words int) []string {
	v := newVocabulary(2)
	list := make([]string, n)
	for i := range list {
		list[i] = v.text(words)
	}
	return list
}

func BenchmarkBuild100k(b *testing.B) {
	docs := manyDocuments(100000)
	for b.Loop() {
		ix := New()
		ix.Add(docs...)
	}
}

func BenchmarkEncode100k(b *testing.B) {
	ix := indexOf(manyDocuments(100000)...)
	var data []byte
	for b.Loop() {
		data = ix.encode()
	}
	b.ReportMetric(float64(len(data))/1e6, "MB")
}

func BenchmarkDecode100k(b *testing.B) {
	data := indexOf(manyDocuments(100000)...).encode()
	for b.Loop() {
		if _, err := decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpdate100k(b *testing.B) {
	ix := recoded(b, indexOf(manyDocuments(100000)...))
	v := newVocabulary(3)
	doc := Document{ID: "new", Session: "s7", Content: v.text(100)}
	ix.Add(doc)
	for b.Loop() {
		ix.Add(doc)
	}
}

// BenchmarkSearch100k reports how long queries take, in the middle and at worst:
// of 2 words, of 8 words drawn as texts draw them, and of the 8 commonest words;
// with texts, those of the hits are read from memory, judged and fed back. Processor time
// of the thread stands beside, where it is told.
func BenchmarkSearch100k(b *testing.B) {
	docs := manyDocuments(100000)
	ix := recoded(b, indexOf(docs...))
	text := map[string]string{}
	for _, d := range docs {
		text[d.ID] = d.Content
	}
	note := func(id string) (supersession.Note, bool) { return supersession.Note{Text: text[id]}, true }
	common := commonest(ix, 8)
	for _, c := range []struct {
		name string
		list []string
		note func(string) (supersession.Note, bool)
	}{
		{"2words", queries(400, 2), nil}, {"8words", queries(400, 8), nil}, {"common", []string{common}, nil},
		{"when", []string{"what happened last week"}, nil}, {"8words+texts", queries(400, 8), note}, {"nothing", []string{""}, nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var took, cpu []float64
			for i := 0; b.Loop(); i++ {
				start, before := time.Now(), spent()
				if _, err := ix.Search(Query{Text: c.list[i%len(c.list)], At: benchTime, Note: c.note}); err != nil {
					b.Fatal(err)
				}
				took = append(took, float64(time.Since(start).Microseconds())/1000)
				cpu = append(cpu, float64((spent()-before).Microseconds())/1000)
			}
			for unit, list := range map[string][]float64{"ms": took, "cpu-ms": cpu} {
				slices.Sort(list)
				b.ReportMetric(list[len(list)/2], "p50-"+unit)
				b.ReportMetric(list[min(int(math.Ceil(.99*float64(len(list)))), len(list)-1)], "p99-"+unit)
			}
		})
	}
}

// commonest are the words that most documents have.
func commonest(ix *Index, n int) string {
	var list []uint32
	for t, term := range ix.terms.list {
		if term[0] != '@' {
			list = append(list, uint32(t))
		}
	}
	slices.SortFunc(list, func(a, b uint32) int { return len(ix.postingsOf(nil, b)) - len(ix.postingsOf(nil, a)) })
	var words []string
	for _, t := range list[:n] {
		words = append(words, ix.terms.list[t])
	}
	return strings.Join(words, " ")
}
