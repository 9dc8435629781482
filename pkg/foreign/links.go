package foreign

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// relation is a link of a record to another one, by a name of that.
type relation struct {
	how, name string
	told      bool // that nothing has this name is worth telling
}

// Relations that have members of their own in a memory.
const (
	supersedes   = "supersedes"
	supersededBy = "superseded_by"
)

// link turns the links of records into references to the ids that they have here. A name that no record has stays as it is, and is reported.
func link(all []part) (misfits []Misfit) {
	ids := map[string]string{}
	for i := range all {
		for _, name := range all[i].names {
			if name = nameKey(name); name != "" && ids[name] == "" {
				ids[name] = all[i].ID
			}
		}
	}
	for i := range all {
		p := &all[i]
		var references []json.RawMessage
		own := map[string][]string{}
		done := map[relation]bool{}
		for _, l := range p.links {
			id, known := ids[nameKey(l.name)]
			if !known && l.told {
				misfits = append(misfits, Misfit{p.Place(), fmt.Sprintf("%s %q, which no record here has as its name: kept as a name", l.how, l.name), false})
			}
			if done[l] || id == p.ID || !known && !l.told {
				continue
			}
			done[l] = true
			if known {
				p.Linked = append(p.Linked, Link{l.how, l.name, id})
			}
			if known && (l.how == supersedes || l.how == supersededBy) {
				own[l.how] = append(own[l.how], id)
				continue
			}
			references = append(references, json.RawMessage(`{"id":`+string(jsonedit.Quote(or(id, l.name)))+`,"relationship":`+string(jsonedit.Quote(l.how))+`}`))
		}
		if references != nil {
			p.Fields = append(p.Fields, Field{"references", encode(references)})
		}
		for _, how := range []string{supersedes, supersededBy} {
			if ids := own[how]; ids != nil {
				p.Fields = append(p.Fields, Field{how, jsonedit.Strings(slices.Compact(ids))})
			}
		}
	}
	return misfits
}

// nameKey makes the spellings of a name one: notes are linked by title, by path and by permalink.
func nameKey(name string) string {
	name, _, _ = strings.Cut(name, "#")
	name = strings.ToLower(strings.TrimSpace(name))
	return strings.TrimPrefix(strings.TrimSuffix(name, ".md"), "./")
}

// notesNames are the names under which other notes know one.
func noteNames(file, title, permalink string) []string {
	file = strings.TrimSuffix(file, path.Ext(file))
	return []string{title, permalink, file, path.Base(file)}
}
