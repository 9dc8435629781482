// Package lazyregexp compiles regular expressions when they are first used. To compile one
// takes some ten microseconds; a program with a hundred of them as variables pays for all
// at each start, and a command mostly uses none.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is an expression that is compiled by the first use of it. Its methods are those
// of [regexp.Regexp]; the zero value is of no use. It is safe for concurrent use.
type Regexp struct {
	get func() *regexp.Regexp
}

// New returns an expression. One that is none panics when it is first used, so that a
// test has to use it.
func New(expression string) *Regexp {
	return &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// Of returns an expression that is compiled already.
func Of(compiled *regexp.Regexp) *Regexp {
	return &Regexp{func() *regexp.Regexp { return compiled }}
}

// Get returns the compiled expression.
func (r *Regexp) Get() *regexp.Regexp { return r.get() }

func (r *Regexp) Match(b []byte) bool            { return r.get().Match(b) }
func (r *Regexp) MatchString(s string) bool      { return r.get().MatchString(s) }
func (r *Regexp) FindString(s string) string     { return r.get().FindString(s) }
func (r *Regexp) FindStringIndex(s string) []int { return r.get().FindStringIndex(s) }
func (r *Regexp) FindStringSubmatch(s string) []string {
	return r.get().FindStringSubmatch(s)
}
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.get().FindStringSubmatchIndex(s)
}
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.get().FindAllStringIndex(s, n)
}
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.get().FindAllStringSubmatchIndex(s, n)
}
func (r *Regexp) ReplaceAllString(s, by string) string { return r.get().ReplaceAllString(s, by) }
