package oplog

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// A Gist is an entry of which only what is asked for is decoded: for callers that need a few types of actions out
// of the thousands in a log. It decodes as [Document.Log] does.
type Gist struct {
	Timestamp time.Time
	Actions   []Action // of the types that were asked for

	raw  gjson.Result
	list gjson.Result // of all actions
}

// Gists are the entries in the order of the file, with actions of these types.
func (d *Document) Gists(types ...string) []Gist {
	all := make([]Gist, len(d.entries))
	for i, raw := range d.entries {
		g := &all[i]
		if g.raw = raw; !raw.IsObject() {
			continue
		}
		raw.ForEach(func(key, value gjson.Result) bool {
			switch key.Str {
			case "timestamp":
				_ = json.Unmarshal([]byte(value.Raw), &g.Timestamp) // what doesn't fit is left out, as elsewhere
			case "actions":
				switch { // of several lists the last one counts
				case value.IsArray():
					g.list = value
				case value.Type == gjson.Null:
					g.list = gjson.Result{}
				}
			}
			return true
		})
		if mayName(g.list.Raw, types) {
			g.list.ForEach(func(_, action gjson.Result) bool {
				if kind, _ := named(action); slices.Contains(types, kind) {
					var a Action
					_ = json.Unmarshal([]byte(action.Raw), &a)
					g.Actions = append(g.Actions, a)
				}
				return true
			})
		}
	}
	return all
}

// mayName reports whether one of the actions in a list may be of one of the types: an action that is
// stands in it by that name, if not with escapes.
func mayName(list string, types []string) bool {
	return strings.Contains(list, `\u`) || slices.ContainsFunc(types, func(t string) bool { return strings.Contains(list, `"`+t+`"`) })
}

// Rules are those of all actions, each once; "" for one that tells none.
func (g *Gist) Rules() (rules []string) {
	g.list.ForEach(func(_, action gjson.Result) bool {
		if _, rule := named(action); !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
		return true
	})
	return rules
}

// Entry decodes the entry without its actions.
func (g *Gist) Entry() (e Entry) {
	e.decode(g.raw, false)
	return e
}

// named are the type and the rule of an action, which [Append] writes first. They are looked for until
// both are found.
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
