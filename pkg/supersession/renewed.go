package supersession

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/text"
)

// Bounds on a value that a word such as "now" announces, in units.
const (
	maxRenewed      = 3
	maxRenewedPairs = 6 // in a script without spaces
)

// renewed returns the sentence of the text that says what the newer one does but for one value, which the newer one calls new, and the
// two values: "The port is 8080.", "The port is now 9090." Such words are frequent, and most of them correct nothing; so all
// else that the two say must be the same, in the same order, and what they begin with, too.
func (r *reading) renewed(by *reading, newer *sentence, m mark) (from *sentence, old, value []word) {
	said := units(newer.words, m.literals)
	differ := r.language() != by.language() || r.language() == text.Unknown // one of the two, or both, are too short to tell
	if differ {
		said = withoutStopWords(said)
	}
	all, sentences := r.units(), r.parted()
	for i := range r.sentences {
		s := &sentences[i]
		if was, is := m.figure(newer, said, all[i]); was != nil {
			return s, span(s, was), span(newer, is)
		}
		have, is := all[i], said
		if differ {
			have = withoutStopWords(have)
		}
		if m.from == 0 && len(have) > 0 { // "Update 2026-11-20: …", "As of May 3, …"
			if at := slices.IndexFunc(said, have[0].alike); at > 0 && !slices.ContainsFunc(said[:at], func(u unit) bool { return u.weight != nameWeight }) {
				is = said[at:]
			}
		}
		before := 0
		for before < min(len(have), len(is)) && have[before].alike(is[before]) {
			before++
		}
		after := 0
		for after < min(len(have), len(is))-before && have[len(have)-1-after].alike(is[len(is)-1-after]) {
			after++
		}
		was, now := have[before:len(have)-after], is[before:len(is)-after]
		if before > 0 && m.announces(newer, now) && renews(weigh(have[:before]), weigh(have[len(have)-after:]), was, now) {
			return s, span(s, was), span(newer, now)
		}
	}
	return nil, nil, nil
}

// figure finds the one number of an older sentence in whose place the value of the mark has another one, where all else that the newer sentence
// says stands in the older one, in any order: "The importer needs Go 1.21.", "Bumped the importer to Go 1.23.".
func (m mark) figure(newer *sentence, said, have []unit) (was, is []unit) {
	words, common, named := 0, 0, false
	for _, u := range said {
		switch known := slices.ContainsFunc(have, u.alike); {
		case known && !newer.words[u.at].digit:
			common += u.weight
			named = named || u.weight == wordWeight
		case newer.words[u.at].digit && !known:
			is = append(is, u)
		default:
			words++
		}
	}
	if words > 0 || len(is) != 1 || !named || common < leastAbout || !m.announces(newer, is) || len(m.new) == 0 {
		return nil, nil
	}
	other := 0
	for _, u := range have {
		if strings.ContainsAny(u.key, "0123456789") {
			was = append(was, u)
		} else if !slices.ContainsFunc(said, u.alike) {
			other++
		}
	}
	if len(was) != 1 || other > maxOther || slices.ContainsFunc(said, was[0].alike) {
		return nil, nil
	}
	return was, is
}

// maxOther is how many words only an older sentence has of which a number was changed: its verb, for one.
const maxOther = 2

// withoutStopWords leaves out the ordinary words that are function words of some language.
func withoutStopWords(us []unit) []unit {
	return slices.DeleteFunc(slices.Clone(us), func(u unit) bool { return u.weight == wordWeight && text.IsStopWord(u.key) })
}

// announces reports whether the value is the one that the mark says is new: the pattern holds it, or it stands behind the mark, or the
// mark opens the sentence.
func (m mark) announces(s *sentence, value []unit) bool {
	if len(value) == 0 {
		return false
	}
	first := value[0].at
	if len(m.new) > 0 {
		return slices.ContainsFunc(value, func(u unit) bool {
			return slices.ContainsFunc(m.new, func(w word) bool { return w.start == s.words[u.at].start })
		})
	}
	return m.from == 0 || first >= m.to
}

// renews reports whether a sentence with one value is that with the other again, by the weight of what they have in common before and after
// it. Names and numbers are values anywhere; an ordinary word is one only at the end.
func renews(before, after int, was, now []unit) bool {
	most := maxRenewed
	least := leastAbout
	if now[0].weight == pairWeight || len(was) > 0 && was[0].weight == pairWeight {
		most, least = maxRenewedPairs, leastAbout-1
	}
	if len(was) == 0 || len(was) > most || len(now) > most {
		return false
	}
	has := func(us []unit, weight int) bool {
		return slices.ContainsFunc(us, func(u unit) bool { return u.weight == weight })
	}
	switch {
	case has(was, nameWeight) && has(now, nameWeight):
		// An ordinary word of each side names another thing: "invoices: 30", "tickets: 60".
		return !(has(was, wordWeight) && has(now, wordWeight)) && (before+after >= least || after == 0 && len(was) == 1 && len(now) == 1)
	case now[0].weight == pairWeight:
		return before >= least
	}
	return after == 0 && before >= least && len(was) == 1 && len(now) == 1
}

// span lists the words of a sentence from the first to the last of some of its units.
func span(s *sentence, us []unit) []word {
	last := us[len(us)-1]
	end := last.at + 1
	if last.weight == pairWeight {
		end++
	}
	return s.words[us[0].at:end]
}
