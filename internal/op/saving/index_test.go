package saving_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// An index that goes on from snapshot to snapshot, and has the kinds that were asked for
// only, answers as one made anew does, whatever comes, goes, changes or becomes of another
// kind.
func TestIndexIsAnew(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("cache port gateway retry")
	made := func(place int) *memory.Memory {
		list := make([]string, 8)
		for i := range list {
			list[i] = words[chance.IntN(len(words))]
		}
		ms, err := memory.ParseRecords(fmt.Sprintf("global/m%02d.json", place), fmt.Appendf(nil,
			`{"id":"m%02d","type":%q,"created_by":"DEV-001","scope":"global","created_at":"2026-02-01T09:00:00Z","content":%q}`,
			place, []string{"semantic", "factual", "episodic"}[chance.IntN(3)], strings.Join(list, " ")))
		if err != nil {
			t.Fatal(err)
		}
		return ms[0]
	}
	settings := config.Default()
	index := saving.NewIndex(settings)
	near := 0
	live := map[int]*memory.Memory{}
	for range 400 {
		for range chance.IntN(4) {
			if place := chance.IntN(30); chance.IntN(3) == 0 {
				delete(live, place)
			} else {
				live[place] = made(place)
			}
		}
		var all []*memory.Memory
		for _, m := range live {
			all = append(all, m)
		}
		slices.SortFunc(all, func(a, b *memory.Memory) int { return strings.Compare(a.File, b.File) })
		snap := memory.NewSnapshot(random.At, all, nil)
		fresh := made(99)
		got, verdict := index.Check(snap, settings, fresh)
		anew, want := saving.NewIndex(settings).Check(snap, settings, fresh)
		if (got == nil) != (anew == nil) || got != nil && verdict.Content != want.Content {
			t.Fatalf("%s: %+v, anew %+v", fresh.Raw(), verdict, want)
		}
		if got != nil {
			near++
			if live := snap.Live(got.ID); live != got {
				t.Fatalf("%s is like %s, which is %v now", fresh.Raw(), got.Raw(), live)
			}
		}
		if verdict.Reason == want.Reason && got == anew {
			if diff := cmp.Diff(want, verdict); diff != "" {
				t.Fatal(diff)
			}
		}
	}
	if near < 50 {
		t.Errorf("%d were like another: that proves too little", near)
	}
}

// What was saved unchecked is known to the next check, which is the first of its kind.
func TestSavedUnchecked(t *testing.T) {
	store := open(t, map[string]string{"global/a.json": factual("a", "")})
	settings := config.Default()
	index, snap := saving.NewIndex(settings), load(t, store)
	options := saving.Options{At: random.At.Add(time.Hour), Snapshot: snap, Index: index, NoCheck: true}
	first, err := saving.Save(t.Context(), store, settings, draft("The cache is warmed up at six, and by nothing else."), options)
	if err != nil {
		t.Fatal(err)
	}
	options.NoCheck = false
	again, err := saving.Save(t.Context(), store, settings, draft("The cache is warmed up at six: and by nothing else!"), options)
	if err != nil || again.Status != saving.Merged || again.ID != first.ID {
		t.Errorf("%+v, then %+v, %v", first, again, err)
	}
}

// A text that a memory has as a variant only is said already, with the index and without.
func TestSavedVariant(t *testing.T) {
	record := `{"id":"a","type":"semantic","created_by":"DEV-001","scope":"global","created_at":"2026-02-01T09:00:00Z",
		"content":"Nightly at six the gateway is restarted by cron.","variants":[{"text":"The cache is warmed up at six, and by nothing else.","from":"b"}]}`
	settings := config.Default()
	for _, index := range []*saving.Index{nil, saving.NewIndex(settings)} {
		store := open(t, map[string]string{"global/a.json": record})
		options := saving.Options{At: random.At.Add(time.Hour), Snapshot: load(t, store), Index: index}
		d := draft("The cache is warmed up at six, and by nothing else.")
		out, err := saving.Save(t.Context(), store, settings, d, options)
		if err != nil || out.Status != saving.Merged || out.ID != "a" || out.Says != rules.SaysLess {
			t.Errorf("index %v: %+v, %v", index != nil, out, err)
		}
		d = draft("The cache is warmed up at seven, and by nothing else.")
		options.Snapshot = nil
		if out, err = saving.Save(t.Context(), store, settings, d, options); err != nil || out.Status == saving.Merged {
			t.Errorf("index %v: another fact: %+v, %v", index != nil, out, err)
		}
	}
}
