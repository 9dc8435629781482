package similarity

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func otherOf(a, b string) []Difference {
	lines := strings.NewReplacer("⏎", "\n")
	return OtherFacts(Prepare(lines.Replace(a)), Prepare(lines.Replace(b)))
}

// Another fact is a question; another wording is not.
func TestOtherFacts(t *testing.T) {
	pairs := pairsOf(t, "otherfacts.txt")
	for _, c := range pairs["another fact"] {
		if len(otherOf(c[0], c[1])) == 0 {
			t.Errorf("no question:\n%q\n%q", c[0], c[1])
		}
	}
	for _, c := range pairs["another wording"] {
		if got := otherOf(c[0], c[1]); got != nil {
			t.Errorf("a question about %q:\n%q\n%q", got, c[0], c[1])
		}
	}
	if len(pairs["another fact"]) == 0 || len(pairs["another wording"]) == 0 {
		t.Error("no pairs")
	}
}

// Any two texts are judged the same in both directions, and a text never differs from itself.
func TestOtherFactsAreSymmetric(t *testing.T) {
	word := rapid.SampledFrom(strings.Fields("no No , . : + - # 1) 2. (8 9] ■ □ ▲ ✅ Note if the queue is empty stop Polish polish don't can't e.g. 10.000 10000 nicht teh ⏎ ⏎ für fuer"))
	text := rapid.Map(rapid.SliceOfN(word, 0, 14), func(words []string) string { return strings.ReplaceAll(strings.Join(words, " "), " ⏎ ", "\n") })
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		if got := otherOf(a, a); got != nil {
			t.Fatalf("%q differs from itself: %q", a, got)
		}
		there, back := otherOf(a, b), otherOf(b, a)
		for i := range back {
			back[i].A, back[i].B = back[i].B, back[i].A
		}
		if !slices.Equal(there, back) {
			t.Fatalf("%q\n%q:\n%q\n%q", a, b, there, back)
		}
	})
}
