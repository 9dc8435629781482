package supersession

import (
	"slices"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/summary"
	"github.com/memoryd/memoryd/pkg/text"
)

// reading is a note taken apart.
type reading struct {
	Note
	title     []word
	sentences []sentence
	features  *similarity.Features
	content   []string // content words of the text, sorted, with repeats
	names     []name
	language  func() text.Language // these are made when they are first asked for
	parted    func() []sentence    // with the words as parts
	changes   func() [][]mark      // of each sentence
	units     func() [][]unit      // of each sentence, and of the title
}

type sentence struct {
	text     string
	words    []word
	key      string   // its words in normal form
	content  []string // stems of its content words, sorted, with repeats
	question bool
	answer   bool // the sentence before it is a question
}

// What is read of a text and a title, in bytes: what a note is about and what it
// replaces stands near its beginning.
const (
	maxText  = 32 << 10
	maxTitle = 1 << 10
)

// maxSentence bounds the words of a sentence that are looked at.
const maxSentence = 200

func read(n Note) *reading {
	n.Text = clip(n.Text, maxText)
	n.Title = clip(n.Title, maxTitle)
	r := &reading{Note: n, title: words(n.Title), features: similarity.Prepare(n.Text)}
	for _, s := range summary.Sentences(n.Text) {
		for _, part := range questions(s) {
			s := sentence{text: part, words: words(part), question: strings.HasSuffix(strings.TrimRight(part, `"'”’)*_ `), "?")}
			s.words = s.words[:min(len(s.words), maxSentence)]
			if len(s.words) == 0 {
				continue
			}
			s.key, s.content = joinKeys(s.words), contentWords(s.words)
			s.answer = len(r.sentences) > 0 && r.sentences[len(r.sentences)-1].question
			r.sentences = append(r.sentences, s)
			r.content = append(r.content, s.content...)
		}
	}
	slices.Sort(r.content)
	r.names = n.names(r.title)
	r.language = sync.OnceValue(func() text.Language { return text.LanguageOf(r.Text) })
	r.parted, r.changes, r.units = sync.OnceValue(r.part), sync.OnceValue(r.findChanges), sync.OnceValue(r.findUnits)
	return r
}

// questions parts a question from the answer behind it, whatever that begins with.
func questions(text string) []string {
	question, answer, ok := strings.Cut(text, "? ")
	if !ok {
		return []string{text}
	}
	return []string{question + "?", strings.TrimSpace(answer)}
}

// same reports whether two notes have the same words.
func (r *reading) same(s *reading) bool {
	return slices.EqualFunc(r.sentences, s.sentences, func(x, y sentence) bool { return x.key == y.key })
}

// clip cuts text to n bytes at most, between characters.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}
