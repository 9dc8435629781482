package app

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/text"
)

// scopeDirs are the directories of each kind of scope.
var scopeDirs = map[string]string{"team": "teams", "agent": "agents", "project": "projects", "session": "sessions"}

// knownScope is the scope of a workspace that is meant by one, and a note where that may surprise. A scope that differs from one
// that is there in case only is that one: the rules compare them so, and some file systems have one directory for both. One
// that differs in spaces, dashes and the like is another, but asked about.
func knownScope(snap *memory.Snapshot, asked memory.Scope) (meant memory.Scope, note string) {
	n := map[memory.Scope]int{}
	for _, name := range snap.In(scopeDirs[asked.Kind]) {
		n[memory.ScopeOf(snap.Dir(memory.Scope{Kind: asked.Kind, ID: name})+"/x")] += 0
	}
	for _, m := range snap.Memories() {
		if m.Scope.Kind == asked.Kind {
			n[m.Scope]++
		}
	}
	if _, there := n[asked]; there || asked.ID == "" {
		return asked, ""
	}
	most := func(fits func(memory.Scope) bool) (memory.Scope, bool) {
		all := slices.DeleteFunc(slices.Collect(maps.Keys(n)), func(s memory.Scope) bool { return !fits(s) })
		slices.SortFunc(all, func(a, b memory.Scope) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a.ID, b.ID)) })
		if len(all) == 0 {
			return memory.Scope{}, false
		}
		return all[0], true
	}
	if one, ok := most(asked.Is); ok {
		return one, fmt.Sprintf("%s: did you mean %s? In names upper and lower case are one, so it is taken for that", asked, one)
	}
	if near, ok := most(func(s memory.Scope) bool { return lettersOf(s.ID) == lettersOf(asked.ID) }); ok {
		return asked, fmt.Sprintf("%s is new: did you mean %s, which has %s?", asked, near, Quantity(n[near], "memory"))
	}
	return asked, ""
}

// lettersOf returns a name without the separators of its words.
func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. ", r) {
			return -1
		}
		return r
	}, text.FoldName(name))
}
