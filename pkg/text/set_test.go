package text

import (
	"maps"
	"strings"
	"sync"
	"testing"
)

func TestSet(t *testing.T) {
	var none Set
	words := NewSet(" the\n\ta the\u00a0né ")
	phrases := NewSet("action items, e.g ,\n\tby")
	for _, c := range []struct {
		set  *Set
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
		if got := c.set.build(); !maps.Equal(got, want) {
			t.Errorf("the set is %v, want %v", got, want)
		}
	}
}

// Whoever asks at the same time gets the same answers.
func TestConcurrentUse(t *testing.T) {
	for range 50 {
		set := NewSet("a b")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if !set.Has("b") || set.Has("c") || English.Stem("running") != "run" {
					t.Error("the set isn't a and b, or a stem is wrong")
				}
			})
		}
		all.Wait()
	}
}
