package similarity

// Fact is something a text states that must not get lost: a number, a date, a name.
type Fact struct {
	Kind string // number, date, version, identifier, path, url or name
	Text string // as it stands first in the text
	Key  string // normal form: 1,000 and 1000 have one key, 5 March 2026 and 2026-03-05, 5 ms and 5 milliseconds
}

// Same reports whether two facts are the same one. A Fact may be a map key only by its Kind and Key.
func (f Fact) Same(g Fact) bool { return f.Kind == g.Kind && f.Key == g.Key }

// Facts returns the facts of a text in the order in which they appear first, without repeats. It is deterministic and takes time linear
// in the text. What is a fact does not depend on another text, so that a word counts as a name when it has a capital for no other
// reason, and stands nowhere in this text without. Amounts in different units are different facts, though 60 s is 1 min.
func Facts(text string) []Fact {
	r := newDocument(text)
	p := pair{side{r, r.tokens, r.keys}, side{r, r.tokens, r.keys}}
	type id struct {
		kind kind
		key  string
	}
	seen := map[id]bool{}
	var out []Fact
	for i := range r.tokens {
		t := &r.tokens[i]
		kind := p.kind(&p.a, i)
		if kind == kindWord || t.itemNumber || seen[id{kind, t.key}] {
			continue
		}
		seen[id{kind, t.key}] = true
		out = append(out, Fact{Kind: kind.String(), Text: text[t.start:t.end], Key: t.key})
	}
	return out
}
