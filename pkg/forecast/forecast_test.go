package forecast_test

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

type fataler interface {
	Helper()
	Cleanup(func())
	Fatal(...any)
	Fatalf(string, ...any)
}

func load(t fataler, dir string, at time.Time) *memory.Snapshot {
	t.Helper()
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() }) // what is asked of a memory is read then
	snap, err := store.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func settings(t fataler, toml string) config.Settings {
	t.Helper()
	c, err := config.Parse("memory.toml", []byte(toml))
	if err != nil {
		t.Fatal(err)
	}
	return c.Settings
}

// planned is what the rules do at a time, by memory, when there is room for all of it
// and whoever is asked has been asked: the workspace is read anew, nothing is shared
// with the code under test. Updates are the questions about updates that were asked before.
func planned(t fataler, dir string, at time.Time, s config.Settings, updates []review.Pair) map[string]*memory.Action {
	t.Helper()
	s.Run.Limit = math.MaxInt32
	snap := load(t, dir, at)
	if len(updates) > 0 {
		snap = snap.Suppose(at, snap.Memories(), snap.Archived(), updates)
	}
	for {
		plan := rules.Plan(snap, rules.Request{Settings: s})
		var asked []review.Pair
		acts := map[string]*memory.Action{}
		for i := range plan.Actions {
			a := &plan.Actions[i]
			if a.Type == oplog.Review {
				if a.Rule == rules.RuleMerge {
					asked = append(asked, a.Pairs...)
				}
				continue
			}
			for _, id := range a.Members() {
				acts[id] = a
			}
		}
		if len(asked) == 0 {
			return acts
		}
		snap = snap.Suppose(at, snap.Memories(), snap.Archived(), asked)
	}
}

// askedUpdates are the questions about updates that a plan of now asks.
func askedUpdates(snap *memory.Snapshot, s config.Settings) (pairs []review.Pair) {
	s.Run.Limit = math.MaxInt32
	for _, a := range rules.Plan(snap, rules.Request{Settings: s}).Actions {
		if a.Rule == rules.RuleSupersede {
			pairs = append(pairs, a.Pairs...)
		}
	}
	return pairs
}

// holds compares the forecasts of a workspace with plans: at the foretold second the
// memory is taken as foretold; at each of some other moments none is taken whose time
// has not come.
func holds(t fataler, dir string, at time.Time, s config.Settings, more []time.Time) (all []forecast.Forecast) {
	t.Helper()
	snap := load(t, dir, at)
	all, err := forecast.Of(snap, rules.Request{Settings: s}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all { // each by itself: the same
		one, err := forecast.Of(snap, rules.Request{Settings: s}, func(m *memory.Memory) bool { return m == all[i].Memory })
		if err != nil || !slices.Equal(one, all[i:i+1]) {
			t.Fatalf("asked about alone %+v, %v, among all %+v", one, err, all[i])
		}
	}
	updates := askedUpdates(snap, s)
	moments := append([]time.Time{at}, more...)
	for _, f := range all {
		if f.Action != "" {
			moments = append(moments, f.At, f.At.Add(-time.Second))
		}
	}
	slices.SortFunc(moments, time.Time.Compare)
	for _, moment := range slices.CompactFunc(moments, time.Time.Equal) {
		if moment.Before(at) {
			continue
		}
		acts := planned(t, dir, moment, s, updates)
		for _, f := range all {
			a := acts[f.Memory.ID]
			switch {
			case a != nil && (f.Action == "" || moment.Before(f.At)):
				t.Fatalf("%s: %s by a run at %s, foretold %s at %s", f.Memory.ID, a.Type, moment, f.Action, f.At)
			case f.Action == "" || !moment.Equal(f.At):
			case a == nil:
				t.Fatalf("%s: nothing at %s, foretold %s", f.Memory.ID, moment, f.Action)
			case a.Type != f.Action || a.Rule != f.Rule || a.ResultID != f.Result && f.Action != oplog.Promote || a.Detail != f.Detail:
				t.Fatalf("%s: %s %s %q at %s, foretold %s %s %q", f.Memory.ID, a.Type, a.ResultID, a.Detail, moment, f.Action, f.Result, f.Detail)
			}
		}
	}
	return all
}

func TestForecastIsThePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := random.Workspace(t)
		dir, err := os.MkdirTemp("", "forecast-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if err := random.Write(dir, files); err != nil {
			t.Fatal(err)
		}
		span := func(name string) string {
			return rapid.SampledFrom([]string{"0s", "12h", "7d", "30d", "90d", "P1M", "P1M3DT1H", "P1Y"}).Draw(t, name)
		}
		s := settings(t, fmt.Sprintf("[exclude]\nmin_age = %q\nconsent_user = %t\n[archive]\nunread_after = %q\nidle_after = %q\n[summarise]\nmin_age = %q\n[merge]\ntag_overlap = 0.0\ncontent_similarity = %s\ndifferences = %q\n[promote]\nteam_access = %d\n[teams]\nDEV = \"development\"\n",
			span("min_age"), rapid.Bool().Draw(t, "consent"), span("unread"), span("idle"), span("summarise"),
			rapid.SampledFrom([]string{"0.8", "0.5", "0.2"}).Draw(t, "similarity"), rapid.SampledFrom([]string{"ask", "latest-wins"}).Draw(t, "facts"), rapid.IntRange(1, 6).Draw(t, "reads")))
		s.Layers.Enabled = rapid.Bool().Draw(t, "layers")
		// Random workspaces are of up to 300 days before At: look at them from within.
		at := random.At.Add(-time.Duration(rapid.IntRange(0, 300*24).Draw(t, "before")) * time.Hour)
		at = at.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 500_000_000, 999_999_999}).Draw(t, "nanoseconds"))).In(time.FixedZone("", rapid.SampledFrom([]int{0, 19_800, -12_600}).Draw(t, "zone")))
		var more []time.Time
		for range 5 {
			more = append(more, at.Add(time.Duration(rapid.IntRange(0, 500*24*3600).Draw(t, "later"))*time.Second))
		}
		holds(t, dir, at, s, more)
	})
}

