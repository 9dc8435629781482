// Package lazyregexp compiles regular expressions at their first use, like the package of this name inside the standard library.
// Compiling takes some ten microseconds, and a program with a hundred expressions as variables pays for all of them at each
// start, though a command uses few.
//
// The compiler lays variables of this type out, so that nothing runs or is allocated for them at the start; a sync.OnceValue each
// would allocate.
package lazyregexp

import (
	"regexp"
	"sync/atomic"
)

// Regexp is a regular expression that is compiled at its first use. Its methods are those of [regexp.Regexp]; the zero
// value matches everywhere. It is safe for concurrent use and must not be copied.
type Regexp struct {
	expression string
	compiled   atomic.Pointer[regexp.Regexp] // nil: not yet
}

// New returns an expression. A malformed one panics at its first use, so that a test has to use it.
func New(expression string) *Regexp { return &Regexp{expression: expression} }

// Of returns an expression that is compiled already.
func Of(compiled *regexp.Regexp) *Regexp {
	r := &Regexp{}
	r.compiled.Store(compiled)
	return r
}

// Get returns the compiled expression.
func (r *Regexp) Get() *regexp.Regexp {
	if compiled := r.compiled.Load(); compiled != nil {
		return compiled
	}
	return r.compile()
}

// compile may run twice at the same time: both make the same.
func (r *Regexp) compile() *regexp.Regexp {
	compiled := regexp.MustCompile(r.expression)
	r.compiled.Store(compiled)
	return compiled
}

func (r *Regexp) Match(b []byte) bool            { return r.Get().Match(b) }
func (r *Regexp) MatchString(s string) bool      { return r.Get().MatchString(s) }
func (r *Regexp) FindString(s string) string     { return r.Get().FindString(s) }
func (r *Regexp) FindStringIndex(s string) []int { return r.Get().FindStringIndex(s) }
func (r *Regexp) FindStringSubmatch(s string) []string {
	return r.Get().FindStringSubmatch(s)
}
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.Get().FindStringSubmatchIndex(s)
}
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.Get().FindAllStringIndex(s, n)
}
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.Get().FindAllStringSubmatch(s, n)
}
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.Get().FindAllStringSubmatchIndex(s, n)
}
func (r *Regexp) ReplaceAllString(s, by string) string { return r.Get().ReplaceAllString(s, by) }
