package lazymap_test

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/memoryd/memoryd/pkg/internal/lazymap"
)

func TestSets(t *testing.T) {
	var none lazymap.Set
	words := lazymap.Words(" the\n\ta the\u00a0né ")
	phrases := lazymap.Phrases("action items, e.g ,\n\tby")
	for _, c := range []struct {
		set  *lazymap.Set
		want string
	}{{&none, ""}, {&words, "the|a|né"}, {&phrases, "action items|e.g|by"}} {
		want := map[string]bool{}
		if c.want != "" {
			for w := range strings.SplitSeq(c.want, "|") {
				want[w] = true
			}
		}
		for _, w := range []string{"", "the", "a", "né", "action", "action items", " e.g ", "e.g", "by", "\n\tby"} {
			if got := c.set.Has(w); got != want[w] {
				t.Errorf("{%s}.Has(%q) is %t", c.want, w, got)
			}
		}
		if got := c.set.All(); !maps.Equal(got, want) {
			t.Errorf("the set is %v, want %v", got, want)
		}
	}
}

func TestMadeWhenAsked(t *testing.T) {
	made := 0
	m := lazymap.Of(func() map[string]int { made++; return map[string]int{"a": 1} })
	if made != 0 {
		t.Error("made before it was asked")
	}
	for range 2 {
		if got, none := m.Get("a"), m.Get("b"); got != 1 || none != 0 || made != 1 {
			t.Errorf("a is %d, b is %d, made %d times", got, none, made)
		}
	}
}

// Whoever asks at the same time gets the same map, which is made once.
func TestConcurrentUse(t *testing.T) {
	for range 50 {
		var made atomic.Int32
		m := lazymap.Of(func() map[string]int { return map[string]int{"n": int(made.Add(1))} })
		words := lazymap.Words("a b")
		var seen sync.Map
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				seen.Store(m.Get("n"), true)
				if !words.Has("b") || words.Has("c") {
					t.Error("the set isn't a and b")
				}
			})
		}
		all.Wait()
		n := 0
		for range seen.Range {
			n++
		}
		if n != 1 || made.Load() != 1 {
			t.Fatalf("%d maps were seen, %d made", n, made.Load())
		}
	}
}
