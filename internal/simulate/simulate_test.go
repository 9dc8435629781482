package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// room is a directory in memory, where there is one: each run waits for the disk several
// times.
func room() string {
	if dir, err := os.MkdirTemp("/dev/shm", "memory-test-"); err == nil && os.Remove(dir) == nil {
		return "/dev/shm"
	}
	return ""
}

// replay copies a workspace and replays it.
func replay(t fataler, ctx context.Context, from string, s Simulation) (*Report, error) {
	t.Helper()
	dir, err := os.MkdirTemp(room(), "simulate-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := Copy(context.Background(), from, dir, false, func(int) {}); err != nil {
		t.Fatal(err)
	}
	if s.Store, err = workspace.Open(dir); err != nil {
		t.Fatal(err)
	}
	defer s.Store.Close()
	if s.Progress == nil {
		s.Progress = func(time.Time) {}
	}
	s.Result = func(r *workspace.Result) {
		if len(r.Warnings) > 0 || len(r.Skipped) > 0 {
			t.Fatalf("%v %v", r.Warnings, r.Skipped)
		}
	}
	report, err := s.Run(ctx)
	if err == nil {
		check(t, s.Store, s.now)
	}
	return report, err
}

// check holds the copy to what every workspace promises.
func check(t fataler, store *workspace.FileStore, at time.Time) {
	t.Helper()
	snap, err := store.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	problems, err := store.Check(snap.At)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if p.Severity == memory.Error {
			t.Fatalf("the copy isn't sound: %+v", p)
		}
	}
}

func settings(t fataler, toml string) config.Settings {
	t.Helper()
	c, err := config.Parse("memory.toml", []byte(toml))
	if err != nil {
		t.Fatal(err)
	}
	return c.Settings
}

// What is left out changes nothing: a simulation that makes every run says the same.
func TestNothingIsMissed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(room(), "simulate-from-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if err := random.Write(dir, random.Workspace(t)); err != nil {
			t.Fatal(err)
		}
		store, err := workspace.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Reindex(context.Background(), random.At); err != nil {
			t.Fatal(err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		s := Simulation{
			Settings: settings(t, "[merge]\ntag_overlap = 0.0\n[triggers]\nweekly = \"30 3 * * *\"\nindex_overflow = 3\n[teams]\nDEV = \"development\"\n"),
			Start:    random.At.AddDate(0, 0, -rapid.IntRange(0, 200).Draw(t, "before")), Days: rapid.IntRange(1, 12).Draw(t, "days"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "reads") {
			at := s.Start.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "day")) * day)
			s.Accesses = append(s.Accesses, Access{rapid.SampledFrom([]string{"mem_001", "mem_002", "mem_999"}).Draw(t, "id"), at, rapid.IntRange(1, 9).Draw(t, "n")})
		}
		sorted(s.Accesses)
		got, err := replay(t, context.Background(), dir, s)
		if err != nil {
			t.Fatal(err)
		}
		s.every = true
		want, err := replay(t, context.Background(), dir, s)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Report{})); diff != "" {
			t.Fatalf("with all runs (-), without those that do nothing (+):\n%s", diff)
		}
	})
}

func sample(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "w")
	if err := fixtures.CopyTo(dir, fixtures.Small); err != nil {
		t.Fatal(err)
	}
	return dir
}

