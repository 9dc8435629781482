package trigger

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var zones = []string{"UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kolkata", "Pacific/Apia", "Africa/Cairo", "America/Santiago"}

func zone(t interface{ Fatal(...any) }, name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// TestReached compares with the definition: going through the minutes, the first
// at which the clock shows so much.
func TestReached(t *testing.T) {
	for _, name := range zones {
		loc := zone(t, name)
		for _, year := range []int{2011, 2018, 2026} { // Samoa skipped a day in 2011, Sao Paulo its midnights until 2018
			highest := time.Time{}
			for at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() == year; at = at.Add(15 * time.Minute) {
				shown := wall(at, loc)
				if !highest.IsZero() && shown.After(highest) {
					for w := highest.Add(15 * time.Minute); !w.After(shown); w = w.Add(15 * time.Minute) {
						if got := reached(w, loc); !got.Equal(at) {
							t.Fatalf("%s: the clock first reaches %s at %s, not %s", name, w.Format(slotForm), at, got.UTC())
						}
					}
				}
				if shown.After(highest) {
					highest = shown
				}
			}
		}
	}
}

func TestParseScheduleRefuses(t *testing.T) {
	for _, text := range []string{"", "TZ=", "CRON_TZ=UTC 0 0 * * *", "TZ=UTC", "* * * *", "@reboot", "0 0 * * 8", "61 * * * *"} {
		if _, err := ParseSchedule(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func FuzzParseSchedule(f *testing.F) {
	for _, text := range []string{"0 0 * * 0", "@every 5m0s", "*/7 3-5 1,2 jan *", "CRON_TZ=X", "0 0 31 2 *"} {
		f.Add(text)
	}
	now := time.Date(2026, 3, 8, 7, 0, 0, 0, time.UTC)
	loc, err := time.LoadLocation("America/New_York")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSchedule(text)
		if err != nil || s.every > 0 {
			return
		}
		latest := s.latest(now, loc)
		if latest.IsZero() {
			return
		}
		if reached(latest, loc).After(now) {
			t.Fatalf("%q: the latest slot %s is still to come", text, latest)
		}
		if next := s.next(latest, loc); !next.IsZero() && !next.After(now) {
			t.Fatalf("%q: %s is latest, but the next is at %s", text, latest, next)
		}
	})
}

// TestLatest compares with going through all slots of some days.
func TestLatest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loc := zone(t, rapid.SampledFrom(zones).Draw(t, "zone"))
		s, err := ParseSchedule(rapid.SampledFrom([]string{"0 0 * * 0", "30 2 * * *", "*/10 * * * *", "0 3 1 * *", "15 1 * * 0,6"}).Draw(t, "schedule"))
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(rapid.Int64Range(1767225600, 1798761600).Draw(t, "now"), 0)
		var want time.Time
		for w := s.slots.Next(wall(now, loc).Add(-40 * 24 * time.Hour)); !reached(w, loc).After(now); w = s.slots.Next(w) {
			want = w
		}
		if got := s.latest(now, loc); !got.Equal(want) {
			t.Fatalf("latest at %s is %s, want %s", now.In(loc), got, want)
		}
	})
}

func TestFollowing(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2026, 3, 28, 0, 0, 0, 0, berlin)
	for text, want := range map[string][]string{
		"30 2 * * *":     {"2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"}, // the clock skips 02:30 on the 29th
		"@every 36h0m0s": {"2026-03-29T13:00:00+02:00", "2026-03-31T01:00:00+02:00", "2026-04-01T13:00:00+02:00"},
		"0 0 31 2 *":     nil,
	} {
		s, err := ParseSchedule(text)
		if err != nil {
			if want == nil {
				continue
			}
			t.Fatalf("%s: %v", text, err)
		}
		var got []string
		for _, at := range s.Following(from, berlin, 3) {
			got = append(got, at.In(berlin).Format(time.RFC3339))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
