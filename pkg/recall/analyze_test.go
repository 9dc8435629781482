package recall

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/text"
)

// The short way for plain words and the long one for all others cut alike.
func TestPlainWordsAreCutAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.RuneFrom([]rune("abcABC019 _-./:@'’,;(é語")), 0, 30, -1).Draw(t, "text")
		a := newAnalyzer()
		var got, want []token
		a.terms(s, func(x token) { x.word = nil; got = append(got, x) })
		yield := func(x token) { x.word = nil; want = append(want, x) }
		for i := 0; i < len(s); {
			if r := []rune(s[i:])[0]; unspaced(r) {
				i = a.pairs(s, i, yield)
			} else if text.IsWord(r) {
				i = a.compound(s, i, yield)
			} else {
				i += len(string(r))
			}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(token{})); diff != "" {
			t.Fatalf("%q: %s", s, diff)
		}
	})
}

func TestSearchesAtOnce(t *testing.T) {
	ix := recoded(t, indexOf(someDocuments()...))
	ix.Add(Document{ID: "e", Content: "cache of the port"})
	want := order(ask(t, ix, Query{Text: "cache port"}))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if r, err := ix.Search(Query{Text: "cache port"}); err != nil || order(r) != want {
					t.Errorf("%s, want %s: %v", order(r), want, err)
				}
			}
		})
	}
	all.Wait()
	if !strings.HasPrefix(want, "e ") && !strings.HasPrefix(want, "b ") {
		t.Error(want)
	}
}
