package app

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// edits is how many edits TestPlanNeedsNoCache makes; full, ten thousand.
func edits() int {
	switch {
	case os.Getenv("MEMORYD_HARNESS") == "full":
		return 10_000
	case testing.Short():
		return 100
	}
	return 500
}

// A plan that knows what earlier ones have left in the cache is byte for byte the one
// that knows nothing, whatever was done to the files between them.
func TestPlanNeedsNoCache(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the system tells no time of change, so nothing is cached")
	}
	was := flag.Lookup("rapid.checks").Value.String()
	if err := flag.Set("rapid.checks", fmt.Sprint(max(10, edits()/25))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set("rapid.checks", was) })
	rapid.Check(t, func(r *rapid.T) {
		dir := t.TempDir()
		if err := random.Write(dir, random.Workspace(r)); err != nil {
			r.Fatal(err)
		}
		stays, err := workspace.Open(dir) // in a process that goes on
		if err != nil {
			r.Fatal(err)
		}
		defer stays.Close()
		stays.Reuse = true
		at := random.At
		for range 6 {
			chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
			for range 4 {
				if err := edit(dir, chance, random.Workspace(r)); err != nil {
					r.Fatal(err)
				}
			}
			tick(r, dir)
			at = at.Add(time.Duration(rapid.IntRange(-1, 40).Draw(r, "days")) * 24 * time.Hour)
			settings := config.Default()
			settings.Run.Limit = rapid.SampledFrom([]int{2, 50}).Draw(r, "limit")
			if rapid.Bool().Draw(r, "one scope between") {
				part := rules.Request{Settings: settings, Scope: &memory.Scope{Kind: "agent", ID: "DEV-001"}}
				for _, store := range []*workspace.FileStore{nil, stays} {
					planned(r, dir, at, part, store, true)
				}
				kept(r, dir, at)
			}
			request := rules.Request{Settings: settings}
			want := planned(r, dir, at, request, nil, false)
			for _, knows := range []string{"cold or warm", "warm"} {
				if got := planned(r, dir, at, request, nil, true); !bytes.Equal(got, want) {
					r.Fatalf("%s: with the cache\n%s\nwithout\n%s", knows, got, want)
				}
				if got := planned(r, dir, at, request, stays, true); !bytes.Equal(got, want) {
					r.Fatalf("%s: with what the process has read\n%s\nwithout\n%s", knows, got, want)
				}
			}
		}
	})
}

