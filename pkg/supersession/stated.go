package supersession

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/text"
)

// stated finds a sentence in which one text says that the newer replaces the older.
func stated(a, b *reading) (Judgement, bool) {
	for i := range b.sentences {
		s := &b.sentences[i]
		if a.replacedIn(s, active) || i > 0 && a.replacedThere(&b.sentences[i-1], s) {
			return Judgement{Cue: CueStated, NewerSentence: s.text, Old: a.label(s)}, true
		}
	}
	outdated := slices.ContainsFunc(a.title, func(w word) bool { return outdatedWords.Has(w.key) })
	for i := range a.sentences {
		outdated = outdated || slices.ContainsFunc(a.sentences[i].words, func(w word) bool { return outdatedWords.Has(w.key) })
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
var outdatedWords = text.NewSet(`legacy historical deprecated obsolete outdated superseded retired abandoned discontinued withdrawn`)

// replacedThere reports whether a sentence says of what the one before it cites
// that it is replaced: "It will be deprecated."
func (r *reading) replacedThere(before, s *sentence) bool {
	if _, _, ok := r.cites(before); !ok {
		return false
	}
	for i, w := range s.words {
		if !replaceVerbs()[w.key] || !strings.HasSuffix(w.key, "d") || i+1 < len(s.words) && s.words[i+1].key == "by" {
			continue
		}
		from := max(0, i-5)
		if at := slices.IndexFunc(s.words[from:i], func(w word) bool { return deictic.Has(w.key) }); at >= 0 && s.aux(from+at, i) && !s.negated(i) {
			return true
		}
	}
	return false
}

// label is the name by which the sentence cites the note.
func (r *reading) label(s *sentence) string {
	at, length, ok := r.cites(s)
	if !ok {
		return cmp.Or(r.Name, r.Title)
	}
	return excerpt(s.text, s.words[at:at+length])
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
	before := i < at && s.reaches(i, at)
	participle := strings.HasSuffix(k, "d") || strings.HasSuffix(k, "wn")
	switch {
	case replaceVerbs()[k]:
		switch {
		case before && participle && s.agent(i, at): // superseded by X, deprecated in favour of X, replaced with X
			return passive, true
		case before: // supersedes X, obsoleting X; not: is updated when X …
			return active, !participle || !s.passive(i)
		case i >= at+length && participle && s.aux(at+length, i): // X is superseded, X has been deprecated
			return active, true
		}
	case replaceNouns.Has(k): // a successor of X, a replacement for X
		if before && i+1 < len(s.words) && (s.words[i+1].key == "of" || s.words[i+1].key == "to" || s.words[i+1].key == "for") {
			return active, true
		}
	case before && k == "instead" && i+1 < len(s.words) && s.words[i+1].key == "of":
		return active, true
	case before && pointers.Has(k) && i > 0 && s.words[i-1].key == "instead", // instead see X
		i >= at+length && k == "instead" && at > 0 && pointers.Has(s.words[at-1].key): // see X instead
		return passive, true
	}
	return active, false
}

// maxReach is how many words may stand between a verb and what it is about:
// "supersedes the decisions ADR 1, ADR 2 and ADR 4".
const maxReach = 12

// reaches reports whether a verb at word i can be about what is cited at word at: near
// it, and in the same clause.
func (s *sentence) reaches(i, at int) bool {
	return at-i <= maxReach && !slices.ContainsFunc(s.words[i+1:at+1], func(w word) bool { return breaks.Has(w.key) })
}

// breaks begin another clause or point elsewhere.
var breaks = text.NewSet(`when if unless while because since although though but so see where until once whether before after`)

// agent reports whether words[i+1:at] name what takes the place.
func (s *sentence) agent(i, at int) bool {
	return slices.ContainsFunc(s.words[i+1:at], func(w word) bool {
		return w.key == "by" || w.key == "with" || w.key == "favor" || w.key == "favour"
	})
}

// passive reports whether a participle at word i follows a form of "be".
func (s *sentence) passive(i int) bool {
	return slices.ContainsFunc(s.words[max(0, i-2):i], func(w word) bool { return beForms.Has(w.key) })
}

var beForms = text.NewSet(`is are was were be been being am gets got`)

// aux reports whether words[from:to] hold an auxiliary verb.
func (s *sentence) aux(from, to int) bool {
	if from > to {
		return false
	}
	return slices.ContainsFunc(s.words[from:to], func(w word) bool { return auxiliaries.Has(w.key) })
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
	replaceVerbs = sync.OnceValue(func() map[string]bool {
		return forms(`supersede replace obsolete deprecate retire revoke rescind withdraw overrule override amend revise
		update revert abolish supplant succeed retract reject`)
	})
	pointers     = text.NewSet(`see use read follow apply`)
	replaceNouns = text.NewSet(`successor replacement substitute revision update amendment supersession`)
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
