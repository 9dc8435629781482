package answer_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/memoryd/memoryd/pkg/answer"
)

// Questions with the sentence that answers them, or "-" where the memories don't say.
func TestAnswersNeedTheirSubject(t *testing.T) {
	a, err := txtar.ParseFile("testdata/subject.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var hits []answer.Hit
	for _, f := range a.Files {
		lines := strings.Split(strings.TrimSpace(string(f.Data)), "\n")
		if f.Name == "memories" {
			hits = nil
			for i, line := range lines {
				h := hit(line, "2026-03-11", line, 3-float64(i)/10)
				if text, tags, ok := strings.Cut(line, " #"); ok {
					h.Text, h.About = text, tags
				}
				hits = append(hits, h)
			}
			continue
		}
		for _, line := range lines {
			question, want, _ := strings.Cut(line, "? ")
			got := answer.FromText(&answer.Question{Text: question + "?", At: now, Hits: hits})
			switch {
			case want == "-":
				if got.Answer != nil || !strings.HasPrefix(got.Reasoning, answer.Unanswered) || len(got.Sources) > 0 {
					t.Errorf("%s? %+v, want no answer", question, got.Sources)
				}
			case got.Answer == nil:
				t.Errorf("%s? %s, want %q", question, got.Reasoning, want)
			case !strings.Contains(*got.Answer, want):
				t.Errorf("%s? %q, want %q", question, *got.Answer, want)
			}
		}
	}
}
