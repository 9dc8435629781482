package trigger

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/rules"
)

func settings(weekly, interval string) config.Settings {
	c := config.Default()
	c.Triggers.Weekly, c.Triggers.Interval = weekly, interval
	return c
}

// look is Look with a state that went through its file.
func look(t interface{ Fatal(...any) }, s *State, c config.Settings, f Facts, now time.Time, loc *time.Location) []Due {
	due, next, err := Look(c, *s, f, now, loc)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := next.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if *s, err = ParseState(doc); err != nil {
		t.Fatal(err)
	}
	if !s.Equal(next) {
		t.Fatal("the state is not what was stored")
	}
	return due
}

// TestYear goes through a year, half-hour by half-hour: every day has its run, in every
// zone, at the first minute that shows the time or, where none does, at the change.
func TestYear(t *testing.T) {
	for _, name := range zones {
		loc := zone(t, name)
		for _, daily := range []string{"0 0 * * *", "30 2 * * *", "30 1 * * *", "45 1 * * *"} {
			c, s := settings(daily, ""), State{}
			days, last := map[string]bool{}, time.Date(2027, 1, 1, 12, 0, 0, 0, loc)
			for at := time.Date(2026, 1, 1, 12, 0, 0, 0, loc); at.Before(last); at = at.Add(30 * time.Minute) {
				due, next, err := Look(c, s, Facts{}, at, loc)
				if err != nil {
					t.Fatal(err)
				}
				s = next
				for _, d := range due {
					day := d.Slot[:10]
					if days[day] {
						t.Fatalf("%s, %q: %s was run twice", name, daily, d.Slot)
					}
					if want := at.In(loc).Format(time.DateOnly); day != want {
						t.Fatalf("%s, %q: %s was run on %s", name, daily, d.Slot, want)
					}
					days[day] = true
					s = s.Done(d, at)
				}
			}
			if len(days) != 365 {
				t.Errorf("%s, %q: %d runs in a year", name, daily, len(days))
			}
		}
	}
}

// TestOncePerSlot goes through a year in which the machine sleeps, is down, has its
// clock set back by up to a day, and runs fail: no slot is run twice, and whenever
// it looks, the latest slot has been run or will be tried again.
func TestOncePerSlot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loc := zone(t, rapid.SampledFrom(zones).Draw(t, "zone"))
		expression := rapid.SampledFrom([]string{"0 0 * * 0", "30 2 * * *", "0 */6 * * *", "30 1 * * 0"}).Draw(t, "schedule")
		schedule, err := ParseSchedule(expression)
		if err != nil {
			t.Fatal(err)
		}
		c, s := settings(expression, ""), State{}
		at := time.Date(2026, 1, 1, 12, 0, 0, 0, loc)
		look(t, &s, c, Facts{}, at, loc)
		begun, done, highest, farthest := schedule.latest(at, loc), map[string]bool{}, time.Time{}, at
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0: // off for weeks
				at = at.Add(time.Duration(rapid.IntRange(1, 40*24).Draw(t, "down")) * time.Hour)
			case 1:
				at = latestOf(at.Add(-time.Duration(rapid.IntRange(1, 24*60).Draw(t, "back"))*time.Minute), farthest.Add(-24*time.Hour))
			default:
				at = at.Add(time.Duration(rapid.IntRange(1, 8*60).Draw(t, "on")) * time.Minute)
			}
			farthest = latestOf(farthest, at)
			for _, d := range look(t, &s, c, Facts{}, at, loc) {
				if done[d.Slot] {
					t.Fatalf("%s was run twice", d.Slot)
				}
				if d.Attempt <= 3 && rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
					s, _ = s.Fail(d, 3, at)
					continue
				}
				s, done[d.Slot] = s.Done(d, at), true
			}
			latest := schedule.latest(at, loc)
			if latest.After(highest) {
				highest = latest
			}
			if latest.Equal(highest) && latest.After(begun) && !done[latest.Format(slotForm)] && len(s.Failed) == 0 {
				t.Fatalf("at %s the slot %s is neither done nor tried again", at, latest)
			}
		}
	})
}

