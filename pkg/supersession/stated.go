package supersession

import (
	"slices"
	"strings"
	"unicode"
)

// name is one way in which a note is cited: words that follow each other. A number
// at the end is compared as one: ADR-0012 is ADR 12.
type name struct {
	words  []string
	number string // without leading zeros, "" for none
	prefix string // the letters before the number
}

// names lists how a note may be cited: by its name, by the identifier its title
// begins with, by its title if that says enough.
func (n Note) names(title []word) (out []name) {
	add := func(ws []word) {
		if len(ws) == 0 {
			return
		}
		out = append(out, newName(ws))
	}
	add(words(n.Name))
	// "ADR-12: …", "ADR 12 …"
	if len(title) > 0 && title[0].digit && numbered(title[0].key) {
		add(title[:1])
	} else if len(title) > 1 && title[0].capital && digits(title[1].key) && title[1].colon {
		add(title[:2])
	}
	if content := contentWords(title); len(content) >= 2 || len(title) == 1 && strings.ContainsAny(title[0].key, "-_./") {
		add(title)
	}
	return out
}

func newName(ws []word) name {
	n := name{words: keys(ws)}
	joined := strings.Join(n.words, "-")
	i := len(joined)
	for i > 0 && joined[i-1] >= '0' && joined[i-1] <= '9' {
		i--
	}
	letters := strings.TrimRight(joined[:i], "-_.# ")
	if i < len(joined) && letters != "" && !strings.ContainsFunc(letters, func(r rune) bool { return !unicode.IsLetter(r) }) {
		n.prefix, n.number = letters, strings.TrimLeft(joined[i:], "0")
	}
	return n
}

func digits(k string) bool {
	return k != "" && !strings.ContainsFunc(k, func(r rune) bool { return r < '0' || r > '9' })
}

// numbered reports whether a word is letters and a number, such as ADR-12.
func numbered(k string) bool { return newName([]word{{key: k}}).number != "" }

// citedAt returns the word at which a sentence cites the name, and how many it
// takes; ok is false when it doesn't.
func (n name) citedAt(ws []word) (at, length int, ok bool) {
	for i, w := range ws {
		if n.number != "" {
			switch {
			case w.digit && n.is(w.key):
				return i, 1, true
			case w.key == n.prefix && i+1 < len(ws) && strings.TrimLeft(ws[i+1].key, "0#") == n.number:
				return i, 2, true
			case len(n.number) >= leastNumber && strings.TrimLeft(w.key, "0") == n.number:
				return i, 1, true
			}
			continue
		}
		if i+len(n.words) <= len(ws) && slices.EqualFunc(ws[i:i+len(n.words)], n.words, func(w word, k string) bool { return w.key == k }) {
			return i, len(n.words), true
		}
	}
	return 0, 0, false
}

// leastNumber is how many digits make a number a name of its own: documents cite
// "822" for RFC 822, and nobody means ADR 2 by "2".
const leastNumber = 3

// is reports whether a word is the prefix and the number: adr-0012, adr12,
// adr-0012-use-postgres.md.
func (n name) is(k string) bool {
	rest, ok := strings.CutPrefix(k, n.prefix)
	if !ok {
		return false
	}
	rest = strings.TrimLeft(strings.TrimLeft(rest, "-_.#"), "0")
	rest, ok = strings.CutPrefix(rest, n.number)
	return ok && (rest == "" || strings.ContainsRune("-_./:", rune(rest[0])))
}

// cites returns the first name by which a sentence cites a note.
func (r *reading) cites(s *sentence) (at, length int, ok bool) {
	for _, n := range r.names {
		if at, length, ok = n.citedAt(s.words); ok {
			return at, length, true
		}
	}
	return 0, 0, false
}

// stated finds a sentence in which one text says that the newer replaces the older.
func stated(a, b *reading) (Judgement, bool) {
	for i := range b.sentences {
		s := &b.sentences[i]
		if a.replacedIn(s, active) || i > 0 && a.replacedThere(&b.sentences[i-1], s) {
			return Judgement{Cue: CueStated, NewerSentence: s.text, Old: a.label(s)}, true
		}
	}
	outdated := slices.ContainsFunc(a.title, func(w word) bool { return outdatedWords[w.key] })
	for i := range a.sentences {
		outdated = outdated || slices.ContainsFunc(a.sentences[i].words, func(w word) bool { return outdatedWords[w.key] })
	}
	for i := range a.sentences {
		s := &a.sentences[i]
		if b.replacedIn(s, passive) {
			return Judgement{Cue: CueStated, OlderSentence: s.text, New: b.label(s)}, true
		}
		if _, _, cited := b.cites(s); outdated && cited {
			return Judgement{Cue: CueCited, OlderSentence: s.text, New: b.label(s)}, true
		}
	}
	return Judgement{}, false
}

