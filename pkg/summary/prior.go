package summary

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// What raises and lowers the prior of a sentence. The values are round on purpose:
// the measure hardly changes around them (see the package documentation).
const (
	leadWeight = 2.0  // added at the start of the text
	tailWeight = 1.0  // added at the end of a dialogue or a log
	decay      = 10.0 // sentences over which both fade, to 1/e
	topical    = 2.0  // added for all the terms of the title, in proportion for some
	marked     = 1.5  // tells an outcome or a lesson, or is labelled
	announcing = 1.3  // says what the text is for
	addressing = 0.7  // the speaker speaks of or to a person
	continuing = 0.7  // goes on where another sentence ended, or in what follows
	fatal      = 0.6  // a line of a log or of code that tells of the end
	failing    = 0.3  // one with an error message
	technical  = 0.1  // any other such line
	lastAlike  = 10.0 // the last of a family, before the others that an earlier one is like
)

// prior is how much more, or less, a sentence says than its terms do: by position
// and title words (Edmundson, "New Methods in Automatic Extracting", 1969), by the
// role it plays, and by the manner of speech.
func (p *plan) prior(i int) float64 {
	s := p.sentences[i]
	words := p.text[s.words:s.end]
	prior := 1 + leadWeight*math.Exp(-float64(i)/decay)
	if p.chronicle {
		prior *= 1 + tailWeight*math.Exp(-float64(len(p.sentences)-1-i)/decay)
	}
	prior *= 1 + topical*p.titled(i)
	if p.strength[i] > 1 || p.labelled[i] {
		prior *= marked
	}
	if s.kind == logLine || s.kind == code {
		switch line := strings.ToLower(p.text[s.start:s.end]); {
		case containsAny(line, lastWords):
			prior *= fatal
		case containsAny(line, errorWords):
			prior *= failing
		default:
			prior *= technical
		}
	}
	return prior * style(words) * p.share(i)
}

// titled is the share of the terms of the title that sentence i has.
func (d *document) titled(i int) float64 {
	if len(d.title) == 0 {
		return 0
	}
	n := 0
	for j, id := range d.termIDs[i] {
		if d.title[id] && !slices.Contains(d.termIDs[i][:j], id) {
			n++
		}
	}
	return float64(n) / float64(len(d.title))
}

// style is the part of the prior that depends on how something is said. What a
// text is about is said of things, not of me and you, as a statement that stands
// for itself.
func style(words string) float64 {
	factor := 1.0
	if r, _ := utf8.DecodeLastRuneInString(words); strings.ContainsRune(":,：，", r) {
		factor *= continuing
	}
	addresses, announces := false, false
	last := ""
	for i, field := range strings.Fields(words) {
		name := strings.TrimFunc(field, isPunctuation)
		word := strings.ToLower(name)
		if end := strings.IndexAny(word, "'’"); end > 0 {
			word = word[:end] // I'm, you've
		}
		if i == 0 && conjunctions.Has(word) {
			factor *= continuing
		}
		addresses = addresses || persons.Has(word)
		announces = announces || purposes.Has(word) || (last == "this" || last == "the") && genres.Has(word) || last == "this" && isAcronym(name)
		last = word
	}
	if addresses {
		factor *= addressing
	}
	if announces {
		factor *= announcing
	}
	return factor
}

// isAcronym reports whether word is two to five capitals.
func isAcronym(word string) bool {
	return len(word) >= 2 && len(word) <= 5 && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isPunctuation leaves the backticks of a code span: `i` isn't I.
func isPunctuation(r rune) bool { return r != '`' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

var (
	persons      = text.NewSet(`i me my mine myself you your yours yourself yourselves`)
	conjunctions = text.NewSet(`and but so or then also yet because`)
	purposes     = text.NewSet(`propose proposes proposed proposing proposal purpose goal goals aim aims aimed objective objectives
		intend intends intended introduce introduces introduced describe describes described`)
	// genres are what a text calls itself, this proposal, the incident, if it isn't
	// by an acronym: this ADR.
	genres = text.NewSet(`document proposal paper report article note memo guide specification spec record change feature release
		incident outage issue ticket bug meeting session discussion project task module section`)
)

var (
	lastWords  = []string{"fatal", "panic", "critical", "caused by:"}
	errorWords = []string{"error", "exception", "failed", "failure"}
)

// tellsOfError reports whether a line of a log or of code carries an error message.
func tellsOfError(line string) bool {
	line = strings.ToLower(line)
	return containsAny(line, lastWords) || containsAny(line, errorWords)
}

func containsAny(text string, list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(text, s) })
}