// sample makes one of the sample workspaces, and tells the time that it is for.
func sample(t testing.TB, from fs.FS) (dir string, at time.Time) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, fixtures.At)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "w")
	if err := fixtures.CopyTo(dir, from); err != nil {
		t.Fatal(err)
	}
	return dir, at
}

// On the sample workspaces: all of the rules are foretold, and some memories are never
// changed.
func TestForecastOfSamples(t *testing.T) {
	dir, at := sample(t, fixtures.Small)
	toml, err := os.ReadFile(filepath.Join(dir, "memory.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, back := range []int{0, 20, 60} {
		kinds := map[string]int{}
		for _, f := range holds(t, dir, at.AddDate(0, 0, -back), settings(t, string(toml)), nil) {
			kinds[f.Action]++
			if f.Action == "" && f.Never.Reason == "" {
				t.Logf("%s: never, no reason given", f.Memory.ID)
			}
		}
		for _, want := range []string{"", oplog.Merge, oplog.Promote, oplog.Summarize, oplog.Archive} {
			if kinds[want] == 0 {
				t.Errorf("%d days before: no %q among %v", back, want, kinds)
			}
		}
	}
}

// Months of the calendar are those of UTC, in whatever zone the time is told: half an hour
// into March in India it is still February.
func TestMonthsOfUTC(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"memory.toml": "", "global/a.json": `{"id":"a","type":"semantic","created_at":"2026-01-31T18:00:00Z","content":"Stock is counted on Mondays."}`}
	if err := random.Write(dir, files); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 2, 28, 19, 0, 0, 0, time.UTC)
	for _, zone := range []int{0, 19_800, -36_000} {
		all := holds(t, dir, at.In(time.FixedZone("", zone)), settings(t, "[archive]\nunread_after = \"P1M\"\n"), nil)
		if want := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC); !all[0].At.Equal(want) {
			t.Errorf("zone %d: %s at %s, want %s", zone, all[0].Action, all[0].At, want)
		}
	}
}

// Only one of two procedures that say the same rises; the other's time passes.
func TestOneOfTwoRises(t *testing.T) {
	at := random.At
	dir := t.TempDir()
	record := func(id, by string, days int) string {
		return fmt.Sprintf(`{"id":%q,"type":"procedural","created_by":%q,"created_at":%q,"last_accessed":%q,"access_count":9,"content":"Rotate the keys, then restart"}`,
			id, by, at.AddDate(0, 0, -days).Format(time.RFC3339), at.Format(time.RFC3339))
	}
	files := map[string]string{"agents/DEV-001/a.json": record("a", "DEV-001", 5), "agents/DEV-002/b.json": record("b", "DEV-002", 3)}
	if err := random.Write(dir, files); err != nil {
		t.Fatal(err)
	}
	all := holds(t, dir, at, settings(t, ""), nil)
	if all[0].Action != oplog.Promote || !all[0].At.Equal(at.AddDate(0, 0, 2)) {
		t.Errorf("a: %+v", all[0])
	}
	if all[1].Action != oplog.Archive || !all[1].At.Equal(at.AddDate(0, 0, 90).Add(time.Second)) {
		t.Errorf("b: %+v", all[1])
	}
}

func TestSort(t *testing.T) {
	at := random.At
	m := func(id string) *memory.Memory { return &memory.Memory{ID: id} }
	fs := []forecast.Forecast{{Memory: m("never")}, {Memory: m("b"), At: at}, {Memory: m("c"), At: at.Add(time.Hour)}, {Memory: m("a"), At: at}}
	forecast.Sort(fs)
	got := ""
	for _, f := range fs {
		got += f.Memory.ID + " "
	}
	if got != "a b c never " {
		t.Error(got)
	}
}
