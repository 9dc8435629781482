package text

import (
	"os"
	"strings"
	"testing"
)

// Of the sentences of testdata/sentences.txt at most one of twenty may not be told, and two of a hundred be taken for another language.
// Sentences of languages without a data file ("none") are taken for one at most once in five times.
func TestDetection(t *testing.T) {
	content, err := os.ReadFile("testdata/sentences.txt")
	if err != nil {
		t.Fatal(err)
	}
	taken := map[Language]map[Language]int{}
	var language Language
	all, unknown, wrong := 0, 0, 0
	none, guessed := 0, 0
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			language = Language(strings.Trim(line, "[]"))
			taken[language] = map[Language]int{}
			continue
		}
		got := LanguageOf(line)
		taken[language][got]++
		switch {
		case language == "none":
			none++
			if got.Known() {
				guessed++
				t.Logf("taken for %s: %s", got, line)
			}
			continue
		case got == Unknown:
			unknown++
			t.Logf("%s is not told: %s", language, line)
		case got != language:
			wrong++
			t.Logf("%s is taken for %s: %s", language, got, line)
		}
		all++
	}
	if all < 80 || unknown*20 > all || wrong*50 > all || none < 10 || guessed*5 > none {
		t.Errorf("of %d sentences %d are not told, %d taken for another language; of %d in other languages %d are taken for one: %v", all, unknown, wrong, none, guessed, taken)
	}
}
