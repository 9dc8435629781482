package briefing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/briefing"
)

// Any receipt survives being written and read, also by a writer that folds blanks.
func TestReceiptLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := briefing.ReceiptOf(briefing.Pick(candidates(t, sample, nil), request(briefing.XML)), request(briefing.XML), briefing.AtStart)
		r.Session, r.Project = strings.ToValidUTF8(rapid.String().Draw(t, "session"), ""), strings.ToValidUTF8(rapid.String().Draw(t, "project"), "")
		r.Given = append(r.Given, "two  blanks\tand a tab\n")
		line, err := r.Line()
		if err != nil {
			t.Fatal(err)
		}
		line = strings.Join(strings.Fields(line), " ")
		got := briefing.ParseReceipts([]byte("{torn\n" + line + "\n\n" + `{"at":"x"}` + "\n[]\n"))
		if diff := cmp.Diff([]briefing.Receipt{r}, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestGivenTo(t *testing.T) {
	day := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	all := []briefing.Receipt{
		{Event: briefing.AtStart, Session: "s", Given: []string{"a"}},
		{Event: briefing.AtPrompt, Session: "s", Given: []string{"b"}},
		{Event: briefing.AtStart, Session: "other", Given: []string{"c"}},
		{Event: briefing.AtStart, Session: "s", Given: []string{"d"}}, // its context was compacted
		{Event: briefing.AtPrompt, Session: "s", Given: []string{"e"}},
	}
	for i := range all {
		all[i].At = day.Add(time.Duration(i) * time.Hour)
	}
	given, last := briefing.GivenTo("s", all)
	if diff := cmp.Diff(map[string]time.Time{"d": day.Add(3 * time.Hour), "e": day.Add(4 * time.Hour)}, given); diff != "" || !last.Equal(all[4].At) {
		t.Error(diff, last)
	}
	if given, last := briefing.GivenTo("", all); len(given) > 0 || !last.IsZero() {
		t.Error("nobody was given", given)
	}
}
