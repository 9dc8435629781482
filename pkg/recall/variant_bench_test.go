package recall

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// What a word costs that the index doesn't have, by the terms of the index. 100,000 memories have some 150,000.
func BenchmarkVariants(b *testing.B) {
	for _, n := range []int{10_000, 150_000} {
		b.Run(fmt.Sprintf("terms=%d", n), func(b *testing.B) {
			chance := rand.New(rand.NewPCG(1, 2))
			ix := New()
			var text strings.Builder
			for range n {
				for range 4 + chance.IntN(8) {
					text.WriteByte(byte('a' + chance.IntN(26)))
				}
				text.WriteByte(' ')
			}
			ix.Add(Document{ID: "it", Content: text.String()})
			m := ix.borrowMatches()
			for b.Loop() {
				ix.variants(m, "serverraum", false)
			}
		})
	}
}
