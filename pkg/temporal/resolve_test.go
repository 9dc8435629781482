package temporal_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/temporal"
)

// ref is a Wednesday afternoon.
var ref = time.Date(2026, 3, 11, 14, 30, 0, 0, time.UTC)

// golden is a text and what is found in it: for each span its text in brackets,
// unless it is the whole, then the interval's start, length and grain, and what
// sets the span apart from a plain, sure point of the calendar.
type golden []struct{ text, want string }

func (g golden) check(t *testing.T) {
	t.Helper()
	for _, tt := range g {
		var got []string
		for _, s := range temporal.Resolve(tt.text, ref) {
			if tt.text[s.Start:s.End] != s.Text {
				t.Errorf("%q: Text = %q, but the offsets say %q", tt.text, s.Text, tt.text[s.Start:s.End])
			}
			d := describe(s)
			if s.Text != tt.text {
				d = "[" + s.Text + "] " + d
			}
			got = append(got, d)
		}
		if got := strings.Join(got, "; "); got != tt.want {
			t.Errorf("Resolve(%q)\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func describe(s temporal.Span) string {
	layout := "2006-01-02 15:04"
	if s.From.Hour()+s.From.Minute() == 0 {
		layout = "2006-01-02"
	}
	d := s.To.Sub(s.From)
	length := fmt.Sprintf("+%dm", d/time.Minute)
	switch {
	case d%(24*time.Hour) == 0:
		length = fmt.Sprintf("+%dd", d/(24*time.Hour))
	case d%time.Hour == 0:
		length = fmt.Sprintf("+%dh", d/time.Hour)
	}
	words := []string{s.From.Format(layout), length, s.Grain}
	if s.Shape != temporal.Point {
		words = append(words, s.Shape.String())
	}
	if s.Relative {
		words = append(words, "relative")
	}
	if s.Confidence != temporal.Sure {
		words = append(words, s.Confidence.String())
	}
	return strings.Join(words, " ")
}

func TestRelative(t *testing.T) {
	golden{
		{"fixed today", "[today] 2026-03-11 +1d day relative"},
		{"Yesterday it broke", "[Yesterday] 2026-03-10 +1d day relative"},
		{"YESTERDAY IT BROKE", "[YESTERDAY] 2026-03-10 +1d day relative"},
		{"ships tomorrow.", "[tomorrow] 2026-03-12 +1d day relative"},
		{"day before yesterday", "2026-03-09 +1d day relative"},
		{"since the day before yesterday", "[the day before yesterday] 2026-03-09 +1d day since relative"},
		{"before the day after tomorrow", "[the day after tomorrow] 2026-03-13 +1d day before relative"},
		{"yesterday's outage", "[yesterday's] 2026-03-10 +1d day relative"},
		{"the week before last", "2026-02-23 +7d week relative"},
		{"the month after next", "2026-05-01 +31d month relative"},
		{"the weekend before last", "2026-02-28 +2d weekend relative"},
		{"last night", "2026-03-10 18:00 +6h daypart relative"},
		{"tonight", "2026-03-11 18:00 +6h daypart relative"},
		{"this morning", "2026-03-11 +12h daypart relative"},
		{"early this morning", "2026-03-11 +6h range relative likely"},
		{"late last night", "2026-03-10 21:00 +3h range relative likely"},
		{"tomorrow evening", "2026-03-12 18:00 +6h daypart relative"},
		{"Friday night", "2026-03-13 18:00 +6h daypart relative likely"},
		{"three days ago", "2026-03-08 +1d day relative"},
		{"twenty-one days ago", "2026-02-18 +1d day relative"},
		{"a day ago", "2026-03-10 +1d day relative"},
		{"a couple of days ago", "2026-03-09 +1d day relative"},
		{"a few days ago", "2026-03-08 +1d day relative likely"},
		{"several weeks ago", "2026-02-09 +7d week relative likely"},
		{"two or three days ago", "2026-03-09 +1d day relative likely"},
		{"10-12 days ago", "2026-03-01 +1d day relative likely"},
		{"two weeks ago", "2026-02-23 +7d week relative"},
		{"a month ago", "2026-02-01 +28d month relative"},
		{"five years ago", "2021-01-01 +365d year relative"},
		{"a decade ago", "2016-01-01 +366d year relative"},
		{"a fortnight ago", "2026-02-25 +1d day relative"},
		{"2 quarters ago", "2025-07-01 +92d quarter relative"},
		{"more than two years ago", "[two years ago] 2024-01-01 +366d year relative likely"},
		{"about a month ago", "[a month ago] 2026-02-01 +28d month relative likely"},
		{"half an hour ago", "2026-03-11 14:00 +1m minute relative"},
		{"an hour and a half ago", "2026-03-11 13:00 +1m minute relative"},
		{"an hour ago", "2026-03-11 13:30 +1h hour relative"},
		{"90 minutes ago", "2026-03-11 13:00 +1m minute relative"},
		{"1.5 years ago", "2024-09-11 +1d day relative likely"},
		{"one year, two months ago", "2025-01-11 +1d day relative likely"},
		{"2 days and 3 hours ago", "2026-03-09 +1d day relative"},
		{"1d ago", "2026-03-10 +1d day relative"},
		{"5min ago", "2026-03-11 14:25 +1m minute relative"},
		{"two weekends ago", "2026-02-28 +2d weekend relative"},
		{"two Thursdays ago", "2026-02-26 +1d day relative likely"},
		{"ten days from now", "2026-03-21 +1d day relative"},
		{"two days after today", "2026-03-13 +1d day relative"},
		{"a week after tomorrow", "2026-03-19 +1d day relative"},
		{"3 days from Tuesday", "2026-03-20 +1d day relative likely"},
		{"two months before 2 February", "2025-12-02 +1d day likely"},
		{"the day after Christmas", "2026-12-26 +1d day likely"},
		{"a week later", "2026-03-16 +7d week relative guess"},
		{"In two weeks we migrate", "[In two weeks] 2026-03-23 +7d week relative"},
		{"we will be back in 3 days", "[in 3 days] 2026-03-14 +1d day relative"},
		{"see you in two weeks' time", "[in two weeks' time] 2026-03-23 +7d week relative likely"},
		{"within 2 weeks", "2026-03-11 14:30 +14d range range relative likely"},
		{"after 4 days", "2026-03-15 +1d day relative guess"},
		{"the night before last", "2026-03-09 18:00 +6h daypart relative"},
		{"early tomorrow morning", "2026-03-12 +6h range relative likely"},
		{"three months hence", "2026-06-01 +30d month relative"},
		{"a year or so ago", "2025-01-01 +365d year relative likely"},
		{"3 years ago today", "2023-03-11 +1d day relative"},
		{"a week ago Friday", "2026-02-27 +1d day relative likely"},
		{"the day before", "2026-03-10 +1d day relative guess"},
		{"I got her last year, she is great", "[last year] 2025-01-01 +365d year relative"},
	}.check(t)
}

func TestSteps(t *testing.T) {
	golden{
		{"last week", "2026-03-02 +7d week relative"},
		{"last\nweek", "2026-03-02 +7d week relative"},
		{"the last week", "2026-03-02 +7d week relative likely"},
		{"in the last week", "[the last week] 2026-03-04 +8d range range relative likely"},
		{"the past week", "2026-03-02 +7d week relative likely"},
		{"this past week", "2026-03-02 +7d week relative likely"},
		{"this week", "2026-03-09 +7d week relative"},
		{"next week", "2026-03-16 +7d week relative"},
		{"last month", "2026-02-01 +28d month relative"},
		{"next quarter", "2026-04-01 +91d quarter relative"},
		{"this quarter", "2026-01-01 +90d quarter relative"},
		{"the following week", "2026-03-16 +7d week relative likely"},
		{"previous year", "2025-01-01 +365d year relative likely"},
		{"next year", "2027-01-01 +365d year relative"},
		{"last weekend", "2026-03-07 +2d weekend relative"},
		{"this weekend", "2026-03-14 +2d weekend relative"},
		{"next weekend", "2026-03-21 +2d weekend relative likely"},
		{"last Friday", "2026-03-06 +1d day relative"},
		{"last Wednesday", "2026-03-04 +1d day relative"},
		{"last Monday", "2026-03-09 +1d day relative likely"},
		{"next Friday", "2026-03-20 +1d day relative likely"},
		{"next Monday", "2026-03-16 +1d day relative"},
		{"next Tue", "2026-03-17 +1d day relative"},
		{"next Wednesday", "2026-03-18 +1d day relative"},
		{"this Friday", "2026-03-13 +1d day relative"},
		{"this monday", "2026-03-09 +1d day relative likely"},
		{"coming Friday", "2026-03-13 +1d day relative likely"},
		{"last Friday night", "2026-03-06 18:00 +6h daypart relative"},
		{"last May", "2025-05-01 +31d month relative"},
		{"next January", "2027-01-01 +31d month relative"},
		{"this June", "2026-06-01 +30d month relative"},
		{"last summer", "2025-06-01 +92d season relative likely"},
		{"next winter", "2026-12-01 +90d season relative likely"},
		{"this decade", "2020-01-01 +3653d decade relative"},
		{"last century", "1900-01-01 +36524d century relative"},
		{"next month on the 3rd", "2026-04-03 +1d day relative"},
		{"now - 2 hours", "2026-03-11 12:30 +1h hour relative"},
		{"three Fridays from now", "2026-03-27 +1d day relative likely"},
		{"the next day", "2026-03-12 +1d day relative likely"},
		{"the last two weeks", "2026-02-25 +15d range range relative likely"},
		{"for the past three months", "[the past three months] 2025-12-11 +91d range range relative likely"},
		{"the next 5 days", "2026-03-12 +5d range range relative likely"},
		{"in the next 5 minutes", "[the next 5 minutes] 2026-03-11 14:30 +5m range range relative likely"},
		{"in the last hour", "[the last hour] 2026-03-11 13:30 +1h range range relative likely"},
		{"2 upcoming months", "2026-03-12 +61d range range relative likely"},
	}.check(t)
}

func TestWeekdays(t *testing.T) {
	golden{
		{"we met on Friday", "[Friday] 2026-03-06 +1d day relative likely"},
		{"we will meet on Friday", "[Friday] 2026-03-13 +1d day relative likely"},
		{"see you on Friday", "[Friday] 2026-03-13 +1d day relative likely"},
		{"On Friday, I got great news", "[Friday] 2026-03-06 +1d day relative likely"},
		{"the team deployed Friday", "[Friday] 2026-03-06 +1d day relative likely"},
		{"the meeting was moved to Friday", "[Friday] 2026-03-13 +1d day relative likely"},
		{"I will send what we discussed on Friday", "[Friday] 2026-03-06 +1d day relative likely"},
		{"won't work on Friday", "[Friday] 2026-03-13 +1d day relative likely"},
		{"Friday: retrospective", "[Friday] 2026-03-13 +1d day relative likely"},
		{"it failed on Wednesday", "[Wednesday] 2026-03-11 +1d day relative likely"},
		{"Monday of next week", "2026-03-16 +1d day relative"},
		{"Wednesday next week", "2026-03-18 +1d day relative"},
		{"next week Tuesday", "2026-03-17 +1d day relative"},
		{"this week on Friday", "2026-03-13 +1d day relative"},
		{"Monday after next", "2026-03-23 +1d day relative likely"},
		{"Friday the 13th", "2026-03-13 +1d day relative likely"},
		{"Mon 16th", "2026-03-16 +1d day relative likely"},
		{"we spoke on the 5th", "[the 5th] 2026-03-05 +1d day relative likely"},
		{"it's due on the 5th", "[the 5th] 2026-04-05 +1d day relative likely"},
		{"Friday 3/13", "2026-03-13 +1d day likely"},
		{"Friday, March 13", "2026-03-13 +1d day likely"},
		{"Fri 13 Mar 2026", "2026-03-13 +1d day"},
		{"14 December 2012, Friday", "2012-12-14 +1d day"},
		{"the Friday before last", "[Friday before last] 2026-02-27 +1d day relative likely"},
		{"last week's sunday", "2026-03-08 +1d day relative"},
		{"last year's Christmas", "2025-12-25 +1d day relative"},
		{"the 20th of next month", "2026-04-20 +1d day relative"},
		{"is closed Friday", "[Friday] 2026-03-13 +1d day relative likely"},
		{"so excited for Friday!", "[Friday] 2026-03-13 +1d day relative likely"},
		{"the shop opens Friday", "[Friday] 2026-03-13 +1d day relative likely"},
		{"it was to be released on Friday", "[Friday] 2026-03-13 +1d day relative likely"},
		{"how about friday night or sat?", "[friday night] 2026-03-13 18:00 +6h daypart relative likely; [sat] 2026-03-14 +1d day relative likely"},
		{"Sunday 3/22", "2026-03-22 +1d day likely"},
		{"Mon-Fri", "2026-03-16 +5d range range relative likely"},
	}.check(t)
}
