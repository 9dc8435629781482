package workspace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A run that holds on to no index, as a large workspace makes it, leaves every file as one that
// has them all in memory does, its records too.
func TestIndexesAreReadAgain(t *testing.T) {
	for _, sc := range scenarios() {
		if sc.light {
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			var left [2]map[string]string
			for i := range left {
				sc.light = i > 0
				m := sc.disk(t)
				for n, step := range sc.steps {
					if err := step(sc.store(m, n)); err != nil {
						t.Fatal(err)
					}
				}
				left[i] = m.Files()
			}
			if diff := cmp.Diff(left[0], left[1]); diff != "" {
				t.Error(diff)
			}
		})
	}
}
