package summary_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/summary"
)

var ref = time.Date(2026, 3, 11, 14, 30, 0, 0, time.UTC)

// incident is a report with a section for everything, and enough detail around it
// that a summary has something to leave out.
var incident = `# Import outage of 2026-03-10

Reported by: Ann Lee

The nightly import of exchange rates failed yesterday at 02:14 with ERR_EMPTY_CURRENCY.
Ann Lee noticed the failure last night. She asked Bob Stone to look at the import.
The platform team found 1,204 rows with an empty currency column in rates.csv.

` + strings.Repeat("The dashboard was open on the second screen and somebody made coffee for the whole room. ", 12) + `

` + "```" + `
Traceback (most recent call last):
  File "/app/import.py", line 42, in run
ValueError: empty currency in row 17
` + "```" + `

## Outcome

The import of exchange rates is green again since v2.3.1, which reads an empty currency as EUR.

## Lessons learned

- Validate the currency column of rates.csv before the import.
- Alert on a failed import within 5 minutes.
`

func TestSummarise(t *testing.T) {
	s, err := summary.Summarise(incident, summary.Options{MaxChars: 900, Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	want := summary.Summary{
		WhatHappened: []string{
			"The nightly import of exchange rates failed yesterday (2026-03-10) at 02:14 with ERR_EMPTY_CURRENCY.",
			"Ann Lee noticed the failure last night (2026-03-10).",
			"She asked Bob Stone to look at the import.",
			"The platform team found 1,204 rows with an empty currency column in rates.csv.",
			"The dashboard was open on the second screen and somebody made coffee for the whole room.",
			"ValueError: empty currency in row 17",
		},
		Who:     []string{"Ann Lee", "platform team"},
		Outcome: []string{"The import of exchange rates is green again since v2.3.1, which reads an empty currency as EUR."},
		KeyLearnings: []string{
			"Validate the currency column of rates.csv before the import.",
			"Alert on a failed import within 5 minutes.",
		},
		KeyTermsKept: 1, Facts: 13, FactsKept: 12,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	wantText := "What happened: " + strings.Join(want.WhatHappened, " ") +
		"\nWho: Ann Lee, platform team\nOutcome: " + want.Outcome[0] +
		"\nKey learnings:\n- " + strings.Join(want.KeyLearnings, "\n- ")
	if diff := cmp.Diff(wantText, s.Text()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestSummariseWithoutReference(t *testing.T) {
	s, err := summary.Summarise(incident, summary.Options{MaxChars: 900})
	if err != nil {
		t.Fatal(err)
	}
	if text := s.Text(); !strings.Contains(text, "failed yesterday at") {
		t.Errorf("relative date was touched:\n%s", text)
	}
}

func TestSummariseWho(t *testing.T) {
	filler := strings.Repeat("\nThe pipeline ran as it always does and left its usual trace in the journal.", 20)
	dialogue := strings.Repeat("\nAnn: The pipeline left a trace in the journal.\nBob: The journal shows the pipeline trace.", 20)
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nobody", "The disk was full." + filler, nil},
		{"speech", "Dana Fox reported it. Later Eli and Finn confirmed the leak." + filler, []string{"Dana Fox", "Eli", "Finn"}},
		{"done by", "It was fixed by Gus Hall and Ida." + filler, []string{"Gus Hall", "Ida"}},
		{"label", "Attendees: Jo Kim, Lee, and Max\n\nThe disk was full." + filler, []string{"Jo Kim", "Lee", "Max"}},
		{"handle and team", "Thanks to @nina the storage team knew." + filler, []string{"@nina", "storage team"}},
		{"part of a longer name", "Dana Fox reported it. Dana found the leak." + filler, []string{"Dana Fox"}},
		{"after an article", "This ADR proposed a queue. The Gateway reported it." + filler, nil},
		{"initials of a speaker", "Presenter: Ana Duarte (ADU)\n\nADU: The pipeline left a trace.\nBRE: Why?\nADU: I know it.\nBRE: Good." + filler, []string{"Ana Duarte (ADU)", "BRE"}},
		{"dialogue", "Zoe said hello." + dialogue, []string{"Ann", "Bob"}},
		{"no person", "This suggested a leak. Monitoring reported it on Monday. Users noticed." + filler, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := summary.Summarise(tt.text, summary.Options{MinKeyTerms: 0.1})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, s.Who); diff != "" {
				t.Errorf("who (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSummariseManySpeakers(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "Speaker %d: The pipeline left trace number %d in the journal of the team.\n", i%20, i)
	}
	s, err := summary.Summarise(b.String(), summary.Options{MinKeyTerms: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Who) != 12 {
		t.Errorf("named %d people, want the limit of 12", len(s.Who))
	}
}

func TestSummariseRoles(t *testing.T) {
	filler := strings.Repeat("The pipeline ran as it always does and left its usual trace in the journal of the host. ", 20)
	tests := []struct{ text, outcome, lesson string }{
		{"We decided to drop the journal of the host.", "We decided to drop the journal of the host.", ""},
		{"It turned out that the host had no journal.", "", "It turned out that the host had no journal."},
		{"Root cause: the journal of the host was full.", "", "Root cause: the journal of the host was full."},
		{"Decision: the host gets a bigger journal.", "Decision: the host gets a bigger journal.", ""},
		{"Lessons learned\n\nThe host needs a journal.", "", "The host needs a journal."},
		{"## Resolution\n### Details\nThe host got a journal.", "The host got a journal.", ""},
		{"The host has a journal.", "", ""},
		{"Have we decided to drop the journal?", "", ""},
	}
	for _, tt := range tests {
		s, err := summary.Summarise(filler+"\n\n"+tt.text, summary.Options{MinKeyTerms: 0.1})
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if got := strings.Join(s.Outcome, "|"); got != tt.outcome {
			t.Errorf("%q: outcome %q, want %q", tt.text, got, tt.outcome)
		}
		if got := strings.Join(s.KeyLearnings, "|"); got != tt.lesson {
			t.Errorf("%q: key learnings %q, want %q", tt.text, got, tt.lesson)
		}
	}
}

func TestSummariseLeavesOutRepetition(t *testing.T) {
	line := "2026-03-11T10:00:0%d.123Z ERROR db: connection refused by node-7\n"
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, line, i%10)
	}
	s, err := summary.Summarise(b.String(), summary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.WhatHappened) != 2 || !strings.Contains(s.WhatHappened[0], "connection refused by node-7") || s.WhatHappened[1] != "… 399 more entries" {
		t.Errorf("what happened = %q, want the line once and how many are left out", s.WhatHappened)
	}
}

func TestSummariseOneGiantLine(t *testing.T) {
	text := `{"events":[` + strings.Repeat(`{"msg":"connection to payments-db lost and retried by scheduler worker"},`, 60) + `{"msg":"gave up"}]}`
	s, err := summary.Summarise(text, summary.Options{MaxChars: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Cut || len(s.WhatHappened) == 0 {
		t.Fatalf("summary = %+v, want windows", s)
	}
	for _, w := range s.WhatHappened {
		if inner := strings.Trim(w, "…"); !strings.Contains(text, inner) || inner == w {
			t.Errorf("%q is no marked piece of the text", w)
		}
	}
}

func TestSummarisePrefersWholeSentences(t *testing.T) {
	text := incident + strings.Repeat("and the queue of the worker grew without an end in sight ", 30)
	s, err := summary.Summarise(text, summary.Options{MinKeyTerms: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if s.Cut || strings.Contains(s.Text(), "…") {
		t.Errorf("cut a sentence although whole ones suffice:\n%s", s.Text())
	}
}

func TestSummariseRefuses(t *testing.T) {
	var words strings.Builder // sixty terms, of which a short summary can't keep most
	for i := range 60 {
		fmt.Fprintf(&words, "alpha%d bravo%d charlie%d. Again alpha%d bravo%d charlie%d. ", i, i, i, i, i, i)
	}
	tests := []struct {
		name, text string
		options    summary.Options
		want       error
	}{
		{"empty", "", summary.Options{}, summary.ErrNotShorter},
		{"no words", strings.Repeat("... --- ", 2000), summary.Options{}, summary.ErrNotShorter},
		{"one short sentence", "The disk was full.", summary.Options{}, summary.ErrNotShorter},
		{"no room", incident, summary.Options{MaxChars: 40}, summary.ErrNotShorter},
		{"too little room", words.String(), summary.Options{MaxChars: 200}, summary.ErrTooFewKeyTerms},
		{"impossible share", words.String(), summary.Options{MinKeyTerms: 1.5}, summary.ErrTooFewKeyTerms},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := summary.Summarise(tt.text, tt.options)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error = %v, want %v", err, tt.want)
			}
			if s.Text() != "" {
				t.Errorf("a refusal came with a summary: %q", s.Text())
			}
		})
	}
}

func TestSummaryTextOmitsEmptySections(t *testing.T) {
	tests := []struct {
		s    summary.Summary
		want string
	}{
		{summary.Summary{}, ""},
		{summary.Summary{Who: []string{"Ann", "Bob"}}, "Who: Ann, Bob"},
		{summary.Summary{WhatHappened: []string{"It broke.", "no end", "終わった。", "次"}}, "What happened: It broke. no end\n終わった。次"},
		{summary.Summary{Outcome: []string{"Done."}, KeyLearnings: []string{"Test."}}, "Outcome: Done.\nKey learnings:\n- Test."},
	}
	for _, tt := range tests {
		if got := tt.s.Text(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func BenchmarkSummarise(b *testing.B) {
	text := strings.Repeat(incident, 10)
	text = text[:10_000]
	b.SetBytes(int64(utf8.RuneCountInString(text)))
	for b.Loop() {
		if _, err := summary.Summarise(text, summary.Options{Ref: ref}); err != nil {
			b.Fatal(err)
		}
	}
}
