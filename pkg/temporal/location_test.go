package temporal_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/temporal"
)

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
		t.Skip("SKIPPED: no time zone database here: ", err)
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

func TestDayOfMonthAcrossYears(t *testing.T) {
	for _, tt := range []struct{ text, ref, want string }{
		{"we will meet on the 5th", "2025-12-20", "2026-01-05"},
		{"we met on the 30th", "2026-01-10", "2025-12-30"},
		{"we will meet on the 31st", "2026-11-02", "2026-12-31"},
		{"I'll be back on Tuesday the 11th", "2016-11-07", "2017-04-11"},
		{"it was on Feb 29", "2026-03-11", "2024-02-29"},
	} {
		ref, err := time.Parse(time.DateOnly, tt.ref)
		if err != nil {
			t.Fatal(err)
		}
		got := temporal.Resolve(tt.text, ref)
		if len(got) != 1 || got[0].From.Format(time.DateOnly) != tt.want {
			t.Errorf("Resolve(%q, %s) = %+v, want %s", tt.text, tt.ref, got, tt.want)
		}
	}
}

// An annotated text reads like the original; dates in parentheses that Annotate
// would not have written there are dates of their own.
func TestResolveReadsNotes(t *testing.T) {
	golden{
		{"yesterday (2026-03-10) at 02:14", "2026-03-10 02:14 +1m minute relative"},
		{"two days after yesterday (2026-03-10)", "[two days after yesterday] 2026-03-12 +1d day relative; [2026-03-10] 2026-03-10 +1d day"},
		{"on Friday (2026-03-13)", "[Friday] 2026-03-13 +1d day relative likely; [2026-03-13] 2026-03-13 +1d day"},
		{"the release (2025-04) and more", "[2025-04] 2025-04-01 +30d month likely"},
	}.check(t)
}
