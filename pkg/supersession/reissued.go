package supersession

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/text"
)

// reissued finds two documents of which the newer takes up the subject of the
// older: titles and texts share so much that one was made from the other.
func reissued(a, b *reading) (Judgement, bool) {
	if len(a.title) == 0 || len(b.title) == 0 {
		return Judgement{}, false
	}
	title := sharedTitle(a.title, b.title)
	cue, least := CueDocument, sameDocument
	if a.citedIn(b) || b.citedIn(a) {
		cue, least = CueCited, citedDocument
	}
	score := (title + dice(a.content, b.content)) / 2
	if score <= least {
		return Judgement{}, false
	}
	if score > sameDocument {
		cue = CueDocument
	}
	return Judgement{Cue: cue, Old: a.Title, New: b.Title}, true
}

// sharedTitle is how much of their titles two documents share: all if they differ in numbers only, as two editions do; nothing
// if the newer is about a part of what the older is about, or no edition while the older one is.
func sharedTitle(older, newer []word) float64 {
	x, m := titleWords(older)
	y, n := titleWords(newer)
	switch {
	case partOf(older, newer), m > 0 && n == 0 && !containsAll(x, y):
		return 0
	case len(x) > 0 && slices.Equal(x, y):
		return 1
	}
	return dice(contentWords(older), contentWords(newer))
}

// series tells how two titles with numbers stand to each other: the same words with other numbers are editions of one document, the
// same numbers with some other words name two documents of one series.
func series(older, newer []word) (editions, siblings bool) {
	if len(older) != len(newer) {
		return false, false
	}
	numbers, words := 0, 0
	other := [2]int{} // words and numbers that differ
	for i, v := range older {
		w := newer[i]
		if v.digit != w.digit {
			return false, false
		}
		kind := 0
		if v.digit {
			kind = 1
			numbers++
		} else {
			words++
		}
		if v.key != w.key {
			other[kind]++
		}
	}
	return words > 0 && other[0] == 0 && other[1] > 0, numbers > 0 && other[1] == 0 && other[0] > 0 && other[0] < words
}

// titleWords are the stems of the content words of a title without numbers, sorted, those of compounds each by itself, and how many
// numbers it has.
func titleWords(title []word) (stems []string, numbers int) {
	for _, w := range title {
		if w.digit {
			numbers++
			continue
		}
		for part := range strings.FieldsFuncSeq(w.key, func(r rune) bool { return r == '-' || r == '/' }) {
			if !isFunctionWord(part) {
				stems = append(stems, text.English.Stem(part))
			}
		}
	}
	slices.Sort(stems)
	return stems, numbers
}

func containsAll(list, want []string) bool {
	return !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(list, w) })
}

const (
	sameDocument  = 0.45 // the mean of the shares of content words in common, of titles and texts
	citedDocument = 0.25 // the same when one document cites the other
)

// citedIn reports whether some sentence of another text cites the note.
func (r *reading) citedIn(other *reading) bool {
	return slices.ContainsFunc(other.sentences, func(s sentence) bool { _, _, ok := r.cites(&s); return ok })
}

// partOf reports whether the newer title names a part or a use of what the older is about. The head of an English title comes
// last, so "Stream Initiation Requests" are requests, while "Implicit Stream Initiation" is stream initiation; "Requests for Stream
// Initiation" and "Stream Initiation: Requests" are requests, too. Numbers and participles ("Revised") are not heads.
func partOf(older, newer []word) bool {
	same := func(v, w word) bool { return text.English.Stem(v.key) == text.English.Stem(w.key) }
	if n := len(older); n > 0 && n < len(newer) && !older[n-1].colon && newer[n-1].colon && slices.EqualFunc(older, newer[:n], same) {
		return true
	}
	older, newer = head(older), head(newer)
	if len(older) == 0 || len(newer) <= len(older) {
		return false
	}
	for i := 0; i+len(older) <= len(newer); i++ {
		if slices.EqualFunc(older, newer[i:i+len(older)], same) {
			end := i + len(older)
			return i > 0 && stops.Has(newer[i-1].key) || end < len(newer) && !isFunctionWord(newer[end].key)
		}
	}
	return false
}

// head is a title up to its last noun.
func head(title []word) []word {
	if i := slices.IndexFunc(title, func(w word) bool { return w.colon }); i > 0 {
		title = title[:i+1]
	}
	for len(title) > 1 && (title[len(title)-1].digit || strings.HasSuffix(title[len(title)-1].key, "ed")) {
		title = title[:len(title)-1]
	}
	return title
}
