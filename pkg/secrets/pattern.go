package secrets

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used: most programs
// that link this package look for no secret, and all of them would wait.
type pattern struct{ compiled func() *regexp.Regexp }

// lazily returns the pattern of an expression of ours, which a test has compiled.
func lazily(expression string) *pattern {
	return &pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// given is a pattern that is compiled already.
func given(r *regexp.Regexp) *pattern { return &pattern{func() *regexp.Regexp { return r }} }

func (p *pattern) FindString(s string) string { return p.compiled().FindString(s) }
func (p *pattern) MatchString(s string) bool  { return p.compiled().MatchString(s) }
