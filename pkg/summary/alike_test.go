package summary_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/summary"
)

// TestAlikeSentences holds a text that says one thing of two hundred items: some stand in the
// summary, the last one too, and a mark says how many don't.
func TestAlikeSentences(t *testing.T) {
	for name, glue := range map[string]string{"paragraph": " ", "lines": "\n", "list": "\n- "} {
		t.Run(name, func(t *testing.T) {
			var steps []string
			for i := range 200 {
				steps = append(steps, fmt.Sprintf("On step %d Alice restarted worker-%d because the queue q%d had %d messages.", i, i, i, 7*i+3))
			}
			s, err := summary.Summarise(strings.TrimLeft(glue, "\n ")+strings.Join(steps, glue), summary.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := s.Text()
			shown := strings.Count(got, "Alice restarted")
			mark := summary.MarkAlike(200 - shown)
			if name == "list" {
				mark = summary.Mark(200 - shown)
			}
			if shown < 7 || len(got) < 700 || !strings.Contains(got, "worker-0 ") || !strings.Contains(got, "worker-199 ") || !strings.Contains(got, mark) {
				t.Errorf("%d of 200 steps in %d bytes, without the mark %q, the first or the last one:\n%s", shown, len(got), mark, got)
			}
			if s.FactsKept > 6*shown {
				t.Errorf("%d facts shown of %d steps", s.FactsKept, shown)
			}
		})
	}
}

// TestFactsAmidFiller holds what a long text says once to its place in the summary, whatever
// is said over and over around it.
func TestFactsAmidFiller(t *testing.T) {
	facts := []string{"The root cause was an expired certificate on orders-db-2.", "Nobody may restart the broker without asking Ruth Adler.",
		"We lost 41 payments, which are retried at 13:00.", "The gateway listens on port 8443 from now on."}
	people := []string{"Priya", "Jonas", "Ines", "Omar", "Karim"}
	services := []string{"checkout", "basket", "pricing", "mailer", "search", "ledger", "catalogue"}
	for name, filler := range map[string]func(i int) string{
		"names": func(i int) string {
			return fmt.Sprintf("%s restarted the local stack and waited for the cache.", people[i%len(people)])
		},
		"services": func(i int) string {
			return fmt.Sprintf("The figures of the service %s were looked at and flat.", services[i%len(services)])
		},
		"numbers": func(i int) string {
			return fmt.Sprintf("The build took about %d minutes, which is usual at that time.", i)
		},
		"everything": func(i int) string {
			return fmt.Sprintf("%s %s the %s of %s %s.", people[i%5], []string{"compared", "reviewed", "opened"}[i%3],
				[]string{"graphs", "traces", "alerts", "invoices"}[i/2%4], services[i/3%7], []string{"which took 40 minutes", "before lunch at 12:15", "with Karim and Ines", "and went on to search-7"}[i/5%4])
		},
		"log": func(i int) string {
			return fmt.Sprintf("10:%02d info %s: request served in %d ms", i%60, services[i%7], i)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			for i := range 120 {
				lines = append(lines, filler(i))
				if i%30 == 17 {
					line := facts[i/30]
					if name == "log" {
						line = "10:59 warn ledger: " + line
					}
					lines = append(lines, line)
				}
			}
			glue := " "
			if name == "log" {
				glue = "\n"
			}
			s, err := summary.Summarise(strings.Join(lines, glue), summary.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, fact := range facts {
				if !strings.Contains(s.Text(), fact) {
					t.Errorf("%q is missing in:\n%s", fact, s.Text())
				}
			}
		})
	}
}

// TestMail holds a wrapped mail to its paragraphs: header, signature and the marks of
// quotations aren't part of what it says.
func TestMail(t *testing.T) {
	mail := `From: Karim Haddad <karim@example.test>
To: ops@example.test
Date: Tue, 3 Mar 2026 09:12:44 +0100
Subject: Re: payment gateway

I want to write down what we agreed on this morning. The customers of the
branch wait for the page, so the timeout of the retry queue is lowered to
45 seconds, which Jonas rolls out.

> We should also tell the support team that the banner of the shop says
> 30 minutes, which is no longer true.

-- 
Karim Haddad | Platform | +49 30 1234567
`
	got := summary.Sentences(mail)
	text := strings.Join(got, "|")
	for _, want := range []string{"is lowered to\n45 seconds, which Jonas rolls out.", "says\n> 30 minutes, which is no longer true."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is cut in %q", want, got)
		}
	}
	flat := summary.Flat(mail, "", 80, ref)
	for _, not := range []string{"ops@example.test", "+49 30", "09:12:44"} {
		if strings.Contains(flat, not) {
			t.Errorf("%q is in %q", not, flat)
		}
	}
	if s, err := summary.Summarise(strings.Repeat(mail, 2), summary.Options{MinKeyTerms: .1}); err == nil && len(s.Who) > 0 && s.Who[0] == "From" {
		t.Errorf("who: %q", s.Who)
	}
}
