package trigger

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/rules"
)

// TestYearOfSchedules goes through a year in a zone, half-hour by half-hour: of several
// schedules at once, each has its runs, none twice, none of another day.
func TestYearOfSchedules(t *testing.T) {
	// An hour at 02:00, half an hour, and an hour at midnight.
	for _, name := range []string{"America/New_York", "Australia/Lord_Howe", "Africa/Cairo"} {
		loc := zone(t, name)
		c := settings("0 0 * * 0", "30 */12 * * *")
		c.Schedules = map[string]config.Schedule{
			"skipped":  {When: "daily 02:30"}, // not shown on a day in spring
			"twice":    {When: "30 1 * * *"},  // shown twice on one in autumn
			"midnight": {When: "@daily", All: true},
			"workdays": {When: "mon-fri 18:30", Scope: "agent:DEV-001"},
			"monthly":  {When: "0 3 31 * *"},
		}
		ran, s := map[string]map[string]bool{}, State{}
		from := time.Date(2026, 1, 1, 12, 0, 0, 0, loc)
		for at := from; at.Before(from.AddDate(1, 0, 0)); at = at.Add(30 * time.Minute) {
			due, next, err := Look(c, s, Facts{}, at, loc)
			if err != nil {
				t.Fatal(err)
			}
			s = next
			for _, d := range due {
				slots := ran[d.clock()]
				if slots == nil {
					slots = map[string]bool{}
					ran[d.clock()] = slots
				}
				if slots[d.Slot] || d.Slot[:10] != at.In(loc).Format(time.DateOnly) {
					t.Fatalf("%s: %s: %s is run at %s; before: %v", name, d.clock(), d.Slot, at, slots[d.Slot])
				}
				slots[d.Slot] = true
				s = s.Done(d, at)
			}
		}
		got := map[string]int{}
		for name, slots := range ran {
			got[name] = len(slots)
		}
		want := map[string]int{
			"weekly": 52, "interval": 730, "schedules.skipped": 365, "schedules.twice": 365, "schedules.midnight": 365, "schedules.workdays": 261, "schedules.monthly": 7,
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: runs in a year: %v, want %v", name, got, want)
		}
	}
}

// TestManySchedules lets the machine sleep, the clock jump, runs fail, and people
// change the time zone: no slot of a schedule is run twice, and one schedule never
// stands for another, though both be due at the same times.
func TestManySchedules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := settings("", "")
		c.Schedules = map[string]config.Schedule{"a": {When: "daily 02:30"}, "b": {When: "30 2 * * *", All: true}, "c": {When: "*/30 1-3 * * *"}, "d": {When: "sun 00:00"}}
		loc, s := zone(t, rapid.SampledFrom(zones).Draw(t, "zone")), State{}
		at := time.Date(2026, 1, 1, 12, 0, 0, 0, loc)
		look(t, &s, c, Facts{}, at, loc)
		done, farthest := map[string]bool{}, at
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 19).Draw(t, "what") {
			case 0:
				loc = zone(t, rapid.SampledFrom(zones).Draw(t, "zone"))
			case 1:
				at = at.Add(time.Duration(rapid.IntRange(1, 40*24).Draw(t, "down")) * time.Hour)
			case 2: // together with a zone that lies far back, less than a day
				at = latestOf(at.Add(-time.Duration(rapid.IntRange(1, 60).Draw(t, "back"))*time.Minute), farthest.Add(-time.Hour))
			default:
				at = at.Add(time.Duration(rapid.IntRange(1, 8*60).Draw(t, "on")) * time.Minute)
			}
			farthest = latestOf(farthest, at)
			for _, d := range look(t, &s, c, Facts{}, at, loc) {
				if done[d.Name+d.Slot] {
					t.Fatalf("%s: %s was run twice", d.Name, d.Slot)
				}
				if d.Attempt <= 3 && rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
					s, _ = s.Fail(d, 3, at)
					continue
				}
				s, done[d.Name+d.Slot] = s.Done(d, at), true
			}
		}
		// Awake for a day and more, all that was due is done.
		for range 4 * 24 * 2 {
			at = at.Add(15 * time.Minute)
			for _, d := range look(t, &s, c, Facts{}, at, loc) {
				s = s.Done(d, at)
			}
		}
		for _, d := range clocks(c) {
			schedule, err := ParseSchedule(d.Schedule)
			if err != nil {
				t.Fatal(err)
			}
			if latest := schedule.latest(at, loc).Format(slotForm); s.Clock[d.clock()].Slot != latest {
				t.Fatalf("%s is done with %s, not with %s", d.clock(), s.Clock[d.clock()].Slot, latest)
			}
		}
	})
}