// kept writes the cache as a command does that has read much and planned nothing.
func kept(t *rapid.T, dir string, at time.Time) {
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	store.Derive, store.Racy = Deriver, 0
	_, err = store.Load(at)
	if err == nil {
		err = store.Cache().SaveCatalog()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// planned is the plan as a command would make it that has just begun, or a store that
// goes on.
func planned(t *rapid.T, dir string, at time.Time, request rules.Request, store *workspace.FileStore, cache bool) []byte {
	if store == nil {
		var err error
		if store, err = workspace.Open(dir); err != nil {
			t.Fatal(err)
		}
		defer store.Close()
	}
	store.NoCache = !cache
	store.Derive, store.Racy = Deriver, 0
	snap, err := store.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	request.LogHead = store.Log().Head()
	plan, err := MakePlan(store, snap, request)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := json.MarshalIndent([]any{plan, len(snap.Memories()), snap.Problems}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// tick waits until the clock of the file system has gone on, so that the next change
// tells itself from the last.
func tick(t *rapid.T, dir string) {
	file := filepath.Join(dir, ".tick")
	var first time.Time
	for {
		err := os.WriteFile(file, nil, 0o644)
		var now os.FileInfo
		if err == nil {
			now, err = os.Stat(file)
		}
		if err != nil {
			t.Fatal(err)
		}
		if first.IsZero() {
			first = now.ModTime()
		}
		if now.ModTime().After(first) && time.Now().After(now.ModTime()) {
			return
		}
	}
}

// edit changes one file as people, agents and other programs do; stock is where new
// ones come from.
func edit(dir string, chance *rand.Rand, stock map[string]string) error {
	file, text, err := random.Pick(dir, chance)
	if err != nil || file == "" {
		return err
	}
	write := func(name string, text []byte) error {
		err := random.Put(name, text)
		if err == nil && !gjson.ValidBytes(text) && chance.IntN(8) > 0 { // most were broken long ago: for a young one each load waits
			then := time.Now().Add(-time.Hour)
			err = os.Chtimes(name, then, then)
		}
		return err
	}
	swap := func(from, to string) error { return write(file, bytes.Replace(text, []byte(from), []byte(to), 1)) }
	switch chance.IntN(13) {
	case 0:
		return os.Remove(file)
	case 1: // a copy under another id, somewhere else
		return write(filepath.Join(dir, "global", fmt.Sprintf("copy%d.json", chance.IntN(20))), bytes.Replace(text, []byte("mem_"), fmt.Appendf(nil, "copy%d_", chance.IntN(20)), -1))
	case 2:
		return os.Rename(file, filepath.Join(filepath.Dir(file), fmt.Sprintf("moved%d.json", chance.IntN(9))))
	case 3:
		return swap("30 minutes", "45 minutes")
	case 4:
		return swap("is limited", "is not limited")
	case 5:
		return swap(`"semantic"`, `"factual"`)
	case 6:
		return swap(`"a"`, `"c"`)
	case 7:
		return swap(`access_count":`, `access_count":1`)
	case 8:
		return write(file, text[:len(text)*chance.IntN(3)/2])
	case 12: // a key around collections that stands twice, or does no more
		const twice = `{"twice":1,"twice":2,`
		if bytes.Contains(text, []byte(twice)) {
			return swap(twice, "{")
		}
		return swap("{", twice)
	case 9, 10: // an element of a collection goes, comes once more, or changes places
		list := gjson.ParseBytes(text)
		if !list.IsArray() {
			list = list.Get("entries")
		}
		var all []string
		for _, e := range list.Array() {
			all = append(all, e.Raw)
		}
		if len(all) == 0 {
			return nil
		}
		i, j := chance.IntN(len(all)), chance.IntN(len(all))
		switch chance.IntN(3) {
		case 0:
			all = slices.Delete(all, i, i+1)
		case 1:
			all = slices.Insert(all, i, all[j])
		default:
			all[i], all[j] = all[j], all[i]
		}
		return swap(list.Raw, "["+strings.Join(all, ",")+"]")
	}
	for name, text := range stock {
		return write(filepath.Join(dir, name), bytes.Replace([]byte(text), []byte("mem_"), fmt.Appendf(nil, "mem_%d", chance.IntN(5)), -1))
	}
	return nil
}

// runs consolidates until a plan is empty, and gives every plan. between is called after
// each run.
func runs(t *rapid.T, dir string, at time.Time, settings config.Settings, along bool, between func(*workspace.FileStore)) (plans []string) {
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	store.Reuse, store.Derive = true, Deriver
	reloads := 0
	runner := Runner{
		Store: store, Started: func() time.Time { return time.Time{} }, Result: func(*workspace.Result) {}, Loaded: func(*memory.Snapshot) {},
		Load: func() (*memory.Snapshot, error) { return store.Load(at) },
	}
	if along {
		runner.Reload = func(from *memory.Snapshot, written []string) *memory.Snapshot {
			reloads++
			return store.Reload(at, from, written)
		}
	}
	for range 1000 {
		plan, _, err := runner.Once(t.Context(), rules.Request{Settings: settings}, nil)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, string(doc))
		if plan.Empty() {
			if along && reloads == 0 && len(plans) > 1 {
				t.Fatal("nothing was updated")
			}
			return plans
		}
		between(store)
	}
	t.Fatal("there is always more to do")
	return nil
}

// standing reads all files of a workspace except the records of runs, which are dated, and
// the cache.
func standing(t *rapid.T, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		within, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		switch within = filepath.ToSlash(within); {
		case within == workspace.RunsDir || within == "ops/cache":
			return filepath.SkipDir
		case e.IsDir() || within == memory.LockFile:
			return nil
		}
		text, err := os.ReadFile(name)
		files[within] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// small are settings under which a few memories take many runs.
func small(t *rapid.T) config.Settings {
	settings := config.Default()
	settings.Run.Pause = config.Duration{}
	settings.Run.Limit = rapid.IntRange(2, 5).Draw(t, "limit")
	return settings
}

// Runs that bring the snapshot along do what runs do that load everything.
func TestBroughtAlong(t *testing.T) {
	many := 0
	rapid.Check(t, func(r *rapid.T) {
		files, settings := random.Workspace(r), small(r)
		at := random.At.Add(time.Duration(rapid.IntRange(0, 200).Draw(r, "days")) * 24 * time.Hour)
		var plans [2][]string
		var left [2]map[string]string
		for i, along := range []bool{false, true} {
			dir := t.TempDir()
			if err := random.Write(dir, files); err != nil {
				r.Fatal(err)
			}
			reads := 0
			plans[i] = runs(r, dir, at, settings, along, func(s *workspace.FileStore) {
				if reads++; reads%3 == 1 { // of one that may be held back, may be gone, or is counted first
					snap, err := s.Load(at)
					if err == nil && len(snap.Memories()) > 0 {
						err = s.Ops().NoteRead(ops.Use{At: at, N: 1}, snap.Memories()[reads%len(snap.Memories())].ID)
					}
					if err != nil {
						r.Fatal(err)
					}
				}
			})
			left[i] = standing(r, dir)
		}
		if diff := cmp.Diff(plans[0], plans[1]); diff != "" {
			r.Fatalf("other plans (-loaded +updated):\n%s", diff)
		}
		if diff := cmp.Diff(left[0], left[1]); diff != "" {
			r.Fatalf("something else is left (-loaded +updated):\n%s", diff)
		}
		if len(plans[0]) > 3 {
			many++
		}
	})
	if many == 0 && !testing.Short() { // of a few there may be none
		t.Error("no workspace took more than two runs: nothing was tested")
	}
}

// What others write between the runs counts before the last one says that nothing is left.
func TestNothingIsLeft(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dir, settings := t.TempDir(), small(r)
		if err := random.Write(dir, random.Workspace(r)); err != nil {
			r.Fatal(err)
		}
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
		others := rapid.IntRange(0, 5).Draw(r, "edits")
		stock := random.Workspace(r)
		runs(r, dir, random.At, settings, true, func(*workspace.FileStore) {
			if others--; others >= 0 {
				if err := edit(dir, chance, stock); err != nil {
					r.Fatal(err)
				}
			}
		})
		plan := planned(r, dir, random.At, rules.Request{Settings: settings}, nil, false)
		if n := gjson.GetBytes(plan, "0.actions.#").Int(); n > 0 {
			r.Fatalf("%d actions are left:\n%s", n, plan)
		}
	})
}
