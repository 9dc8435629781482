package similarity

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A sketch never rules out a pair that is similar, nor do hashes of tags.
func TestSketchesRuleOutNothingSimilar(t *testing.T) {
	ruledOut := 0
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "B", "b", "c", "d", "é", "É", " ", "x1", "Δ"})
		text := func(label string) string { return strings.Join(rapid.SliceOf(word).Draw(t, label), " ") }
		over := rapid.Float64Range(0, 0.99).Draw(t, "over")
		a, b := Prepare(text("a")), Prepare(text("b"))
		x, y := a.Sketch(), b.Sketch()
		if x.Allows(&y, over) != y.Allows(&x, over) {
			t.Fatal("the order matters")
		}
		switch allowed := x.Allows(&y, over); {
		case !allowed && Content(a, b) > over:
			t.Fatalf("similar by %g, and ruled out above %g", Content(a, b), over)
		case !allowed:
			ruledOut++
		}
		v, w := rapid.SliceOfN(word, 0, 5).Draw(t, "tags"), rapid.SliceOfN(word, 0, 5).Draw(t, "other tags")
		if got, want := TagHashOverlap(AppendTagHashes(nil, v), AppendTagHashes(nil, w)), Tags(v, w); got != want {
			t.Fatalf("tags %q and %q overlap by %g, their hashes by %g", v, w, want, got)
		}
	})
	if ruledOut == 0 {
		t.Error("nothing was ruled out")
	}
}