func TestSchedulesComeAndGo(t *testing.T) {
	now := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	c, s := settings("0 0 * * 0", "5m"), State{}
	c.Schedules = map[string]config.Schedule{"x": {When: "daily 02:00"}, "whole": {When: "daily 02:00", All: true}, "mine": {When: "daily 02:00", Scope: "agent:A"}}
	look(t, &s, c, Facts{}, now, time.UTC)
	var order []string
	for _, d := range look(t, &s, c, Facts{}, now.AddDate(0, 0, 5), time.UTC) {
		order = append(order, d.clock())
	}
	if want := []string{"weekly", "schedules.whole", "schedules.x", "interval", "schedules.mine"}; !slices.Equal(order, want) {
		t.Errorf("due in the order %v, want %v", order, want)
	}
	delete(c.Schedules, "x")
	c.Schedules["whole"] = config.Schedule{When: "daily 03:00", All: true} // another time: nothing is owed
	due := look(t, &s, c, Facts{}, now.AddDate(0, 0, 5), time.UTC)
	if len(due) != 3 || due[1].Trigger != rules.Interval || due[1].Name != "" {
		t.Errorf("due: %+v", due)
	}
	if _, ok := s.Clock["schedules.x"]; ok || len(s.Clock) != 4 {
		t.Errorf("remembered: %+v", s.Clock)
	}
	if len(Schedules(c)) != 4 {
		t.Errorf("the alarm would ring at %q", Schedules(c))
	}
}

// TestEverySettingIsASchedule: what the settings accept, the schedules read.
func TestEverySettingIsASchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		when := rapid.SampledFrom([]string{
			"daily 00:00", "sun 23:59", "MON-FRI 7:05", "mon,wed,sat-sat 12:00", "0-6 01:01", "5m", "P1D", "100h", "*/7 3-5 1,2 jan *", "@weekly", "0 0 29 2 *",
		}).Draw(t, "when")
		parsed, err := config.Parse("memory.toml", []byte("[schedules]\nx = \""+when+"\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseSchedule(parsed.Schedules["x"].Cron()); err != nil {
			t.Fatalf("%q: %v", when, err)
		}
	})
}

// Runs that may ask models are far apart, however often their schedules come; others keep their times.
func TestModelInterval(t *testing.T) {
	c := settings("", "")
	c.Schedules = map[string]config.Schedule{"enrich": {When: "1h", All: true}, "deep": {When: "30 */4 * * *"}, "often": {When: "30 */4 * * *"}}
	ran, s := map[string][]string{}, State{}
	begun := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for at := begun; at.Before(begun.AddDate(0, 0, 3)); at = at.Add(30 * time.Minute) {
		promised, err := Upcoming(c, s, Facts{}, at.Add(-time.Second), time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		due, next, err := Look(c, s, Facts{}, at, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		s = next
		for _, d := range due {
			if at.After(begun) && !slices.ContainsFunc(promised, func(n Next) bool { return n.Name == d.Name && n.At.Equal(at) }) {
				t.Errorf("%s at %s was not told of before", d.Name, at)
			}
			if d.Heavy() != (d.Name != "often") || d.All {
				t.Errorf("%s: heavy %v, all %v", d.Name, d.Heavy(), d.All)
			}
			ran[d.Name] = append(ran[d.Name], at.Format("02 15:04"))
			s = s.Done(d, at)
		}
	}
	if got := ran["enrich"]; !slices.Equal(got, []string{"02 00:00", "03 00:00"}) {
		t.Errorf("enrich: %q", got)
	}
	if got := ran["deep"]; !slices.Equal(got, []string{"01 20:30", "02 20:30", "03 20:30"}) {
		t.Errorf("deep: %q", got)
	}
	if got := ran["often"]; len(got) != 18 {
		t.Errorf("often: %q", got)
	}
	times := Named(c, "deep", c.Schedules["deep"]).Following(begun, time.UTC, 3)
	if len(times) != 3 || times[1].Sub(times[0]) != 24*time.Hour || times[2].Sub(times[1]) != 24*time.Hour {
		t.Errorf("following: %v", times)
	}
}
