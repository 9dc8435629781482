package temporal_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/temporal"
)

// ref is a Wednesday afternoon.
var ref = time.Date(2026, 3, 11, 14, 30, 0, 0, time.UTC)

func TestResolve(t *testing.T) {
	day := func(from string) string { return from + " +1d day" }
	tests := []struct {
		text string
		want string // "FROM +LENGTH grain", "" for no expression
	}{
		{"fixed today", day("2026-03-11")},
		{"Yesterday it broke", day("2026-03-10")},
		{"YESTERDAY IT BROKE", day("2026-03-10")},
		{"ships tomorrow.", day("2026-03-12")},
		{"since the day before yesterday", day("2026-03-09")},
		{"day before yesterday", day("2026-03-09")},
		{"not before the day after tomorrow", day("2026-03-13")},
		{"yesterday's outage", day("2026-03-10")},
		{"last night", "2026-03-10 18:00 +6h daypart"},
		{"this morning", "2026-03-11 +12h daypart"},
		{"this afternoon", "2026-03-11 12:00 +6h daypart"},
		{"tonight", "2026-03-11 18:00 +6h daypart"},
		{"tomorrow evening", "2026-03-12 18:00 +6h daypart"},
		{"yesterday morning", "2026-03-10 +12h daypart"},

		{"three days ago", day("2026-03-08")},
		{"3 days ago", day("2026-03-08")},
		{"twenty-one days ago", day("2026-02-18")},
		{"a day ago", day("2026-03-10")},
		{"a couple of days ago", day("2026-03-09")},
		{"two weeks ago", "2026-02-23 +7d week"},
		{"a month ago", "2026-02-01 +28d month"},
		{"fourteen months ago", "2025-01-01 +31d month"},
		{"five years ago", "2021-01-01 +365d year"},
		{"2 quarters ago", "2025-07-01 +92d quarter"},
		{"an hour ago", "2026-03-11 13:30 +1h hour"},
		{"90 minutes ago", "2026-03-11 13:00 +1m minute"},
		{"ten days from now", day("2026-03-21")},
		{"In two weeks we migrate", "2026-03-23 +7d week"},
		{"we will be back in 3 days", day("2026-03-14")},

		{"last week", "2026-03-02 +7d week"},
		{"this week", "2026-03-09 +7d week"},
		{"next week", "2026-03-16 +7d week"},
		{"last\nweek", "2026-03-02 +7d week"},
		{"last month", "2026-02-01 +28d month"},
		{"next month", "2026-04-01 +30d month"},
		{"last quarter", "2025-10-01 +92d quarter"},
		{"this quarter", "2026-01-01 +90d quarter"},
		{"next quarter", "2026-04-01 +91d quarter"},
		{"last year", "2025-01-01 +365d year"},
		{"next year", "2027-01-01 +365d year"},
		{"last weekend", "2026-03-07 +2d weekend"},
		{"this weekend", "2026-03-14 +2d weekend"},
		{"last Friday", day("2026-03-06")},
		{"last wednesday", day("2026-03-04")},
		{"this Friday", day("2026-03-13")},
		{"this monday", day("2026-03-09")},
		{"next Friday", day("2026-03-13")},
		{"next Wednesday", day("2026-03-18")},
		{"next Tue", day("2026-03-17")},
		{"last Friday night", "2026-03-06 18:00 +6h daypart"},
		{"last May", "2025-05-01 +31d month"},
		{"next January", "2027-01-01 +31d month"},
		{"this June", "2026-06-01 +30d month"},

		{"on 2026-02-01 it broke", day("2026-02-01")},
		{"at 2026-02-01T10:20:30.5Z", "2026-02-01 10:20 +1m minute"},
		{"at 2026-02-01 10:20", "2026-02-01 10:20 +1m minute"},
		{"at 2026-02-01T10:20:30+02:00", "2026-02-01 08:20 +1m minute"},
		{"March 5, 2025", day("2025-03-05")},
		{"5 March 2025", day("2025-03-05")},
		{"the 5th of March", day("2026-03-05")},
		{"Dec. 28th", day("2025-12-28")},
		{"on Jan 3", day("2026-01-03")},
		{"may 25th, 2024", day("2024-05-25")},
		{"in February 2024", "2024-02-01 +29d month"},
		{"planned for Q3 2026", "2026-07-01 +92d quarter"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			spans := temporal.Resolve(tt.text, ref)
			if len(spans) != 1 {
				t.Fatalf("spans = %+v, want one", spans)
			}
			s := spans[0]
			if got := describe(s); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if tt.text[s.Start:s.End] != s.Text {
				t.Errorf("Text = %q, but the offsets say %q", s.Text, tt.text[s.Start:s.End])
			}
		})
	}
}

