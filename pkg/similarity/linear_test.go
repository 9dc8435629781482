package similarity_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/similarity"
)

// TestLinear: a text of eight times as many lines takes some eight times as long to compare, and not sixty-four times.
func TestLinear(t *testing.T) {
	note := func(lines int) string {
		var b strings.Builder
		for i := range lines {
			fmt.Fprintf(&b, "- [ ] item %d\n> quoted words\n| a | b |\n|---|---|\n    indented, see https://acme.dev/%d\n\n", i, i)
		}
		return b.String()
	}
	took := func(text string) time.Duration {
		best := time.Hour
		for range 3 {
			start := time.Now()
			similarity.Contained(similarity.Prepare(text), similarity.Prepare(text+"and more"))
			best = min(best, time.Since(start))
		}
		return best
	}
	var short, long time.Duration
	for range 5 { // a busy machine may stop either of them
		if short, long = took(note(250)), took(note(2000)); long <= 30*short {
			return
		}
	}
	t.Errorf("250 lines take %v, 2000 take %v", short, long)
}
