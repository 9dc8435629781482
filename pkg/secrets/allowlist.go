package secrets

import (
	"regexp"
	"slices"
	"strings"
)

// allowlist takes findings back.
type allowlist struct {
	target    string // what the patterns are held against: "", match, line
	patterns  []*regexp.Regexp
	stopWords []string // in lower case
	all       bool     // every condition must hold, not one
	elsewhere bool     // one of them is about files or commits: here it never does
	rules     []string // only for these; none: for all
}

func (a *allowlist) concerns(rule string) bool {
	return len(a.rules) == 0 || slices.Contains(a.rules, rule)
}

// allows reports whether the secret at start to end of a text, in a match at from to to, is none.
func (a *allowlist) allows(text string, start, end, from, to int) bool {
	subject := text[start:end]
	switch a.target {
	case "match":
		subject = text[from:to]
	case "line":
		line := strings.LastIndexByte(text[:from], '\n') + 1
		n := strings.IndexByte(text[to:], '\n')
		if n < 0 {
			n = len(text) - to
		}
		subject = text[line : to+n]
	}
	secret := strings.ToLower(text[start:end])
	pattern := slices.ContainsFunc(a.patterns, func(p *regexp.Regexp) bool { return p.MatchString(subject) })
	stop := slices.ContainsFunc(a.stopWords, func(w string) bool { return strings.Contains(secret, w) })
	if !a.all {
		return pattern || stop
	}
	return !a.elsewhere && (pattern || len(a.patterns) == 0) && (stop || len(a.stopWords) == 0)
}
