package similarity

import (
	"math"
	"slices"
	"testing"
)

func TestNear(t *testing.T) {
	unit := func(x ...float32) []float32 { return Unit(x) }
	vectors := [][]float32{unit(1, 0), nil, unit(2, 0.2), unit(0, 3), unit(1, 0, 0), unit(0, 0), unit(float32(math.Inf(1)), 1), unit(0, 1)}
	var got [][2]int
	for _, p := range Near(vectors, .85) {
		got = append(got, [2]int{p.A, p.B})
	}
	if want := [][2]int{{3, 7}, {0, 2}}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if all := Near(vectors, 0); slices.ContainsFunc(all, func(p NearPair) bool { return p.A == 1 || p.B == 1 && len(vectors[p.A]) > 0 && p.Cosine > 0 }) {
		t.Errorf("near to nothing: %v", all)
	}
}
