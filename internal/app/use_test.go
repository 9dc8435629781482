package app

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Twenty-three weeks, with a session and a prompt each day and a run every ten days: a memory that each start is given and
// nobody reads sinks out of the block and is archived; one that prompts are about stays, though the
// start has given it already; what nothing mentions goes after a week.
func TestWeeksOfUse(t *testing.T) {
	dir := t.TempDir()
	start := time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)
	for id, text := range map[string]string{
		"given":  "The canteen closes at three on Fridays.",
		"asked":  "The bicycle locker opens with the code 4471.",
		"unseen": "Parcels for the workshop go to the back door.",
	} {
		created, importance := start, 0.5
		if id == "unseen" {
			created, importance = start.AddDate(-1, 0, 0), 0.1
		}
		record := fmt.Sprintf(`{"id":%q,"type":"factual","created_by":"DEV-1","created_at":%q,"importance":%g,"tags":[%q],"content":%q}`,
			id, created.Format(time.RFC3339), importance, id, text)
		if err := os.MkdirAll(filepath.Join(dir, "global"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "global", id+".json"), []byte(record), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := workspace.Create(dir, nil); err != nil { // else all of them arrive on the first day
		t.Fatal(err)
	}
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	now := start
	store.Now = func() time.Time { return now }
	runner := Runner{
		Store: store, Started: func() time.Time { return time.Time{} }, Result: func(*workspace.Result) {}, Loaded: func(*memory.Snapshot) {},
		Load: func() (*memory.Snapshot, error) { return store.Load(now) },
	}
	const days = 7 * 23
	settings := config.Default()
	gone, lastGiven := map[string]int{}, 0 // by id, the day on which it was archived
	for day := range days {
		now = start.AddDate(0, 0, day)
		session := BlockSession{ID: fmt.Sprint("s", day), Host: "claude", Starts: true, Late: func() bool { return false }}
		if _, err := GiveBlock(store, settings, now, session); err != nil {
			t.Fatal(err)
		}
		session.Starts, session.Prompt = false, "What is the code of the bicycle locker?"
		if _, err := GiveBlock(store, settings, now.Add(time.Hour), session); err != nil {
			t.Fatal(err)
		}
		now = now.Add(2 * time.Hour)
		if day%10 == 0 {
			if _, _, err := runner.Once(t.Context(), rules.Request{Settings: settings}, nil); err != nil {
				t.Fatal(err)
			}
		}
		snap, err := store.Load(now)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range snap.Archived() {
			if _, ok := gone[m.ID]; !ok {
				gone[m.ID] = day
			}
		}
		if at := snap.Given["given"].At; at.Equal(start.AddDate(0, 0, day)) {
			lastGiven = day
		}
	}
	snap, err := store.Load(now)
	if err != nil {
		t.Fatal(err)
	}
	if asked := snap.Live("asked"); asked == nil || asked.AccessCount != days {
		t.Errorf("what prompts are about: %+v", asked)
	}
	if day, ok := gone["unseen"]; !ok || day != 0 {
		t.Errorf("what was never seen was archived on day %d, %v", day, ok)
	}
	if day, ok := gone["given"]; !ok || lastGiven < 50 || lastGiven > 70 || day != lastGiven+90 {
		t.Errorf("what was only given was given until day %d and archived on day %d, %v", lastGiven, day, ok)
	}
	problems, err := store.Check(now)
	if err != nil || len(problems) > 0 {
		t.Errorf("check: %v, %v", problems, err)
	}
}
