package tokens

import "unicode/utf8"

// Estimate is about how many tokens a text is.
func Estimate(text string) int {
	sum := 0.0
	for len(text) > 0 {
		piece, k := next(text)
		sum += cost(piece, k)
		text = text[len(piece):]
	}
	return int(sum*margin) + 1
}

const margin = 1.05

func cost(piece string, k kind) float64 {
	n := float64(utf8.RuneCountInString(piece))
	switch k {
	case word:
		if len(piece) > utf8.RuneCountInString(piece)+1 {
			return 1.1 * n
		}
		return 1 + max(n-6, 0)*0.12
	case marks:
		return 1 + max(n-3, 0)/2
	}
	return 1
}