func describe(s temporal.Span) string {
	from := s.From.Format("2006-01-02 15:04")
	if s.From.Hour()+s.From.Minute() == 0 {
		from = s.From.Format("2006-01-02")
	}
	d := s.To.Sub(s.From)
	switch {
	case d%(24*time.Hour) == 0:
		return fmt.Sprintf("%s +%dd %s", from, d/(24*time.Hour), s.Grain)
	case d%time.Hour == 0:
		return fmt.Sprintf("%s +%dh %s", from, d/time.Hour, s.Grain)
	}
	return fmt.Sprintf("%s +%dm %s", from, d/time.Minute, s.Grain)
}

func TestResolveLeavesAlone(t *testing.T) {
	for _, text := range []string{
		"",
		"you may go", "May I ask?", "It may 5 times fail", "this may be it", "this May", "the 5 may fail",
		"we march on", "march 3 miles", "wait a second", "the second wave", "this second",
		"read USA Today", "Psychology Today says",
		"the last month", "in the last week", "the next day", "the last Friday of March", "last week of June",
		"every last week", "last Monday of March", "last 5 minutes", "last time", "next steps", "last version",
		"half an hour ago", "more than two years ago", "over 3 weeks ago", "1.5 years ago", "1,000 years ago",
		"one year, two months ago", "a year and two months ago", "2-3 days ago", "2 or 3 days ago", "5000 years ago",
		"a few days ago", "some years ago", "ago", "99999999999 days ago",
		"it finished in three days", "the job was done in 2 hours", "responds in 5 minutes", "tokens expire in 30 days",
		"will expire in 30 days after creation", "in two weeks' time",
		"`last week`", "run ``git log --since yesterday``", "```\nyesterday\n```", "~~~sh\necho today\n~~~\n",
		`he said "I did it yesterday"`, "“last week”", `see "notes from last week.md"`,
		"https://example.org/today", "docs/yesterday/notes", "today.md", "./today", "last_week", "today-only", "x=today",
		"#today", "@today", "v2026.3.11", "report-2026-03-11.csv", "2026-13-01", "2026-02-30", "12026-01-01", "today()",
		"1234-5678", "Feb 30", "31 June", "March 5,000", "Q5 2026", "Q1", "on Friday", "03/04/2026",
		"\xff\xfe", "last \xffweek",
	} {
		if spans := temporal.Resolve(text, ref); len(spans) > 0 {
			t.Errorf("Resolve(%q) found %q", text, spans[0].Text)
		}
	}
}

func TestResolveKeepsTheLocation(t *testing.T) {
	berlin := time.FixedZone("CET", 3600)
	ref := time.Date(2026, 3, 1, 0, 30, 0, 0, berlin) // still February in UTC
	got := temporal.Resolve("yesterday, not 2026-03-01", ref)
	if len(got) != 2 {
		t.Fatalf("spans = %+v, want two", got)
	}
	if want := time.Date(2026, 2, 28, 0, 0, 0, 0, berlin); !got[0].From.Equal(want) || got[0].From.Location() != berlin {
		t.Errorf("yesterday is %v, want %v", got[0].From, want)
	}
	if want := time.Date(2026, 3, 1, 0, 0, 0, 0, berlin); !got[1].From.Equal(want) || got[1].Relative {
		t.Errorf("second span = %+v, want the absolute day %v", got[1], want)
	}
}

func TestResolveDayOfClockChange(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zone database here: ", err)
	}
	s := temporal.Resolve("yesterday", time.Date(2026, 3, 30, 9, 0, 0, 0, zone))
	if len(s) != 1 || s[0].To.Sub(s[0].From) != 23*time.Hour {
		t.Errorf("the day the clocks go forward = %+v, want 23 hours", s)
	}
}

func TestResolveOrder(t *testing.T) {
	text := "Last week we planned it, yesterday we built it, and on 2026-04-01 it ships."
	var got []string
	for _, s := range temporal.Resolve(text, ref) {
		got = append(got, s.Text)
	}
	if want := "[Last week yesterday 2026-04-01]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestResolveOutsideTheCalendar(t *testing.T) {
	for _, ref := range []time.Time{time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if got := temporal.Resolve("yesterday", ref); got != nil {
			t.Errorf("ref %v: %+v, want none", ref, got)
		}
	}
	if got := temporal.Resolve("3 years ago", time.Date(2, 1, 1, 0, 0, 0, 0, time.UTC)); got != nil {
		t.Errorf("before year 1: %+v, want none", got)
	}
}
