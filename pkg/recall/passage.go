package recall

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	sentences "github.com/memoryd/memoryd/pkg/summary"
)

// sought is a term of the query that a hit has, and how rare it is.
type sought struct {
	term   string
	rarity float64
}

// Passage is the part of a text that shows best why a memory is a hit: of all runs of sentences that are not longer than so many characters the one
// with the most and rarest words of the query, and of its neighbours as many as fit. It begins and ends with a sentence; one that is longer by
// itself is cut between words. The whole text where that is short enough, its beginning where it has no word of the query. from is the byte at which the passage begins.
func (h *Hit) Passage(body string, most int) (part string, from int) {
	if utf8.RuneCountInString(body) <= most {
		return body, 0
	}
	pieces := piecesOf(body, h.sought)
	best, ok := bestRun(body, pieces, h.sought, most)
	if !ok { // no sentence fits
		return h.within(body, most)
	}
	size := func(i, j int) int { return utf8.RuneCountInString(body[pieces[i].start:pieces[j].end]) }
	first, last := best[0], best[1]
	for grown := true; grown; {
		grown = false
		if last+1 < len(pieces) && size(first, last+1) <= most {
			last, grown = last+1, true
		} else if first > 0 && size(first-1, last) <= most {
			first, grown = first-1, true
		}
	}
	return body[pieces[first].start:pieces[last].end], pieces[first].start
}

// Excerpt is the passage on one line, with an ellipsis at each end at which the text goes on.
func (h *Hit) Excerpt(body string, most int) string {
	part, from := h.Passage(body, most)
	line := strings.Join(strings.Fields(part), " ")
	if from > 0 {
		line = "…" + line
	}
	if from+len(part) < len(body) {
		line += "…"
	}
	return line
}

// longestLine is how many characters of a text the line of a hit shows.
const longestLine = 160

// Line is what a list shows of a hit: the summary of its memory or, where another part of a long text has more of the query, the title and that part.
func (f *Found) Line() string {
	line, _ := f.Memory.Summary()
	body := strings.TrimSpace(f.Memory.Text())
	part, _ := f.Passage(body, longestLine)
	if len(part) == len(body) || weightOf(part, f.sought) <= weightOf(line, f.sought) {
		return line
	}
	part = f.Excerpt(body, longestLine)
	if title := f.Memory.Title(); title != "" && !strings.Contains(part, title) {
		part = title + ": " + part
	}
	return part
}

// weightOf is how much of the query a text has: what its terms weigh, each counted once.
func weightOf(body string, terms []sought) (sum float64) {
	met := make(map[string]bool, len(terms))
	newAnalyzer().terms(body, func(t token) { met[t.term] = true })
	for _, t := range terms {
		if met[t.term] {
			sum += t.rarity
		}
	}
	return sum
}

// piece is a sentence, and which of the terms it has, by their numbers.
type piece struct {
	start, end int
	has        []int
}

// piecesOf takes a text apart.
func piecesOf(body string, terms []sought) (pieces []piece) {
	at := 0
	for _, s := range sentences.Sentences(body) {
		if i := strings.Index(body[at:], s); i >= 0 {
			pieces = append(pieces, piece{start: at + i, end: at + i + len(s)})
			at += i + len(s)
		}
	}
	number := make(map[string]int, len(terms))
	for i, t := range terms {
		number[t.term] = i
	}
	n := 0
	newAnalyzer().terms(body, func(t token) {
		i, ok := number[t.term]
		if !ok {
			return
		}
		for n < len(pieces) && pieces[n].end <= t.start {
			n++
		}
		if n < len(pieces) && pieces[n].start <= t.start {
			pieces[n].has = append(pieces[n].has, i)
		}
	})
	return pieces
}

// bestRun is the run of pieces with the greatest sum of what its terms weigh, each counted once; of equals the shortest, then the first.
func bestRun(body string, pieces []piece, terms []sought, most int) (best [2]int, ok bool) {
	in := make([]float64, len(terms)) // pieces: what most of them have tells little of where it is said
	for i := range pieces {
		for k, t := range pieces[i].has {
			if !slices.Contains(pieces[i].has[:k], t) {
				in[t]++
			}
		}
	}
	top, shortest := -1.0, 0
	met := make([]int, len(terms)) // 1 + the start of the run that a term was last met in
	for i := range pieces {
		score := 0.0
		for j := i; j < len(pieces); j++ {
			length := utf8.RuneCountInString(body[pieces[i].start:pieces[j].end])
			if length > most {
				break
			}
			for _, t := range pieces[j].has {
				if met[t] != i+1 {
					met[t], score = i+1, score+terms[t].rarity/in[t]
				}
			}
			if score > top || score == top && length < shortest {
				top, shortest, best, ok = score, length, [2]int{i, j}, true
			}
		}
	}
	return best, ok
}

// within is a part of a sentence that is too long: around the first of the terms.
func (h *Hit) within(body string, most int) (part string, from int) {
	at := 0
	want := make(map[string]bool, len(h.sought))
	for _, t := range h.sought {
		want[t.term] = true
	}
	found := false
	newAnalyzer().terms(body, func(t token) {
		if !found && want[t.term] {
			at, found = t.start, true
		}
	})
	from = at
	for n := 0; from > 0 && n < most/3; n++ {
		_, size := utf8.DecodeLastRuneInString(body[:from])
		from -= size
	}
	if from > 0 {
		if i := strings.IndexFunc(body[from:at], unicode.IsSpace); i >= 0 {
			from += i + 1
		} else {
			from = at
		}
	}
	end := from
	for n := 0; end < len(body) && n < most; n++ {
		_, size := utf8.DecodeRuneInString(body[end:])
		end += size
	}
	if end < len(body) {
		if i := strings.LastIndexFunc(body[from:end], unicode.IsSpace); i > 0 {
			end = from + i
		}
	}
	return strings.TrimSpace(body[from:end]), from
}
