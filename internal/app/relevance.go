package app

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/workspace"
)

const (
	MaxQuery = 2000 // bytes of a question that are looked at: the beginning tells
	maxHits  = 200
	longWord = 3 // characters of a word that says something by itself, in small letters
)

// OpenIndex opens the index of the words of a snapshot's memories.
type OpenIndex func(*memory.Snapshot) (*recall.Searcher, error)

// relevanceOf says how relevant candidates are to a question, from 0 to 1; those that it
// doesn't name are not. n is how many candidates there are, and may tells them from other
// memories.
func relevanceOf(n int, may func(*memory.Memory) bool, words *recall.Searcher, at time.Time, query string) (relevance map[*memory.Memory]float64, newer map[*memory.Memory][]string, err error) {
	query = strings.ToValidUTF8(query[:min(len(query), MaxQuery)], "")
	asked := topicOf(query)
	// How much each still matters is weighed by those who pick: here only words count.
	hits, _, err := words.Search(recall.Request{Query: recall.Query{Text: query, At: at, Limit: maxHits, Mode: recall.Exhaustive}, Allow: may, Texts: true})
	if err != nil {
		return nil, nil, fmt.Errorf("look for what is relevant: %w", err)
	}
	frequency := map[string]int{}
	for _, h := range hits {
		for word := range asked.distinct(slices.Concat(h.Words, h.Like)) {
			frequency[word]++
		}
	}
	weight := func(word string) float64 {
		return math.Log1p(float64(n)/float64(max(frequency[word], 1))) / math.Log1p(float64(n))
	}
	best := 0.0
	for _, h := range hits {
		best = max(best, fit(h.Hit))
	}
	out, newer := map[*memory.Memory]float64{}, map[*memory.Memory][]string{}
	for _, h := range hits {
		if len(h.Newer) > 0 {
			newer[h.Memory] = []string{slices.MaxFunc(h.Newer, func(a, b recall.Newer) int { return a.Written.Compare(b.Written) }).String()}
		}
		has, like := asked.distinct(h.Words), asked.distinct(h.Like)
		if best <= 0 || !asked.evident(has, like) {
			continue
		}
		covered := 0.0
		for word := range has {
			covered += weight(word)
		}
		for word := range like {
			covered += weight(word) / 2
		}
		// What is asked for and nowhere known counts in full, up to a few words: a long
		// prompt says more than one memory can hold.
		out[h.Memory] = min(covered/min(max(float64(len(asked.words)), covered), manyWords), 1) * max(fit(h.Hit), 0) / best
	}
	return out, newer, nil
}

// manyWords is as many words of a question as a memory may be asked to have.
const manyWords = 5

// fit is how well a hit fits the words of a question, whatever else is known of it.
func fit(h recall.Hit) float64 {
	p := h.Parts
	return p.Words + p.Related + p.Neighbours + p.Session + p.People + p.Time + p.Meaning
}

// distinct are words of the question, each once and folded, without function words.
func (t topic) distinct(list []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range list {
		if !t.function(w) {
			set[text.Fold(w)] = true
		}
	}
	return set
}

// topic is what a question may be about.
type topic struct {
	language text.Language
	words    map[string]bool // folded
}

// topicOf are the words of a question that may say what it is about: no function words, and short ones only where they are written
// as acronyms are, or in a script without spaces.
func topicOf(query string) topic {
	t := topic{text.LanguageOf(query), map[string]bool{}}
	for token := range text.Tokens(query) {
		word := query[token.Start:token.End]
		switch n := utf8.RuneCountInString(word); {
		case token.Kind == text.KindSign, t.function(word):
		case n >= longWord, token.Kind == text.KindUnspaced, n > 1 && word != strings.ToLower(word):
			t.words[text.Fold(word)] = true
		}
	}
	return t
}

// touches reports whether a question is about a word of one text that another lacks.
func (t topic) touches(wording, text string) bool {
	has := topicOf(text).words
	for word := range topicOf(wording).words {
		if t.words[word] && !has[word] {
			return true
		}
	}
	return false
}

// function reports whether a word is a function word of the question's language; of any language where that isn't known and the word is no acronym.
func (t topic) function(word string) bool {
	folded := text.Fold(word)
	if t.language.IsStopWord(folded) || text.English.IsStopWord(folded) {
		return true
	}
	acronym := len(word) > 1 && word == strings.ToUpper(word)
	return t.language == text.Unknown && !acronym && text.IsStopWord(folded)
}

// asks reports whether the question is about anything: "run the tests" and "yes, go on" are not.
func (t topic) asks() bool {
	for word := range t.words {
		if telling(word) {
			return true
		}
	}
	return false
}

// evident reports whether the words of the question that a memory has, and those that it has words like, tell that it may be about the
// same: two words, or one that says what the question is about.
func (t topic) evident(has, like map[string]bool) bool {
	switch {
	case len(has)+len(like) != 1:
		return len(has)+len(like) > 1
	case len(t.words) <= 1:
		return true
	}
	for word := range has {
		return telling(word)
	}
	return false
}

// telling reports whether a folded word alone may say what a question is about.
func telling(word string) bool {
	return !text.English.Has("frequent", word) && !text.English.Has("filler", word) && !orders.Has(word)
}

// orders are words that say what is to be done, in prompts about anything.
var orders = text.NewSet(`add ask build change check close commit continue copy create delete describe do edit explain find fix
	fixed format help implement improve insert merge move open post print push read refactor remove rename replace report
	review revert rewrite run save search see set show split start stop summarise summarize test tests undo update write`)

func readOptional(store *workspace.FileStore, name string) ([]byte, error) {
	content, err := store.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return content, nil
}
