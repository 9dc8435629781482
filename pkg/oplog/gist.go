package oplog

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// A Gist is an entry without most of its actions, of which there are thousands in a log: for who asks
// about a few types of them.
type Gist struct {
	Entry          // of the actions those of the types that were asked for
	Rules []string // of all actions, each once; "" for one that tells none
}

// Gists are the entries in the order of the file, decoded as [Document.Log] does. Of an action only the
// members type and rule are looked at, which [Append] writes first, unless its type is asked for.
func (d *Document) Gists(types ...string) []Gist { return gists(d.entries, types) }

// GistsSince are those behind the last entry that carries a hash; ok is false when none does.
func (d *Document) GistsSince(hash string, types ...string) (since []Gist, ok bool) {
	first := len(d.entries)
	for ; first > 0; first-- {
		if s := stampOf(d.entries[first-1]); s.hashes == 1 && s.hash == hash {
			break
		}
	}
	if first == 0 || hash == "" {
		return nil, false
	}
	return gists(d.entries[first:], types), true
}

func gists(entries []gjson.Result, types []string) []Gist {
	all := make([]Gist, len(entries))
	for i, raw := range entries {
		g := &all[i]
		g.decode(raw, func(list gjson.Result) {
			g.Actions, g.Rules = nil, nil // of several lists the last one counts
			list.ForEach(func(_, action gjson.Result) bool {
				g.add(action, types)
				return true
			})
		})
	}
	return all
}

// add takes in an action.
func (g *Gist) add(action gjson.Result, types []string) {
	kind, rule := named(action)
	if !slices.Contains(g.Rules, rule) {
		g.Rules = append(g.Rules, strings.Clone(rule))
	}
	if slices.Contains(types, kind) {
		var a Action
		_ = json.Unmarshal([]byte(action.Raw), &a) // what doesn't fit is left out, as elsewhere
		g.Actions = append(g.Actions, a)
	}
}

// named are the type and the rule of an action. They are looked for until both are found.
func named(action gjson.Result) (kind, rule string) {
	if !action.IsObject() {
		return "", ""
	}
	action.ForEach(func(key, v gjson.Result) bool {
		switch {
		case v.Type != gjson.String:
		case strings.EqualFold(key.Str, "type"): // as Unmarshal finds it
			kind = v.Str
		case strings.EqualFold(key.Str, "rule"):
			rule = v.Str
		}
		return kind == "" || rule == ""
	})
	return kind, rule
}
