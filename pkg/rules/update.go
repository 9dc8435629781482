package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/supersession"
	"github.com/memoryd/memoryd/pkg/text"
)

// update is an older memory that a newer one seems to make untrue.
type update struct {
	older, newer  *subject
	tags, content float64
	judgement     supersession.Judgement
	evidence      string // in place of the judgement's; "" for none
}

// describeUpdate says in a few words what shows that one text updates another.
func describeUpdate(j supersession.Judgement) string {
	switch {
	case j.Old != "" && j.New != "" && j.Cue != supersession.CueStated:
		return j.Cue + ": " + strconv.Quote(excerpt(j.Old)) + " became " + strconv.Quote(excerpt(j.New))
	case j.NewerSentence != "":
		return j.Cue + ": " + strconv.Quote(excerpt(j.NewerSentence))
	}
	return j.Cue + ": the older says " + strconv.Quote(excerpt(j.OlderSentence))
}

// excerpt cuts a piece of evidence to what a line holds.
func excerpt(s string) string { return text.Truncate(strings.Join(strings.Fields(s), " "), 120) }

// byScope compares the memories of a scope with each other, whatever their type, as texts that name each other are.
func byScope(kind byte) search {
	return search{kind: kind, block: func(m *memory.Memory) (block, bool) {
		return block{scope: m.Scope.Kind, scopeID: m.Scope.ID}, m.Type != memory.Working
	}}
}

// verdictOf is a judgement of an update as a memo keeps it; judgementOf reads it.
func verdictOf(j supersession.Judgement) []string {
	return []string{j.Cue, j.OlderSentence, j.NewerSentence, j.Old, j.New}
}

func judgementOf(v []string) supersession.Judgement {
	if len(v) != 5 {
		return supersession.Judgement{}
	}
	return supersession.Judgement{
		Relation: supersession.Updates, Cue: v[0], OlderSentence: v[1], NewerSentence: v[2], Old: v[3], New: v[4],
	}
}

// decided reports whether the records say already that a newer memory supersedes an older one.
func decided(older, newer *memory.Memory) bool {
	return slices.Contains(newer.Supersedes, older.ID) || slices.Contains(older.SupersededBy, newer.ID)
}

// reading is a memory that was read to be judged.
type reading struct {
	*memory.Memory
	note supersession.Note
	supersession.Reading
}

func readForJudgement(m *memory.Memory) *reading {
	n := note(m)
	return &reading{m, n, supersession.Read(n)}
}

// judgeUpdate tells whether a newer memory updates an older one in a way that is worth a
// person's time.
func judgeUpdate(older, newer *reading) (supersession.Judgement, bool) {
	if decided(older.Memory, newer.Memory) {
		return supersession.Judgement{}, false
	}
	j := older.Judge(newer.Reading)
	return j, j.Relation == supersession.Updates && telling(older.Type == memory.Episodic, older.note, newer.note, j.Cue)
}

// Replaces reports whether a judgement of two notes, neither of which is an event, is worth telling a person: the newer one seems to take the place of the
// older one. Two subjects in one form, such as the east and the west gate, are two things that hold side by side.
func Replaces(older, newer supersession.Note, j supersession.Judgement) bool {
	return j.Relation == supersession.Updates && telling(false, older, newer, j.Cue) && (j.Cue != supersession.CueValue || !siblings(j))
}

// siblings reports whether what differs between two sentences of English only tells one subject from another: a word between the article that
// begins both and the noun.
func siblings(j supersession.Judgement) bool {
	a, b := tokensOf(j.OlderSentence), tokensOf(j.NewerSentence)
	if len(a) != len(b) || len(a) < 3 || a[0] != b[0] || a[1] == b[1] || !slices.Equal(a[2:], b[2:]) || !isArticle[a[0]] {
		return false
	}
	number := strings.ContainsAny(a[1]+b[1], "0123456789")
	return !number && !text.English.IsStopWord(a[2])
}

var isArticle = map[string]bool{"the": true, "our": true, "my": true, "their": true, "a": true, "an": true}

// tokensOf are the words of a sentence, folded.
func tokensOf(sentence string) (all []string) {
	for t := range text.Tokens(sentence) {
		if t.Kind != text.KindSign {
			all = append(all, text.Fold(sentence[t.Start:t.End]))
		}
	}
	return all
}

// telling reports whether a cue is enough for a question to a person. What a text
// states always is; that two texts take up one subject is not. An episode is over:
// another with other values is another episode. Titles, where both have one, must
// be about the same.
func telling(event bool, a, b supersession.Note, cue string) bool {
	switch {
	case cue == supersession.CueStated:
		return true
	case cue != supersession.CueChange && cue != supersession.CueValue, event:
		return false
	case a.Title == "" || b.Title == "":
		return true
	}
	return supersession.Judge(supersession.Note{Text: a.Title}, supersession.Note{Text: b.Title}).Relation != supersession.Unrelated
}

// note is the memory as a text with a name and a title; the title is not part of
// the text.
func note(m *memory.Memory) supersession.Note {
	n := supersession.Note{Name: m.ID, Title: title(m), Text: m.Text()}
	if rest, ok := strings.CutPrefix(n.Text, n.Title+"\n"); ok && strings.TrimSpace(rest) != "" {
		n.Text = rest
	}
	return n
}
