package supersession

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The quick look finds what looking for each stem in the lower-case text would.
func TestSpeaksOfReplacing(t *testing.T) {
	pieces := append([]string{"retire", "REPLACed", "the amendment", " ", "é", "-", "sup", "ersede", "re", "UPDAT", "x", "insteaD", "succ", "succe"}, replacingStems...)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 4).Draw(t, "text"), rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "between"))
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		text = text[cut:]
		want := false
		for _, stem := range replacingStems {
			want = want || strings.Contains(strings.ToLower(text), stem)
		}
		if got := speaksOfReplacing(text); got != want {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	})
}

func BenchmarkCited(b *testing.B) {
	text := strings.Repeat("The queue holds 1,200 jobs at most, and workers take them in order. ", 12)
	for name, text := range map[string]string{"silent": text, "speaking": text + "This replaces ADR-0012."} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Cited(text)
			}
		})
	}
}
