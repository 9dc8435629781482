package recall

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/supersession"
)

func someDocuments() []Document {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	return []Document{
		{ID: "a", Title: "Cache", Content: "The cache listens on port 8080.", Tags: []string{"ops"}, Session: "s", Created: at, SupersededBy: []string{"b"}},
		{ID: "b", Content: "The cache listens on port 9090.", Session: "s", Created: at.Add(time.Hour), People: []string{"Ana"}, Type: "factual"},
		{ID: "c", Content: "日本語 café getUserName v1.2.3 api_key", Session: "t", Created: at, Scope: "global", Agent: "DEV-1"},
		{ID: "d", Summary: "Lunch", Content: "noon", Created: at, Archived: true},
	}
}

// Bytes that nobody wrote are refused or give wrong answers, and nothing worse.
func FuzzDecode(f *testing.F) {
	data := indexOf(someDocuments()...).encode()
	f.Add(data)
	f.Add([]byte(magic))
	f.Add(New().encode())
	for _, at := range []int{headerSize, headerSize + 40, len(data) / 2, len(data) - 60} {
		changed := append([]byte{}, data...)
		changed[at] ^= 0xff
		f.Add(changed)
	}
	f.Fuzz(useBytes)
}

// useBytes does with an index of those bytes, under a right checksum, all that can
// be done, if it can be opened.
func useBytes(t *testing.T, data []byte) {
	if len(data) < headerSize {
		return
	}
	ix, err := decode(signed(data))
	if err != nil {
		return
	}
	q := Query{Text: "cache port Ana last week 日本", At: time.Date(2026, 3, 9, 9, 0, 0, 0, time.UTC), Mode: Exhaustive, Filter: Filter{Tags: []string{"ops"}}}
	for range 2 {
		for _, text := range []string{q.Text, ""} {
			q.Text = text
			if _, err := ix.Search(q); err != nil {
				t.Fatal(err)
			}
		}
		q.Filter = Filter{Scope: "agent"}
		ix.Add(someDocuments()[:3]...)
		ix.Remove("b", "d")
	}
	if _, err := decode(ix.encode()); err != nil && !errors.Is(err, ErrFormat) {
		t.Fatal(err)
	}
}

// signed gives bytes the right checksum.
func signed(data []byte) []byte {
	data = bytes.Clone(data)
	binary.LittleEndian.PutUint32(data[len(magic):], checksum(data[headerSize:]))
	return data
}

func TestDamagedBytes(t *testing.T) {
	data := indexOf(someDocuments()...).encode()
	r := rand.New(rand.NewSource(1))
	for range 3000 {
		bad := bytes.Clone(data)
		for range 1 + r.Intn(4) {
			bad[headerSize+r.Intn(len(bad)-headerSize)] = byte(r.Intn(256))
		}
		useBytes(t, bad)
	}
}

// No text of a memory or a query is an error, and a memory is found by its words.
func FuzzText(f *testing.F) {
	for _, s := range []string{"cache port", "what's \"up? AND (", "getUserName.v1.2/x:y@z's", "日本語ab語", "a\x00b\xff\xfec", "ＡＢＣ ﬁ İ ß ᾳ", "last week since May until 2026-13-45", "''''’’’x'", "-._/:@", "ก็ไม่รู้", "A1bC2dE3"} {
		f.Add(s, "cache", "Ana")
		f.Add("x", s, s)
	}
	f.Fuzz(func(t *testing.T, content, query, name string) {
		a := newAnalyzer()
		first := ""
		a.terms(content, func(x token) {
			if x.start < 0 || x.start >= x.end || x.end > len(content) {
				t.Fatalf("%q: [%d, %d)", content, x.start, x.end)
			}
			if x.term == "" {
				t.Fatalf("%q: an empty term", content)
			}
			if first == "" {
				first = content[x.start:x.end]
			}
		})
		ix := New()
		ix.Add(someDocuments()...)
		ix.Add(Document{ID: name, Title: name, Content: content, Tags: []string{name}, People: []string{name}, Session: name, Type: name, Scope: name, Agent: name, Supersedes: []string{query, "a"}})
		q := Query{Text: query, At: time.Date(2026, 3, 9, 9, 0, 0, 0, time.UTC), Filter: Filter{}, Note: func(string) (supersession.Note, bool) { return supersession.Note{Text: content}, true }}
		found, err := ix.Search(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range found.Hits {
			if math.Abs(h.Score-h.Parts.Sum()) > 1e-12*h.Score || !(h.Score > 0) {
				t.Fatalf("score %v, parts %+v", h.Score, h.Parts)
			}
		}
		if first == "" || !utf8.ValidString(content) {
			return
		}
		if found, _ = ix.Search(Query{Text: first, Limit: 10}); !contains(found, name) {
			t.Fatalf("%q isn't found by %q", content, first)
		}
		if !recoded(t, ix).Has(name) {
			t.Fatalf("%q is lost", name)
		}
	})
}

func contains(r Result, id string) bool {
	for _, h := range r.Hits {
		if h.ID == id {
			return true
		}
	}
	return false
}
