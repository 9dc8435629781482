// Package guard says whether a text states only what its sources state. It decides whether something that a language model has
// chosen or worded may stand: text in, verdict out.
//
// # Concept
//
// [Lost] is about results: each fact of each source has to stand in what stays alive. [Wording] is about sentences: the facts of a
// sentence and most of its key terms have to stand in its sources, and where a sentence of the sources says nearly the same, it has
// to say the same. What a fact is, and which differences are harmless, package similarity decides.
//
// # Guarantees
//
// Both are pure, deterministic and fail closed: what they can't tell, they refuse. A sentence that stands in a source passes.
//
// # Limits
//
// A sentence that was worded freely shares too few words with any sentence of the sources to be compared with it. In those a changed
// number is found only if it stands nowhere in the sources, and a "not" is hardly ever found.
package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/summary"
	"github.com/memoryd/memoryd/pkg/text"
)

const (
	minTerms = 0.6 // share of a sentence's key terms that stand in the sources
	nearly   = 0.6 // similarity from which on two sentences are compared
)

// Lost lists the facts of the sources that none of the living texts states, each once.
func Lost(sources, living []string) []similarity.Fact {
	have := map[[2]string]bool{}
	for _, body := range living {
		for _, f := range similarity.Facts(body) {
			have[[2]string{f.Kind, f.Key}] = true
		}
	}
	var lost []similarity.Fact
	for _, body := range sources {
		for _, f := range similarity.Facts(body) {
			if id := [2]string{f.Kind, f.Key}; !have[id] {
				have[id] = true
				lost = append(lost, f)
			}
		}
	}
	return lost
}

// Sources are the texts that sentences are held against.
type Sources struct {
	facts     map[[2]string]bool
	words     map[string]bool // as they stand, folded
	terms     map[string]bool // stems
	language  text.Language
	sentences []*similarity.Features
	texts     map[string]bool // of the sentences
}

// Read prepares texts as sources.
func Read(bodies ...string) *Sources {
	all := strings.Join(bodies, "\n\n")
	s := &Sources{facts: map[[2]string]bool{}, words: map[string]bool{}, terms: map[string]bool{}, texts: map[string]bool{}, language: languageOf(all)}
	for _, body := range bodies {
		for _, f := range similarity.Facts(body) {
			s.facts[[2]string{f.Kind, f.Key}] = true
		}
		for _, sentence := range summary.Sentences(body) {
			s.sentences = append(s.sentences, similarity.Prepare(sentence))
			s.texts[sentence] = true
			// A name that begins a text may be a name only where its sentence stands alone.
			for _, f := range similarity.Facts(sentence) {
				s.facts[[2]string{f.Kind, f.Key}] = true
			}
		}
	}
	for word := range words(all) {
		s.words[word] = true
		s.terms[s.language.Stem(word)] = true
	}
	return s
}

func languageOf(body string) text.Language {
	if l := text.LanguageOf(body); l.Known() {
		return l
	}
	return text.English
}

// words yields the words of a text, folded; of scripts without spaces pairs of characters.
func words(body string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for t := range text.Tokens(body) {
			word := text.Fold(body[t.Start:t.End])
			if t.Kind == text.KindSign {
				continue
			}
			runes := []rune(word)
			if t.Kind != text.KindUnspaced || len(runes) < 2 {
				if !yield(word) {
					return
				}
				continue
			}
			for i := range len(runes) - 1 {
				if !yield(string(runes[i : i+2])) {
					return
				}
			}
		}
	}
}

// Invented lists the facts of a text that stand in none of the sources.
func (s *Sources) Invented(body string) (found []similarity.Fact) {
	for _, f := range similarity.Facts(body) {
		if !s.states(f) {
			found = append(found, f)
		}
	}
	return found
}

// Wording says why a sentence may not stand, "" if it may.
func (s *Sources) Wording(sentence string) (reason string) {
	if s.quotes(sentence) {
		return ""
	}
	return s.judge(sentence)
}

// judge is Wording for a sentence that the sources may not have.
func (s *Sources) judge(sentence string) (reason string) {
	if found := s.Invented(sentence); len(found) > 0 {
		return fmt.Sprintf("the %s %q stands in none of its sources", found[0].Kind, found[0].Text)
	}
	all, known := 0, 0
	for word := range words(sentence) {
		if s.language.IsStopWord(word) {
			continue
		}
		if all++; s.terms[s.language.Stem(word)] {
			known++
		}
	}
	switch {
	case all == 0:
		return "it says nothing"
	case float64(known) < minTerms*float64(all):
		return fmt.Sprintf("%d of its %d words stand in its sources", known, all)
	}
	return s.differs(sentence)
}

// quotes reports whether a text is one or several sentences of the sources, as they stand there.
func (s *Sources) quotes(body string) bool {
	for rest := strings.TrimSpace(body); rest != ""; {
		longest := 0
		for sentence := range s.texts {
			if len(sentence) > longest && strings.HasPrefix(rest, sentence) {
				longest = len(sentence)
			}
		}
		if longest == 0 {
			return false
		}
		after := rest[longest:]
		if rest = strings.TrimSpace(after); rest != "" && rest == after {
			return false // it ends within a word
		}
	}
	return strings.TrimSpace(body) != ""
}

// states reports whether a fact stands in the sources: as a fact, or, for what was taken for a name only in the sentence, as a word.
func (s *Sources) states(f similarity.Fact) bool {
	if s.facts[[2]string{f.Kind, f.Key}] {
		return true
	}
	if f.Kind != "name" {
		return false
	}
	for word := range words(f.Text) {
		if !s.words[word] {
			return false
		}
	}
	return true
}

// differs holds a sentence against the sentence of the sources that is most like it.
func (s *Sources) differs(sentence string) (reason string) {
	mine := similarity.Prepare(sentence)
	var nearest *similarity.Features
	best := nearly
	for _, other := range s.sentences {
		if alike := similarity.Content(mine, other); alike >= best {
			nearest, best = other, alike
		}
	}
	if nearest == nil {
		return ""
	}
	for _, d := range similarity.DistinctFacts(nearest, mine) {
		if !leftOut(d) {
			return fmt.Sprintf("the nearest sentence of its sources says otherwise: %s: %q against %q", d.Kind, d.A, d.B)
		}
	}
	return ""
}

// leftOut reports whether a difference is only that a sentence says less: without a date or a name it says nothing else.
func leftOut(d similarity.Difference) bool {
	switch d.Kind {
	case "number", "date", "version", "identifier", "path", "url", "name":
		return d.B == ""
	}
	return false
}

// Text returns those sentences of a text that may stand. It is not ok if less than half do, or none.
func (s *Sources) Text(body string) (kept []string, ok bool) {
	all := summary.Sentences(body)
	kept = slices.DeleteFunc(slices.Clone(all), func(sentence string) bool { return s.Wording(sentence) != "" })
	return kept, len(kept) > 0 && 2*len(kept) >= len(all)
}
