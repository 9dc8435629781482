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
	title := dice(contentWords(a.title), contentWords(b.title))
	if partOf(a.title, b.title) {
		title = 0
	}
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

const (
	sameDocument  = 0.45 // the mean of the shares of content words in common, of titles and texts
	citedDocument = 0.25 // the same when one document cites the other
)

// citedIn reports whether some sentence of another text cites the note.
func (r *reading) citedIn(other *reading) bool {
	return slices.ContainsFunc(other.sentences, func(s sentence) bool { _, _, ok := r.cites(&s); return ok })
}

// partOf reports whether the newer title names a part or a use of what the older
// is about: the head of an English title comes last, so "Stream Initiation
// Requests" are requests, while "Implicit Stream Initiation" is stream initiation.
// What follows a colon, numbers and participles ("Revised") are no head.
func partOf(older, newer []word) bool {
	older, newer = head(older), head(newer)
	if len(older) == 0 || len(newer) <= len(older) {
		return false
	}
	same := func(v, w word) bool { return text.English.Stem(v.key) == text.English.Stem(w.key) }
	for i := 0; i+len(older) < len(newer); i++ {
		if slices.EqualFunc(older, newer[i:i+len(older)], same) {
			return !isFunctionWord(newer[i+len(older)].key) && !slices.EqualFunc(older, newer[len(newer)-len(older):], same)
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
