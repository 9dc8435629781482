package text

import (
	"strings"
	"testing"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		language Language
		words    string
		value    string
		n        int
	}{
		{English, "twenty five users", "25", 2},
		{English, "twenty-five users", "25", 1},
		{English, "three hundred and five", "305", 4},
		{English, "two million three hundred thousand and six", "2300006", 7},
		{English, "hundred", "100", 1},
		{English, "twenty and five", "20", 1},
		{English, "five twenty", "5", 1},
		{English, "two and", "2", 1},
		{English, "two hundred and nothing", "200", 2},
		{English, "twenty-first of", "21th", 1},
		{English, "first second", "1th", 1},
		{English, "and five", "", 0},
		{English, "onerous", "", 0},
		{English, "server", "", 0},
		{English, "", "", 0},
		{Unknown, "five", "", 0},
	} {
		if value, n := c.language.Number(strings.Fields(c.words)); value != c.value || n != c.n {
			t.Errorf("%s %q: %q, %d, want %q, %d", c.language, c.words, value, n, c.value, c.n)
		}
	}
}