func at(t *testing.T) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, fixtures.At)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// What is read stays; the numbers of a report agree with each other; equal input,
// equal report.
func TestReadsKeep(t *testing.T) {
	dir := sample(t)
	s := Simulation{Settings: settings(t, ""), Start: at(t), Days: 200}
	still, err := replay(t, context.Background(), dir, s)
	if err != nil {
		t.Fatal(err)
	}
	var trace strings.Builder
	for d := 10; d < 200; d += 30 {
		line, err := json.Marshal(map[string]any{"id": "mem_furigana0001", "day": d})
		if err != nil {
			t.Fatal(err)
		}
		trace.Write(append(line, '\n'))
	}
	trace.WriteString(`{"id":"nosuch","at":"2026-05-01T09:00:00Z","n":2}` + "\n\n" + `{"id":"mem_furigana0001","at":"2025-05-01T09:00:00Z"}`)
	reads := func() []Access {
		all, err := ReadTrace(strings.NewReader(trace.String()), s.Start)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	s.Accesses = reads()
	read, err := replay(t, context.Background(), dir, s)
	if err != nil {
		t.Fatal(err)
	}
	s.Accesses = reads()
	again, err := replay(t, context.Background(), dir, s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read, again, cmpopts.IgnoreUnexported(Report{})); diff != "" {
		t.Errorf("two simulations of the same differ:\n%s", diff)
	}
	has := func(ids []string) bool { return strings.Contains(strings.Join(ids, " "), "mem_furigana0001") }
	if !has(still.Archived) || has(still.Survivors) || !has(read.Survivors) || has(read.Archived) {
		t.Errorf("unread: %v, read: %v", still.Survivors, read.Survivors)
	}
	if read.Accesses != 7 || read.AccessesIgnored != 3 {
		t.Errorf("%d reads, %d ignored", read.Accesses, read.AccessesIgnored)
	}
	var sum Counts
	for _, m := range read.Months {
		sum.add(m.Done)
		tiers := 0
		for _, n := range m.Tiers {
			tiers += n
		}
		if tiers != m.Live {
			t.Errorf("%s: %d in tiers, %d live", m.At, tiers, m.Live)
		}
	}
	if sum != read.Runs || read.Runs.Runs == 0 {
		t.Errorf("the months add up to %+v, the totals are %+v", sum, read.Runs)
	}
	first, last := read.Months[0], read.Months[len(read.Months)-1]
	if len(read.Survivors)+len(read.Archived) != first.Live || len(read.Survivors)+len(read.Created) != last.Live || !last.At.Equal(read.To) {
		t.Errorf("%d + %d of %d, %d of %d", len(read.Survivors), len(read.Archived), first.Live, len(read.Created), last.Live)
	}
}

// Schedules are read in the time zone that the settings name, as when watching; where
// they name none, in UTC, wherever the simulation is made.
func TestTimeZone(t *testing.T) {
	for zone, want := range map[string]string{"local": "Sun 00:00", "Asia/Tokyo": "Sat 15:00", "America/Phoenix": "Sun 07:00"} {
		times := map[string]bool{}
		s := Simulation{
			Settings: settings(t, "[triggers]\ntimezone = \""+zone+"\"\n"), Start: at(t).Add(17 * time.Minute), Days: 8,
			Progress: func(now time.Time) { times[now.UTC().Format("Mon 15:04")] = true },
		}
		if _, err := replay(t, context.Background(), sample(t), s); err != nil {
			t.Fatal(err)
		}
		if !times[want] || want != "Sun 00:00" && times["Sun 00:00"] {
			t.Errorf("%s: looked at %v, want %s", zone, times, want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := Simulation{Settings: settings(t, ""), Start: at(t), Days: 365, Progress: func(now time.Time) {
		if now.After(at(t)) {
			cancel()
		}
	}}
	if _, err := replay(t, ctx, sample(t), s); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestReadTrace(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"id":"a"}`, "say when"},
		{`{"id":"a","day":1,"at":"2026-05-01T09:00:00Z"}`, "say when"},
		{`{"id":"a","day":-1}`, "say when"},
		{`{"id":"a","day":1e300}`, "say when"},
		{`{"day":1}`, "line 1: it names no memory"},
		{"\n" + `{"id":"a","day":1,"n":0}`, "line 2: n is 0"},
		{`{"id":"a","day":1,"n":1e6}`, "line 1"},
		{`{"id":"a","at":"yesterday"}`, "line 1"},
		{"x", "line 1"},
		{`"` + strings.Repeat("x", 2<<20) + `"`, "too long"},
	} {
		if _, err := ReadTrace(strings.NewReader(tt.text), at(t)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40s: %v, want %s", tt.text, err, tt.want)
		}
	}
}

// Nothing leaves the workspace by a link, and nothing hidden is copied.
func TestCopy(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "to")
	for _, name := range []string{"global/a.json", ".git/objects/x", "ops/cache/c", "ops/log.json", "global/.hidden.json", "memory.toml"} {
		if err := os.MkdirAll(filepath.Join(from, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(from, name), []byte(name), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(from, "global/link.json")); err != nil {
		t.Skipf("SKIPPED: a copy with a link in it is not tried: no links can be made here: %v", err)
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := Copy(context.Background(), from, to, false, func(k int) { n = k }); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.Walk(to, func(name string, fi os.FileInfo, err error) error {
		if err == nil && !fi.IsDir() {
			rel, _ := filepath.Rel(to, name)
			got = append(got, filepath.ToSlash(rel))
		}
		return err
	})
	if want := "global/a.json memory.toml ops/log.json"; err != nil || strings.Join(got, " ") != want || n != 3 {
		t.Errorf("copied %v (%d), %v; want %s", got, n, err, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Copy(ctx, from, t.TempDir(), false, func(int) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
