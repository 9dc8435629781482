package summary

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// Refusals of [Summarise].
var (
	// ErrNotShorter means that no part of the text is worth less room than the
	// whole of it: it is too short, or holds nothing that could be quoted.
	ErrNotShorter = errors.New("no summary shorter than the text")
	// ErrTooFewKeyTerms means that no summary within the limit keeps the wanted
	// share of the key terms.
	ErrTooFewKeyTerms = errors.New("too few of the key terms would stay")
)

// Version is raised whenever some text comes to another summary than before. Who keeps summaries keeps it with them.
const Version = 2

// Options of [Summarise]. The zero value stands for the defaults.
type Options struct {
	Title       string    // what the text is called: sentences with its terms say more; "" if it has none
	MaxChars    int       // longest summary in characters (runes), all of it; 0 means 2000
	MinKeyTerms float64   // share of the text's key terms that must stay, up to 1; 0 means 0.8
	Ref         time.Time // when the text was written, for its relative dates; zero leaves them as they are
}

const (
	defaultMaxChars    = 2000
	defaultMinKeyTerms = 0.8
	margin             = 0.05 // what a summary is meant to keep above the least
)

// Summary is a choice of sentences of a text, in the order of the text. Each is
// verbatim but for line breaks, which become blanks, for the absolute date that
// is next to a relative one, and for the "…" where a sentence too long to quote
// is cut.
type Summary struct {
	WhatHappened []string
	Who          []string // names and roles, as the text spells them
	Outcome      []string
	KeyLearnings []string

	KeyTermsKept float64  // share of the text's key terms that the summary contains
	Missing      []string // the key terms that it doesn't contain
	Facts        int      // different facts in the text, logs and repeated lines included
	FactsKept    int      // and in the summary
	Cut          bool     // some of it is cut out of sentences too long to quote
}

// Summarise chooses the sentences of text that cover most of what it says, within
// o.MaxChars and half the length of text. It refuses with [ErrNotShorter] or
// [ErrTooFewKeyTerms] when no faithful summary exists; errors.Is tells which.
//
// What covers most is defined by budgeted maximum coverage of the text's terms and
// pairs of terms (see the package documentation). While the choice keeps less of
// the [KeyTerms] than a tenth above o.MinKeyTerms, it is made again with these
// weighing more, and the one that keeps most of them is taken. Only if none keeps
// enough, fragments and journals may carry them, then they are made to weigh alone, and then windows into sentences that are
// too long to quote are taken in.
func Summarise(text string, o Options) (Summary, error) {
	if o.MaxChars <= 0 {
		o.MaxChars = defaultMaxChars
	}
	if o.MinKeyTerms <= 0 {
		o.MinKeyTerms = defaultMinKeyTerms
	}
	length := utf8.RuneCountInString(text)
	p := prepare(text, o.Title, min(o.MaxChars, length/2), o.Ref)
	best := Summary{KeyTermsKept: -1}
	for _, cut := range []bool{false, true} {
		if cut && !p.cut {
			break
		}
		for _, emphasis := range []float64{0, 1, 4, strongEmphasis, withFillers, onlyKeyTerms} {
			if emphasis > strongEmphasis && best.KeyTermsKept >= o.MinKeyTerms {
				break // fillers, and only the key terms, are the last resorts
			}
			if s := p.compose(cut, emphasis); s.sentences() > 0 && s.KeyTermsKept > best.KeyTermsKept {
				best = s
			}
			if best.KeyTermsKept >= o.MinKeyTerms+margin {
				break
			}
		}
		if best.KeyTermsKept >= o.MinKeyTerms {
			return best, nil
		}
	}
	if best.sentences() == 0 {
		return Summary{}, fmt.Errorf("summarise %d characters in %d: %w", length, p.room, ErrNotShorter)
	}
	return Summary{}, fmt.Errorf("summarise %d characters in %d: %w: %.0f %% of %d, at least %.0f %% wanted",
		length, p.room, ErrTooFewKeyTerms, 100*best.KeyTermsKept, len(p.keys), 100*o.MinKeyTerms)
}

func (s Summary) sentences() int {
	return len(s.WhatHappened) + len(s.Outcome) + len(s.KeyLearnings)
}

// The words that Text puts before the sections, and around the lessons.
const (
	whatLabel    = "What happened: "
	whoLabel     = "Who: "
	outcomeLabel = "Outcome: "
	lessonLabel  = "Key learnings:"
	lessonMark   = "\n- "
	labelRunes   = len(whatLabel+whoLabel+outcomeLabel+lessonLabel) + 3 // with the line breaks between the sections
	joinRunes    = len(lessonMark)                                      // at most, between two sentences
)

// Text is the summary as plain text, one section after the other, without those
// that are empty:
//
//	What happened: ...
//	Who: ...
//	Outcome: ...
//	Key learnings:
//	- ...
func (s Summary) Text() string {
	var sections []string
	if len(s.WhatHappened) > 0 {
		sections = append(sections, whatLabel+joinSentences(s.WhatHappened))
	}
	if len(s.Who) > 0 {
		sections = append(sections, whoLabel+strings.Join(s.Who, ", "))
	}
	if len(s.Outcome) > 0 {
		sections = append(sections, outcomeLabel+joinSentences(s.Outcome))
	}
	if len(s.KeyLearnings) > 0 {
		sections = append(sections, lessonLabel+lessonMark+strings.Join(s.KeyLearnings, lessonMark))
	}
	return strings.Join(sections, "\n")
}

// joinSentences puts a blank after a sentence that ends as one, nothing where the
// script has no blanks, and a line break after a line that doesn't end.
func joinSentences(list []string) string {
	var b strings.Builder
	for i, s := range list {
		b.WriteString(s)
		if i == len(list)-1 {
			break
		}
		r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "\"'’”»)]*_`"))
		switch {
		case text.IsThaiOrLao(r):
			b.WriteByte(' ')
		case !text.IsSentenceEnd(r), isMark(list[i+1]):
			b.WriteByte('\n')
		case r < '、': // CJK punctuation starts there, and stands without blanks
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// joinLines turns the line breaks within a sentence, with the indents and the marks of a
// block quotation around them, into blanks.
func joinLines(s string) string {
	if !strings.ContainsAny(s, "\n\r") {
		return s
	}
	var b strings.Builder
	last := rune(0)
	for i, line := range strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimSpace(line)
		if i > 0 {
			line = strings.TrimLeft(line, "> \t") // only in a block quotation does a line go on so
		}
		if line == "" {
			continue
		}
		if first := firstRune(line); last != 0 && !(text.IsUnspaced(last) && text.IsUnspaced(first)) {
			b.WriteByte(' ')
		}
		b.WriteString(line)
		last, _ = utf8.DecodeLastRuneInString(line)
	}
	return b.String()
}

// missing lists the key terms that are not among the covered ones.
func missing(keys []int, names []string, covered map[int]bool) []string {
	var out []string
	for _, id := range keys {
		if !covered[id] {
			out = append(out, names[id])
		}
	}
	return slices.Clip(out)
}
