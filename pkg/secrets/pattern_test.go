package secrets

import (
	"testing"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// Every expression of ours compiles.
func TestPatternsCompile(t *testing.T) {
	all := []*lazyregexp.Regexp{
		closer, aside, typed, mark, passed, says, apart, below, opener, scheme, param, standIn, standInLong, reference, moment, amount, versionNo, uuid, word, variable,
		keyBegin, keyEnd, keyHead, keyBody, keyLine,
	}
	for _, r := range formats() {
		all = append(all, r.pattern)
	}
	for _, p := range all {
		if p.Get() == nil {
			t.Error("no expression")
		}
	}
}
