package rules

import "github.com/memoryd/memoryd/pkg/memory"

// findings list what rules would have changed and did not, each once.
type findings struct {
	skipped []memory.Skip
	has     map[memory.Skip]bool
}

// skip notes that a rule would have changed a memory, and why it did not.
func (f *findings) skip(sk memory.Skip) {
	if f.has[sk] {
		return
	}
	if f.has == nil {
		f.has = map[memory.Skip]bool{}
	}
	f.has[sk] = true
	f.skipped = append(f.skipped, sk)
}
