package temporal_test

import (
	"testing"

	"github.com/memoryd/memoryd/pkg/temporal"
)

// falseFriends look like expressions of time and are none.
var falseFriends = []string{
	"",
	// words that are also something else
	"you may go", "May I ask?", "It may 5 times fail", "this may be it", "the 5 may fail", "may or may not", "that may be 2026 rows",
	"we march on", "the end may come", "march 3 miles", "to march", "wait a second", "the second wave", "this second", "a second method", "in a second method",
	"I sat down", "sat sun", "The Sun sets", "sun exposure", "the fall of Rome", "prices fall", "spring to life", "Spring Boot", "a spring in the step",
	"Jan went home", "Ask Mark", "dec the halls", "mon ami", "we wed soon", "she jun", "June Carter sang", "a quarter of them", "a second half",
	"read USA Today", "Psychology Today says", "now we use it", "it works right now that",
	"good morning", "Good night!", "every morning", "all night", "every Friday", "on Fridays", "each March", "once a weekend", "last time", "next steps",
	"last version", "a long time ago", "years ago", "ago", "recently", "someday", "one day", "the other day",
	// lengths of time
	"it finished in three days", "the job was done in 2 hours", "responds in 5 minutes", "tokens expire in 30 days", "for 5 minutes",
	"a 3-day trip", "24h vs 30d", "99999999999 days ago",
	// numbers
	"2000 pieces", "deliver 2000 toys", "in 2000 cases", "in 1850 cases", "a total of 1500.", "port 2022 is open", "room 2015", "$2000", "Pay ABC 2000", "error 2003", "1234-5678",
	"v1.2.3", "version 2.10.2025", "Go 1.26", "192.168.2.1", "10.0.0.1:8080", "1999.12", "12026-01-01", "tel: 138-2010-2015", "123-12-1234",
	"3 30", "two three", "three twenty", "4a", "Step 3a", "the 5th floor", "on the 5th attempt", "March 5,000", "3-5 times", "from 2 to 4 users",
	"between 5 and 6 percent", "2 to 1", "1/2 of the users", "24/7 support", "9/11 attacks", "won 3:1", "John 3:16", "650-650-6500", "5-10",
	// no such day
	"2026-13-01", "2026-02-30", "2015-1-32", "Feb 30", "32/13/2026", "25:61", "2026-W54",
	// code, names of files and of things
	"`last week`", "run ``git log --since yesterday``", "```\nyesterday\n```", "~~~sh\necho today\n~~~\n",
	`see "docs/last-week.md"`, "https://example.org/today", "docs/yesterday/notes", "today.md", "./today", "last_week", "today-only", "x=today",
	"#today", "@today", "v2026.3.11", "report-2026-03-11.csv", "backup_2026-03-11.tar.gz", "today()", "yesterday[0]",
	"\xff\xfe", "last \xffweek",
}

func TestFalseFriends(t *testing.T) {
	for _, text := range falseFriends {
		for _, s := range temporal.Resolve(text, ref) {
			t.Errorf("Resolve(%q) found %q: %s", text, s.Text, describe(s))
		}
	}
}

// Expressions of which the reader knows more than the rules do: resolved, but
// never annotated.
func TestAnnotateNeverGuesses(t *testing.T) {
	for _, text := range []string{
		"on Friday", "we met on Friday", "next Friday", "last Monday", "next weekend", "this monday", "on the 5th", "in March", "last summer",
		"the last month", "in the last week", "the next day", "over the past week", "the last 3 days", "the following week",
		"the last Friday of March", "last week of June", "last Monday of March", "the end of the month",
		"more than two years ago", "over 3 weeks ago", "a few days ago", "some years ago", "2-3 days ago", "2 or 3 days ago", "1.5 years ago",
		"one year, two months ago", "will expire in 30 days after creation", "a week later", "within two days", "see you in a week", "there are 24 hours in a day", "in a minute", "a second ago", "a few minutes ago",
		"at 3pm", "at night", "the weekend", "half past three", "9:30 - 11:00", "right now", "from today to Friday", "for two years now",
		`he said "I did it yesterday"`, "“last week”", "«today»", `the error was "expired 3 days ago"`,
		"March 5", "Q1", "2026-03-11", "03/04/2026", "13 March 2026 at 3pm", "3 to 5 May", "since 2019", "Christmas", "the 1990s", "summer 2019",
	} {
		if got := temporal.Annotate(text, ref); got != text {
			t.Errorf("Annotate(%q) = %q, want it left alone", text, got)
		}
	}
}
