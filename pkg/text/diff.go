package text

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Change says what became of a run of words.
type Change uint8

// The changes.
const (
	Same Change = iota
	Deleted
	Inserted
)

// Run is consecutive words with one fate. A line break of the text is a word of its own, "\n".
type Run struct {
	Change Change
	Words  []string
}

// Diff compares two texts word by word, as people read them: which words both have, in order, which only before has and which only
// after has. A word is what stands between white space; how much white space there is does not matter, but line breaks
// do. Where words were replaced, the deleted ones come first.
//
// The differences are those of a diff by lines (E. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986) over the words.
func Diff(before, after string) []Run {
	x, y := wordLines(before), wordLines(after)
	var runs []Run
	add := func(c Change, lines string) {
		if lines = strings.TrimSuffix(lines, "\n"); lines == "" {
			return
		}
		words := strings.Split(lines, "\n")
		for i, w := range words {
			if w == lineBreak {
				words[i] = "\n"
			}
		}
		runs = append(runs, Run{c, words})
	}
	at := 0
	for _, e := range udiff.Lines(x, y) {
		add(Same, x[at:e.Start])
		add(Deleted, x[e.Start:e.End])
		add(Inserted, e.New)
		at = e.End
	}
	add(Same, x[at:])
	return runs
}

// lineBreak stands for a line break among words.
const lineBreak = "\x00"

// wordLines writes one word to a line.
func wordLines(s string) string {
	s = strings.ReplaceAll(strings.TrimSpace(s), "\n", " "+lineBreak+" ")
	return strings.Join(strings.Fields(s), "\n") + "\n"
}
