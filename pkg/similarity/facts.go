package similarity

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/text"
)

// Fact is something a text states that must not get lost: a number, a date, a name.
type Fact struct {
	Kind string // number, date, version, identifier, path, url or name
	Text string // as it stands first in the text, whose characters are composed (NFC)
	Key  string // normal form: 1,000 and 1000 have one key, 5 March 2026 and 2026-03-05, 5 ms and 5 milliseconds
}

// Same reports whether two facts are the same one. A Fact may be a map key only by its Kind and Key.
func (f Fact) Same(g Fact) bool { return f.Kind == g.Kind && f.Key == g.Key }

// Facts returns the facts of a text in the order in which they appear first, without repeats. It is deterministic and takes time linear
// in the text. What is a fact does not depend on another text, so that a word counts as a name when it has a capital for no other
// reason, and stands nowhere in this text without. Amounts in different units are different facts, though 60 s is 1 min.
func Facts(body string) []Fact {
	d := newDocument(body)
	p := pair{a: side{d, d.tokens, d.keys}, lang: text.English}
	type id struct {
		kind kind
		key  string
	}
	seen := map[id]bool{}
	var out []Fact
	for i := 0; i < len(d.tokens); {
		v, n := valueAt(&p, d.tokens[i:])
		from, to := d.tokens[i].start, d.tokens[i+n-1].end
		if v.kind == kindWord && p.a.name(i) && !p.lang.IsStopWord(v.key) {
			v.kind = kindName
		}
		if v.kind == kindNumber {
			if n := numberIn(&p, v.key); n.ok {
				v.key = n.plain
			}
			v.key = strings.TrimSpace(v.key + " " + v.unit.name)
		}
		i += n
		if v.kind == kindWord || v.kind == kindSign || v.kind == kindUnit || seen[id{v.kind, v.key}] {
			continue
		}
		seen[id{v.kind, v.key}] = true
		out = append(out, Fact{Kind: v.kind.String(), Text: d.text[from:to], Key: v.key})
	}
	return out
}
