package supersession

import (
	"github.com/memoryd/memoryd/pkg/similarity"
)

// Relation says how a newer text stands to an older one.
type Relation uint8

// The relations.
const (
	Unrelated Relation = iota // about something else, or beside it
	Duplicate                 // the same once more, in these or other words
	Updates                   // what the older one says no longer holds
)

// String names the relation as evaluation files do.
func (r Relation) String() string {
	switch r {
	case Updates:
		return "updates"
	case Duplicate:
		return "duplicate"
	}
	return "unrelated"
}

// Cues tell what a judgement of [Updates] rests on.
const (
	CueStated   = "stated"   // one text says that it replaces the other, or is replaced by it
	CueChange   = "change"   // the newer text tells of a change from a value that the older one states
	CueValue    = "value"    // the same subject and attribute with another value
	CueDocument = "document" // a document on the same subject, issued again
	CueCited    = "cited"    // one document cites the other, and shares its subject or calls itself outdated
)

// Note is one of the two texts.
type Note struct {
	Name  string // what others call it: "ADR-12", "PEP 314"; "" when it has no name or Title begins with it
	Title string // "" when it has none
	Text  string
}

// Judgement is the relation of two notes and what shows it.
type Judgement struct {
	Relation Relation
	Cue      string // how it shows; "" unless Updates
	// The sentences that show it, verbatim, and the words in them that changed; ""
	// where a side has none.
	OlderSentence, NewerSentence string
	Old, New                     string
}

// Judge tells whether newer updates older. Which is newer is for the caller to
// know: nothing is read from the texts about it.
func Judge(older, newer Note) Judgement { return Read(older).Judge(Read(newer)) }

// Reading is a note that was read, to be judged with several others.
type Reading struct{ *reading }

// Read reads a note. It takes most of the time that Judge takes.
func Read(n Note) Reading { return Reading{read(n)} }

// Judge is [Judge] of the note that was read, as the older one, and another.
func (r Reading) Judge(newer Reading) Judgement {
	a, b := r.reading, newer.reading
	editions, siblings := series(a.title, b.title)
	if a.same(b) && !editions {
		return Judgement{Relation: Duplicate}
	}
	for i, find := range []func(a, b *reading) (Judgement, bool){stated, changed, slot, reissued} {
		if siblings && i > 0 {
			break
		}
		if j, ok := find(a, b); ok {
			j.Relation = Updates
			return j
		}
	}
	if similarity.Content(a.features, b.features) > sameWording {
		return Judgement{Relation: Duplicate}
	}
	return Judgement{}
}

// sameWording is the content similarity above which two texts without a changed
// value are duplicates: the default of the merge rule.
const sameWording = 0.80
