package supersession_test

import (
	_ "embed"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/supersession"
	"github.com/memoryd/memoryd/pkg/text"
)

//go:embed testdata/corrections.txt
var corrections string

// correction is a line of testdata/corrections.txt.
type correction struct{ language, older, newer string }

func readCorrections() (all []correction) {
	language := ""
	for line := range strings.Lines(corrections) {
		line = strings.TrimSpace(line)
		older, newer, ok := strings.Cut(line, " => ")
		switch {
		case strings.HasPrefix(line, "["):
			language = strings.Trim(line, "[]")
		case ok && !strings.HasPrefix(line, "#") && (language == "none" || len(text.Language(language).Lines("change")) > 0):
			all = append(all, correction{language, older, newer})
		}
	}
	return all
}

// A text that says what has changed corrects what says the old thing, and nothing else.
func TestCorrects(t *testing.T) {
	all := readCorrections()
	for _, c := range all {
		older, newer := supersession.Note{Text: c.older}, supersession.Note{Text: c.newer}
		if j, ok := supersession.Corrects(newer, older); ok != (c.language != "none") {
			t.Errorf("%s: %q, then %q: %v %+v", c.language, c.older, c.newer, ok, j)
		} else if ok && (j.Relation != supersession.Updates || j.Cue != supersession.CueChange && j.Cue != supersession.CueValue || j.NewerSentence == "" || j.OlderSentence == "") {
			t.Errorf("%q, then %q: %+v", c.older, c.newer, j)
		}
		if j, ok := supersession.Corrects(older, newer); ok {
			t.Errorf("%s: backwards: %q, then %q: %+v", c.language, c.newer, c.older, j)
		}
		for _, d := range all {
			if d.language == c.language && d.older != c.older {
				if j, ok := supersession.Corrects(newer, supersession.Note{Text: d.older}); ok {
					t.Errorf("%s: %q has nothing to do with %q: %+v", c.language, d.older, c.newer, j)
				}
			}
		}
	}
}

// Never both of two texts correct the other.
func TestCorrectsOneWay(t *testing.T) {
	all := readCorrections()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) supersession.Note {
			return supersession.Note{Text: strings.Join(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
				c := rapid.SampledFrom(all).Draw(t, "pair")
				return rapid.SampledFrom([]string{c.older, c.newer}).Draw(t, "side")
			}), 1, 3).Draw(t, label), " ")}
		}
		a, b := draw("a"), draw("b")
		_, there := supersession.Corrects(a, b)
		_, back := supersession.Corrects(b, a)
		if there && back {
			t.Fatalf("%q and %q correct each other", a.Text, b.Text)
		}
	})
}
