package main

import (
	"log"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/tokens/internal/model"
)

// vocabulary is how many tokens o200k has, apart from special ones.
const vocabulary = 199_998

// eastAsian learns the tokens of Chinese, Japanese and Korean.
func (c *counter) eastAsian(m *model.Model) error {
	several := 0
	for id := range uint(vocabulary) {
		text, err := c.enc.Decode([]uint{id})
		if err != nil {
			return err
		}
		if !utf8.ValidString(text) {
			continue
		}
		runes := []rune(text)
		first := runes
		if len(runes) > 1 && !model.EastAsian(runes[0]) {
			first = runes[1:] // what stands before a word belongs to it
		}
		if slices.ContainsFunc(first, func(r rune) bool { return !model.EastAsian(r) }) {
			continue
		}
		if len(runes) == 1 {
			m.LearnSingle(runes[0])
			continue
		}
		m.Learn(text)
		several++
	}
	log.Printf("%d tokens of several East Asian characters", several)
	return nil
}

// seen is how often a word fell into so many tokens.
type seen struct {
	features []int
	extra    float64 // tokens but the first
	weight   float64
}

// learn fits the weights of words, and the runs of marks.
func (c *counter) learn(m *model.Model, files []string) error {
	times := map[string]int{}
	var sum, n [2][model.RunsMax + 1]float64
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for text := strings.ToValidUTF8(string(data), ""); text != ""; {
			piece, k := model.Next(text)
			text = text[len(piece):]
			switch k {
			case model.Word:
				if _, _, ok := model.Latin(piece); ok {
					times[piece]++
				}
			case model.Marks:
				if length, same := model.Run(piece); length <= model.RunsMax && isASCII(piece) {
					sum[same][length] += float64(c.count(piece))
					n[same][length]++
				}
			}
		}
	}
	for same := range sum {
		for i := range sum[same] {
			// A few of a length say little: what is usual of it counts for five more.
			usual := 1 + float64(max(i-2, 0))/3
			m.Runs[same][i] = (sum[same][i] + 5*usual) / (n[same][i] + 5)
		}
	}
	var words []seen
	for _, piece := range slices.Sorted(maps.Keys(times)) {
		before, letters, _ := model.Latin(piece)
		w := seen{extra: float64(c.count(piece) - 1), weight: float64(times[piece])}
		model.Features(before, letters, func(i int) { w.features = append(w.features, i) })
		words = append(words, w)
	}
	fit(&m.Words, words)
	return nil
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// fit is a Poisson regression by gradient descent with a step of its own for each weight
// (Adagrad; Duchi et al., 2011). A word that is very frequent counts for less than it is,
// so that the rare ones have a say.
func fit(w *[model.Weights]float64, words []seen) {
	const rounds, rate, shrink, pow = 40, 0.05, 1e-3, 0.9
	var squares [model.Weights]float64
	order := make([]int, len(words))
	for i := range order {
		order[i] = i
	}
	state := uint64(1)
	for range rounds {
		for i := len(order) - 1; i > 0; i-- { // the same order every time it is run
			state = state*6364136223846793005 + 1442695040888963407
			j := int(state>>33) % (i + 1)
			order[i], order[j] = order[j], order[i]
		}
		for _, i := range order {
			s := &words[i]
			z := 0.0
			for _, f := range s.features {
				z += w[f]
			}
			slope := (math.Exp(min(z, 3)) - s.extra) * math.Pow(s.weight, pow)
			for _, f := range s.features {
				g := slope + shrink*w[f]
				squares[f] += g * g
				w[f] -= rate * g / math.Sqrt(squares[f]+1e-9)
			}
		}
	}
	// The step of the descent leaves the sum a little off: one factor puts it right.
	want, got := 0.0, 0.0
	for _, s := range words {
		z := 0.0
		for _, f := range s.features {
			z += w[f]
		}
		want += s.extra * s.weight
		got += math.Exp(min(z, 3)) * s.weight
	}
	shift := math.Log(want / got)
	for i := range w {
		if i >= model.Weights-12 { // each word has one of these
			w[i] += shift
		}
	}
}