func TestFirstLookOwesNothing(t *testing.T) {
	now := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	c, s := settings("0 0 * * 0", "5m"), State{}
	if due := look(t, &s, c, Facts{}, now, time.UTC); len(due) != 0 {
		t.Fatalf("due at the first look: %+v", due)
	}
	if due := look(t, &s, settings("0 0 * * 3", "7m"), Facts{}, now.Add(6*time.Minute), time.UTC); len(due) != 0 {
		t.Fatalf("due with a new schedule: %+v", due)
	}
	if due := look(t, &s, settings("", ""), Facts{}, now.Add(240*time.Hour), time.UTC); len(due) != 0 || len(s.Clock) != 0 {
		t.Fatalf("due when switched off: %+v, %+v", due, s.Clock)
	}
}

func TestClockFarAhead(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) // a Sunday
	c, s := settings("0 0 * * 0", ""), State{}
	look(t, &s, c, Facts{}, now.AddDate(3, 0, 0), time.UTC) // the clock was wrong by years
	look(t, &s, c, Facts{}, now.Add(time.Hour), time.UTC)
	due := look(t, &s, c, Facts{}, now.AddDate(0, 0, 7), time.UTC)
	if len(due) != 1 || due[0].Slot != "2026-03-08T00:00" {
		t.Fatalf("after the clock was mended: %+v", due)
	}
}

func TestInterval(t *testing.T) {
	now := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	c, s := settings("", "5m"), State{}
	for i, want := range []struct {
		minute int
		due    bool
	}{{0, false}, {4, false}, {5, true}, {9, false}, {180, true}, {184, false}, {100, false}, {104, false}, {105, true}} {
		at := now.Add(time.Duration(want.minute) * time.Minute)
		due := look(t, &s, c, Facts{}, at, time.UTC)
		if (len(due) == 1) != want.due {
			t.Fatalf("step %d, minute %d: due %+v", i, want.minute, due)
		}
		for _, d := range due {
			s = s.Done(d, at)
		}
	}
}

func TestOncePerCrossing(t *testing.T) {
	const index = "global/_index.json"
	now := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	c, s := settings("", ""), State{}
	for i, step := range []struct {
		hour, entries int
		due           bool
	}{
		{0, 100, false}, {0, 101, true}, {1, 101, false}, {2, 200, false}, {2, 201, true}, {3, 300, false},
		{4, 100, false}, {5, 101, true}, // fell to the limit
		{28, 101, false}, {29, 101, true}, {30, 150, false}, // a day has passed
		{31, 120, false}, {32, 219, true},
		{33, 190, false}, {34, 289, false}, {35, 290, true}, // grew since it was smallest
		{2, 290, false}, {3, 390, true}, // the clock was set back
	} {
		at := now.Add(time.Duration(step.hour) * time.Hour)
		due := look(t, &s, c, Facts{Indexes: map[string]int{index: step.entries}}, at, time.UTC)
		if (len(due) == 1) != step.due {
			t.Fatalf("step %d, %d entries in hour %d: due %+v, %+v", i, step.entries, step.hour, due, s.Crossed)
		}
		for _, d := range due {
			if d.Trigger != rules.IndexOverflow || d.Index != index || !d.Heavy() {
				t.Fatalf("due: %+v", d)
			}
			s = s.Done(d, at)
		}
	}
	look(t, &s, c, Facts{}, now, time.UTC)
	if len(s.Crossed) != 0 {
		t.Errorf("an index that is gone is remembered: %+v", s.Crossed)
	}
}

func TestThreshold(t *testing.T) {
	now := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	c, s := settings("", ""), State{}
	if due := look(t, &s, c, Facts{Working: 5000}, now, time.UTC); len(due) != 0 {
		t.Fatalf("switched off, but due: %+v", due)
	}
	c.Triggers.Threshold = true
	for i, step := range []struct {
		working int
		due     bool
	}{{1000, false}, {1001, true}, {1500, false}, {2000, false}, {2001, true}, {10, false}, {1001, true}} {
		due := look(t, &s, c, Facts{Working: step.working}, now, time.UTC)
		if (len(due) == 1) != step.due {
			t.Fatalf("step %d: due %+v", i, due)
		}
		for _, d := range due {
			s = s.Done(d, now)
		}
	}
}

