package secrets

import "testing"

// Every expression of ours compiles.
func TestPatternsCompile(t *testing.T) {
	all := []*pattern{closer, aside, typed, mark, passed, says, apart, opener, scheme, param}
	for _, r := range formats {
		all = append(all, r.pattern)
	}
	for _, p := range all {
		if p.compiled() == nil {
			t.Error("no expression")
		}
	}
}
