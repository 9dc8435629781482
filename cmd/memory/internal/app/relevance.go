package app

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

const (
	maxQuery = 2000 // bytes of a question that are looked at: the beginning tells
	maxHits  = 200
	longWord = 4 // characters of a word that says something by itself
)

// OpenIndex opens the index of the words of a snapshot's memories.
type OpenIndex func(*memory.Snapshot) (*recall.Searcher, error)

// relevanceOf says how relevant candidates are to a question, from 0 to 1; those that it
// doesn't name are not. n is how many candidates there are, and may tells them from other
// memories.
func relevanceOf(n int, may func(*memory.Memory) bool, words *recall.Searcher, at time.Time, query string) (map[*memory.Memory]float64, error) {
	query = strings.ToValidUTF8(query[:min(len(query), maxQuery)], "")
	asked := longWords(query)
	// How much each still matters is weighed by those who pick: here only words count.
	hits, _, err := words.Search(recall.Request{Query: recall.Query{Text: query, At: at, Limit: maxHits, Mode: recall.Exhaustive}, Allow: may})
	if err != nil {
		return nil, fmt.Errorf("look for what is relevant: %w", err)
	}
	frequency := map[string]int{}
	for _, h := range hits {
		for word := range distinct(slices.Concat(h.Words, h.Like)) {
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
	out := map[*memory.Memory]float64{}
	for _, h := range hits {
		has, like := distinct(h.Words), distinct(h.Like)
		if best <= 0 || len(has)+len(like) == 0 || len(has)+len(like) == 1 && len(asked) > 1 {
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
		out[h.Memory] = min(covered/min(max(float64(len(asked)), covered), manyWords), 1) * max(fit(h.Hit), 0) / best
	}
	return out, nil
}

// manyWords is as many words of a question as a memory may be asked to have.
const manyWords = 5

// fit is how well a hit fits the words of a question, whatever else is known of it.
func fit(h recall.Hit) float64 {
	p := h.Parts
	return p.Words + p.Related + p.Neighbours + p.Session + p.People + p.Time + p.Meaning
}

func distinct(list []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range list {
		set[strings.ToLower(w)] = true
	}
	return set
}

// longWords are the longer words of a question: those that say something by themselves.
func longWords(query string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && r != '-' }) {
		if utf8.RuneCountInString(w) >= longWord {
			set[strings.ToLower(w)] = true
		}
	}
	return set
}

func readOptional(store *workspace.FileStore, name string) ([]byte, error) {
	text, err := store.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return text, nil
}