func TestRetries(t *testing.T) {
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	c, s := settings("0 0 * * 0", ""), State{}
	look(t, &s, c, Facts{}, at.Add(-time.Minute), time.UTC)
	var delays []time.Duration
	for range 3 {
		due := look(t, &s, c, Facts{}, at, time.UTC)
		if len(due) != 1 {
			t.Fatalf("attempt %d is not due", len(delays)+1)
		}
		var givenUp bool
		if s, givenUp = s.Fail(due[0], c.Triggers.Retries, at); givenUp {
			t.Fatalf("given up after %d attempts", due[0].Attempt)
		}
		again := s.Failed[due[0].Key()].Again
		if due := look(t, &s, c, Facts{}, again.Add(-time.Second), time.UTC); len(due) != 0 {
			t.Fatalf("due before its time: %+v", due)
		}
		delays, at = append(delays, again.Sub(at)), again
	}
	if delays[0] >= delays[1] || delays[1] >= delays[2] {
		t.Errorf("the delays don't grow: %s", delays)
	}
	due := look(t, &s, c, Facts{}, at, time.UTC)
	s, givenUp := s.Fail(due[0], c.Triggers.Retries, at)
	if !givenUp {
		t.Error("not given up")
	}
	if due := look(t, &s, c, Facts{}, at.Add(time.Hour), time.UTC); len(due) != 0 {
		t.Errorf("due after it was given up: %+v", due)
	}
}

func TestReady(t *testing.T) {
	c := settings("", "")
	since := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct{ change, want time.Duration }{
		{-time.Hour, 0}, {-10 * time.Second, 20 * time.Second}, {time.Minute, 90 * time.Second}, {20 * time.Minute, 15 * time.Minute},
	} {
		if got := Ready(c.Triggers, since, since.Add(test.change)).Sub(since); got != test.want {
			t.Errorf("changed after %s: ready after %s, want %s", test.change, got, test.want)
		}
	}
}

func TestUpcoming(t *testing.T) {
	loc := zone(t, "Europe/Berlin")
	now := time.Date(2026, 3, 25, 9, 0, 0, 0, loc)
	c, s := settings("0 0 * * 0", "30 2 * * *"), State{}
	look(t, &s, c, Facts{}, now.AddDate(0, 0, -1), loc)
	next, err := Upcoming(c, s, Facts{}, now, loc)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ trigger, at string }{{rules.Interval, "2026-03-25T09:00"}, {rules.Interval, "2026-03-26T02:30"}, {rules.Weekly, "2026-03-29T00:00"}, {rules.IndexOverflow, "0001-01-01T00:00"}, {rules.SessionEnd, "0001-01-01T00:00"}}
	if len(next) != len(want) {
		t.Fatalf("upcoming: %+v", next)
	}
	for i, n := range next {
		if n.Trigger != want[i].trigger || n.At.Format(slotForm) != want[i].at {
			t.Errorf("%d: %s at %s, want %v", i, n.Trigger, n.At, want[i])
		}
	}
}

func FuzzParseState(f *testing.F) {
	f.Add([]byte(`{"version":"1.0.0","clock":{"weekly":{"schedule":"0 0 * * 0","slot":"2026-03-01T00:00","at":"2026-03-01T00:00:01Z"}}}`))
	f.Add([]byte(`{"clock":{"weekly":{"schedule":"0 0 * * 0","slot":"x"}},"crossed":{"a":{"count":-1}},"failed":{"weekly ":{"times":-4}}}`))
	now := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, doc []byte) {
		s, err := ParseState(doc)
		if err != nil {
			return
		}
		c := settings("0 0 * * 0", "5m")
		due, s, err := Look(c, s, Facts{Indexes: map[string]int{"a": 500}}, now, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range due {
			s = s.Done(d, now)
		}
		if due, _, _ := Look(c, s, Facts{Indexes: map[string]int{"a": 500}}, now, time.UTC); len(due) > 0 {
			t.Fatalf("still due: %+v", due)
		}
	})
}