// outdatedWords say of a text that it is no longer current.
var outdatedWords = set(`legacy historical deprecated obsolete outdated superseded retired abandoned discontinued withdrawn`)

// replacedThere reports whether a sentence says of what the one before it cites
// that it is replaced: "It will be deprecated."
func (r *reading) replacedThere(before, s *sentence) bool {
	if _, _, ok := r.cites(before); !ok {
		return false
	}
	for i, w := range s.words {
		if !replaceVerbs[w.key] || !strings.HasSuffix(w.key, "d") || i+1 < len(s.words) && s.words[i+1].key == "by" {
			continue
		}
		from := max(0, i-5)
		if at := slices.IndexFunc(s.words[from:i], func(w word) bool { return deictic[w.key] }); at >= 0 && s.aux(from+at, i) && !s.negated(i) {
			return true
		}
	}
	return false
}

// label is the name by which the sentence cites the note.
func (r *reading) label(s *sentence) string {
	at, length, ok := r.cites(s)
	if !ok {
		return or(r.Name, r.Title)
	}
	return excerpt(s.text, s.words[at:at+length])
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

type voice bool

const (
	active  voice = true  // this replaces the one cited
	passive voice = false // this is replaced by the one cited
)

// replacedIn reports whether a sentence cites the note and says that what is cited
// is replaced (active), or replaces (passive).
func (r *reading) replacedIn(s *sentence, v voice) bool {
	at, length, ok := r.cites(s)
	if !ok {
		return false
	}
	for i := range s.words {
		got, ok := s.replacing(i, at, length)
		if ok && got == v && !s.negated(i) {
			return true
		}
	}
	return false
}

// replacing reports whether the word at i says that something is replaced, and
// whether it is what is cited at word at.
func (s *sentence) replacing(i, at, length int) (voice, bool) {
	k := s.words[i].key
	before, by := i < at, false
	if before {
		for _, w := range s.words[i+1 : at] {
			by = by || w.key == "by" || w.key == "favor" || w.key == "favour" || w.key == "with" && strings.HasSuffix(k, "ed")
		}
	}
	switch {
	case replaceVerbs[k]:
		switch {
		case before && by: // superseded by X, deprecated in favour of X, replaced with X
			return passive, strings.HasSuffix(k, "d")
		case before: // supersedes X, obsoleting X, an update of X
			return active, true
		case strings.HasSuffix(k, "d") && s.aux(at+length, i): // X is superseded, X has been deprecated
			return active, true
		}
	case replaceNouns[k]: // a successor of X, a replacement for X
		if before && i+1 < len(s.words) && (s.words[i+1].key == "of" || s.words[i+1].key == "to" || s.words[i+1].key == "for") {
			return active, true
		}
	case before && k == "instead" && i+1 < len(s.words) && s.words[i+1].key == "of":
		return active, true
	case before && pointers[k] && i > 0 && s.words[i-1].key == "instead", // instead see X
		!before && k == "instead" && at > 0 && pointers[s.words[at-1].key]: // see X instead
		return passive, true
	}
	return active, false
}

// aux reports whether words[from:to] hold an auxiliary verb.
func (s *sentence) aux(from, to int) bool {
	if from > to {
		return false
	}
	return slices.ContainsFunc(s.words[from:to], func(w word) bool { return auxiliaries[w.key] })
}

// negated reports whether one of the three words before i denies it.
func (s *sentence) negated(i int) bool {
	for _, w := range s.words[max(0, i-3):i] {
		if w.key == "not" || w.key == "never" || w.key == "without" || strings.HasSuffix(w.key, "n't") || w.key == "nor" {
			return true
		}
	}
	return false
}

var (
	// replaceVerbs say that something takes the place of something else.
	replaceVerbs = forms(`supersede replace obsolete deprecate retire revoke rescind withdraw overrule override amend revise
		update revert abolish supplant succeed retract reject`)
	pointers     = set(`see use read follow apply`)
	replaceNouns = set(`successor replacement substitute revision update amendment supersession alternative`)
)

// forms lists the forms of regular verbs.
func forms(verbs string) map[string]bool {
	m := map[string]bool{}
	for _, v := range strings.Fields(verbs) {
		stem := strings.TrimSuffix(v, "e")
		third, past := v+"s", stem+"ed"
		if v == "withdraw" {
			past = "withdrawn"
		}
		for _, f := range []string{v, third, past, stem + "ing"} {
			m[f] = true
		}
	}
	return m
}
