package provider

import (
	"path"
	"slices"
	"strings"
)

// Privacy says how far texts may travel, by their scope and tags.
type Privacy struct {
	AllowRemote bool              // whether anything may leave this machine
	Scopes      map[string]string // scope or glob ("agent:*") to local, remote or never; others are local
	ExcludeTags []string          // texts with one of these go nowhere
}

// Reach says how far a text may travel. Own is what its record says of itself: "never", "local", or "" for nothing. Of the patterns
// that fit a scope the one with the most characters other than * and ? decides, and the narrower reach among equals. Case makes no difference.
func (p Privacy) Reach(scope string, tags []string, own string) Reach {
	for _, tag := range tags {
		if slices.ContainsFunc(p.ExcludeTags, func(t string) bool { return fold(t) == fold(tag) }) {
			return Never
		}
	}
	reach := p.scopeReach(fold(scope))
	switch fold(own) {
	case "never":
		return Never
	case "local":
		reach = min(reach, Local)
	}
	if !p.AllowRemote {
		reach = min(reach, Local)
	}
	return reach
}

func (p Privacy) scopeReach(scope string) Reach {
	reach, best := Local, -1
	for pattern, word := range p.Scopes {
		pattern = fold(pattern)
		if ok, err := path.Match(pattern, scope); pattern != scope && (!ok || err != nil) {
			continue
		}
		n := len(strings.NewReplacer("*", "", "?", "").Replace(pattern))
		if r := reachNamed(word); n > best || n == best && r < reach {
			reach, best = r, n
		}
	}
	return reach
}

// reachNamed reads the name of a reach; any other name is [Never].
func reachNamed(word string) Reach {
	switch fold(word) {
	case "remote":
		return Remote
	case "local":
		return Local
	}
	return Never
}

func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
