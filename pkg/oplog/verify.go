package oplog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// A Problem is something in the log that is not as memoryd left it. Message
// says in a sentence what it is and what it means, and leaves out which entry:
// Index and RunID say that, and String all of it.
type Problem struct {
	Index   int    // 0 is the first entry, -1 the document
	RunID   string // "" if the entry has none
	Message string
	// Elsewhere: what is missing may stand on a branch of version control that is not checked out.
	Elsewhere bool
}

// String returns "entry 3 (run_id): message", counting from 1.
func (p Problem) String() string {
	if p.Index < 0 {
		return p.Message
	}
	return name(p.Index, p.RunID) + ": " + p.Message
}

func name(index int, runID string) string {
	if runID == "" {
		return fmt.Sprintf("entry %d", index+1)
	}
	// Quoting keeps what a stranger wrote from moving the cursor of a terminal.
	quoted := strconv.Quote(runID)
	return fmt.Sprintf("entry %d (%s)", index+1, quoted[1:len(quoted)-1])
}

// Verify checks every entry against the hash it carries and against the entry
// before it, and returns what is wrong in the order of the file: nothing for a
// sound log, for an empty document, and for a log that other tools wrote alone.
// What a chain can't show stands in the package documentation.
func Verify(doc []byte) []Problem {
	d, err := Parse(doc)
	if err != nil {
		return []Problem{{Index: -1, Message: err.Error()}}
	}
	stamps := make([]stamp, len(d.entries))
	at := map[string]int{} // hash carried -> the first entry that carries it
	for i, entry := range d.entries {
		s := stampOf(entry)
		if _, taken := at[s.hash]; s.hash != "" && !taken {
			at[s.hash] = i
		}
		stamps[i] = s
	}
	var problems []Problem
	link, sealed := d.before.Hash, d.before.Hash != "" // the link of the entry before; whether any so far has a hash
	computed := ""                                     // of the entry before
	for i := range d.entries {
		s, before := stamps[i], computed
		computed = s.computed()
		report := func(message string) {
			problems = append(problems, Problem{Index: i, RunID: s.runID, Message: message})
		}
		switch {
		case !s.ours() && sealed:
			report("it was not written by memoryd: it has no hash, so nothing shows who wrote it or whether it is as it was")
		case s.ours() && s.hashes == 0:
			report("its hash was taken out, so it can't be seen whether it is as memoryd wrote it")
		case s.hashes > 1:
			report(`it has more than one member "hash", so programs disagree about which counts: take out those that were added`)
		case s.hashes == 1 && s.hash != computed:
			report(fmt.Sprintf("it was changed after it was written: it carries the hash %s, and what it says now has the hash %s",
				short(s.hash), short(computed)))
		}
		// The hash that an entry must have had is as good a link as the one it carries:
		// if the two differ, that was reported at the entry itself.
		if s.ours() && s.prev != link && !(i > 0 && stamps[i-1].ours() && s.prev == before) {
			report(brokenLink(stamps, at, i, d.before))
		}
		link = s.link(link)
		sealed = sealed || s.ours()
	}
	return problems
}

// brokenLink says which entry preceded entry i when it was written, by its prev_hash.
func brokenLink(stamps []stamp, at map[string]int, i int, before follows) string {
	prev := stamps[i].prev
	from, known := at[prev]
	switch {
	case known:
		return fmt.Sprintf("it was written after %s, but another entry precedes it now: entries were moved, inserted or removed",
			name(from, stamps[from].runID))
	case i == 0 && before.File != "":
		return fmt.Sprintf("it was written after an entry with the hash %s, and %s, which this log says it follows, ended with %s: entries were removed or inserted",
			short(prev), before.File, short(before.Hash))
	case prev == "":
		return "it was written as the first entry of a log, and now others stand before it: they were inserted, or it was moved"
	case i == 0:
		return fmt.Sprintf("it was written after an entry with the hash %s, and nothing stands before it now: the entries before it were removed", short(prev))
	default:
		return fmt.Sprintf("it was written after an entry with the hash %s, which is gone: what stood before it was removed, moved or rewritten", short(prev))
	}
}

// short is as much of a hash as a person compares; what is not a hash is quoted.
func short(hash string) string {
	const shown = 12
	if raw, err := hex.DecodeString(hash); err == nil && len(raw) == sha256.Size {
		return hash[:shown] + "…"
	}
	return strconv.Quote(hash)
}

// A PartialEntry is an entry of which only a few types of actions are decoded: a log may have thousands of others. They are
// decoded as in [Document.Log].
type PartialEntry struct {
	Timestamp time.Time
	Actions   []Action // of the requested types

	raw  gjson.Result
	list gjson.Result // of all actions
}

// PartialEntries are the entries in the order of the file, with actions of these types.
func (d *Document) PartialEntries(types ...string) []PartialEntry {
	all := make([]PartialEntry, len(d.entries))
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
func (g *PartialEntry) Rules() (rules []string) {
	g.list.ForEach(func(_, action gjson.Result) bool {
		if _, rule := named(action); !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
		return true
	})
	return rules
}

// MemoryIDs are the memories that actions name as their only one.
func (g *PartialEntry) MemoryIDs() (ids []string) {
	g.list.ForEach(func(_, action gjson.Result) bool {
		if id := action.Get("memory_id").Str; id != "" {
			ids = append(ids, id)
		}
		return true
	})
	return ids
}

// Entry decodes the entry without its actions.
func (g *PartialEntry) Entry() (e Entry) {
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
