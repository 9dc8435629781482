package workspace

import (
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// TestReloadEqualsLoad: whatever is done to the files, bringing a snapshot along by the
// names of what changed gives what loading everything gives.
func TestReloadEqualsLoad(t *testing.T) {
	checks(t, 5000, func(r *rapid.T) {
		m := anyWorkspace(t, r)
		s := anyStore(m, 0)
		s.large = rapid.SampledFrom([]int{0, 200, large}).Draw(r, "large")
		snap := loaded(r, s)
		for step := range rapid.IntRange(1, 6).Draw(r, "steps") {
			dirs := dirsIn(r, s.root)
			h := &hands{r: r, disk: m, told: map[string]bool{}}
			for range rapid.IntRange(0, 3).Draw(r, "changes") {
				h.do()
			}
			if rapid.IntRange(0, 3).Draw(r, "read") == 0 {
				if err := s.Accessed(day.Add(time.Duration(step)*time.Hour), "test", rapid.SampledFrom(append(snap.IDs(), "nobody")).Draw(r, "id")); err != nil {
					r.Fatal(err)
				}
			}
			names := slices.Sorted(maps.Keys(h.told))
			if rapid.IntRange(0, 2).Draw(r, "idle") == 0 {
				names = append(names, rapid.SampledFrom(append(h.seen(func(string) bool { return true }), "nothing.json", "ops/x.json")).Draw(r, "idle name"))
			}
			now := dirsIn(r, s.root)
			for dir := range maps.Keys(now) {
				if !dirs[dir] {
					names = append(names, dir)
				}
			}
			for dir := range maps.Keys(dirs) {
				if !now[dir] {
					names = append(names, dir)
				}
			}
			was := snap
			if snap = s.Reload(day, was, names); snap == nil {
				snap = loaded(r, s)
			}
			stayed := snap.Stayed(was) // before any is made
			byPlace(r, loaded(r, s), snap)
			equals(r, loaded(r, s), snap, names)
			follows(r, was, snap, stayed)
		}
	})
}

func loaded(r *rapid.T, s *FileStore) *Snapshot {
	snap, err := s.Load(day)
	if err != nil {
		r.Fatal(err)
	}
	return snap
}

// dirsIn are the directories of a workspace, empty ones too.
func dirsIn(r *rapid.T, root durable.FS) map[string]bool {
	dirs := map[string]bool{}
	var list func(dir string)
	list = func(dir string) {
		entries, err := root.ReadDir(dir)
		if err != nil {
			r.Fatal(err)
		}
		for _, e := range entries {
			if name := path.Join(dir, e.Name); e.Kind == durable.Dir {
				dirs[name] = true
				list(name)
			}
		}
	}
	list(".")
	return dirs
}

// byPlace compares what two snapshots tell of memories by their places, of which none need be
// made for it.
func byPlace(r *rapid.T, want, got *Snapshot) {
	if want.Total() != got.Total() || want.Len() != got.Len() {
		r.Fatalf("%d memories, %d live ones: want %d, %d", got.Total(), got.Len(), want.Total(), want.Len())
	}
	commons, room := make([]*Common, got.Commons()), Room{}
	for i := range got.Total() {
		m := want.Memory(i)
		in, at := got.within(i)
		if got.ID(i) != m.ID || got.TagCount(i) != len(m.Tags) || in.file(at) != m.File {
			r.Fatalf("the memory at %d is %s in %s with %d tags: want %s in %s with %d", i, got.ID(i), in.file(at), got.TagCount(i), m.ID, m.File, len(m.Tags))
		}
		if glance := got.Glance(i, &room); gocmp.Diff(toldOf(m), toldOf(glance)) != "" {
			r.Fatalf("a glance at %d: %s", i, gocmp.Diff(toldOf(m), toldOf(glance)))
		}
		if n := got.CommonOf(i); n >= 0 && commons[n] == nil {
			commons[n] = m.Common
		} else if n >= 0 && *commons[n] != *m.Common {
			r.Fatalf("%+v and %+v have one number", *commons[n], *m.Common)
		}
	}
}

// Bringing a snapshot along makes the memories that are concerned, and no others.
func TestReloadMakesFew(t *testing.T) {
	w := cached(t)
	for i := range 200 {
		w.write(t, fmt.Sprintf("global/more/%03d.json", i), record(fmt.Sprintf("more%d", i), "one"))
	}
	w.write(t, AccessFile, `{"id":"more7","n":3,"at":"2026-01-02T03:04:05Z"}`+"\n")
	snap := w.load(t, true)
	for i := range 20 {
		name := fmt.Sprintf("global/more/%03d.json", 10*i)
		w.write(t, name, record(fmt.Sprintf("more%d", 10*i), "another"))
		if snap = w.store.Reload(day, snap, []string{name}); snap == nil {
			t.Fatal("it is to be loaded")
		}
	}
	if n := made(snap); n > 100 {
		t.Errorf("%d times one of %d memories are made, and nobody has asked for one", n, snap.Total())
	}
	if m := snap.Live("more7"); m.AccessCount != 3 || snap.Live("more190").Text() != "another\n" {
		t.Errorf("read %d times; %q", m.AccessCount, snap.Live("more190").Text())
	}
}

// Runs that change a collection and archive from it don't add up in memory: what a snapshot
// that was brought along holds is what there is.
func TestReloadKeepsLittle(t *testing.T) {
	w := cached(t)
	elements := func(from int) string {
		all := []string{}
		for i := from; i < 400; i++ {
			all = append(all, record(fmt.Sprintf("one%d", i), strings.Repeat("long ", 30)))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	w.write(t, "global/all.json", elements(0))
	snap := w.load(t, true)
	for i := range 30 {
		archived := fmt.Sprintf("archive/global/one%d.json", i)
		w.write(t, "global/all.json", elements(i+1))
		w.write(t, archived, record(fmt.Sprintf("one%d", i), strings.Repeat("long ", 30)))
		if snap = w.store.Reload(day, snap, []string{"global/all.json", archived}); snap == nil {
			t.Fatal("it is to be loaded")
		}
	}
	images := map[*image]bool{}
	for _, l := range append(snap.bare[:], snap.live, snap.archived) {
		for i := range l.parts {
			images[l.parts[i].of.im] = true
		}
	}
	rows := 0
	for im := range images {
		rows += im.records.len()
	}
	if most := 2*snap.Total() + 400; rows > most { // once more what was loaded
		t.Errorf("%d rows are kept for %d memories, more than %d", rows, snap.Total(), most)
	}
}

// What a snapshot was brought along from is in memory no more, whatever was asked of it.
func TestReloadLetsGo(t *testing.T) {
	w := cached(t)
	for i := range 20 {
		w.write(t, fmt.Sprintf("global/%02d.json", i), record(fmt.Sprintf("one%d", i), "one"))
	}
	w.write(t, "global/_index.json", `{"memories":[{"id":"one1","json_path":"./01.json"}]}`)
	snap := w.load(t, true)
	var before []weak.Pointer[Snapshot]
	for i := range 3 {
		for _, x := range snap.Indexes {
			if i == 0 { // of the others nobody asks what they say
				_, _ = x.Entries(), x.Count()
			}
		}
		if m := snap.Live("one1"); m == nil || !snap.Taken("global/01.json") || snap.Owners()(m.File) == nil || snap.EditedSinceSeen(m) {
			t.Fatalf("%+v", m)
		}
		before = append(before, weak.Make(snap))
		name := fmt.Sprintf("global/%02d.json", i)
		w.write(t, name, record(fmt.Sprintf("one%d", i), "another"))
		w.write(t, "global/_index.json", fmt.Sprintf(`{"version":"%d","memories":[{"id":"one1","json_path":"./01.json"}]}`, i))
		if snap = w.store.Reload(day, snap, []string{name, "global/_index.json"}); snap == nil {
			t.Fatal("it is to be loaded")
		}
	}
	runtime.GC()
	for i, was := range before {
		if was.Value() != nil {
			t.Errorf("that of before change %d still is", i)
		}
	}
	if len(snap.Find("one3")) != 1 || snap.base == nil {
		t.Error("it was not brought along")
	}
}

// made is how many memories are made, those of this snapshot or of those that it is made of.
func made(s *Snapshot) (n int) {
	rosters := map[*roster]bool{}
	for _, l := range append(s.bare[:], s.live, s.archived) {
		rosters[l] = true
		for i := range l.parts {
			rosters[l.parts[i].of] = true
		}
	}
	for l := range rosters {
		for i := range l.made {
			if l.made[i].Load() != nil {
				n++
			}
		}
	}
	return n
}

// equals compares all that two snapshots tell.
func equals(r *rapid.T, want, got *Snapshot, names []string) {
	if diff := gocmp.Diff(told(want), told(got)); diff != "" {
		r.Fatalf("brought along by %q it differs (-loaded +brought along):\n%s", names, diff)
	}
	for _, id := range append(want.IDs(), someIDs...) {
		refs := func(s *Snapshot) (all []string) {
			for _, m := range s.Find(id) {
				all = append(all, fmt.Sprint(m.Ref, m.Archived, m.AccessCount))
			}
			if m := s.Live(id); m != nil {
				all = append(all, "live "+m.Ref.String())
			}
			return append(all, fmt.Sprint(s.Repeats(id)))
		}
		if diff := gocmp.Diff(refs(want), refs(got)); diff != "" {
			r.Fatalf("brought along by %q it finds others for %s (-loaded +brought along):\n%s", names, id, diff)
		}
		for _, m := range got.Find(id) {
			if !slices.Contains(slices.Concat(got.Memories(), got.Archived()), m) {
				r.Fatalf("%s at %s is one of before", id, m.Ref)
			}
		}
	}
	for file := range want.files {
		if !got.Taken(file) || !got.Taken(strings.ToUpper(file)) {
			r.Fatalf("%s isn't taken", file)
		}
	}
	told := func(s *Snapshot) any { return []any{s.LastRun, s.Deferred, s.Review.Pairs, s.access.ByID} }
	if diff := gocmp.Diff(told(want), told(got)); diff != "" {
		r.Fatalf("brought along by %q it knows other runs (-loaded +brought along):\n%s", names, diff)
	}
}

// follows checks that the memories that are said to have stayed are the very same, and all that are.
func follows(r *rapid.T, was, now *Snapshot, stayed []int32) {
	if len(stayed) != now.Total() {
		r.Fatalf("told of %d memories, of %d", len(stayed), now.Total())
	}
	before := map[*Memory]bool{}
	for _, m := range slices.Concat(was.Memories(), was.Archived()) {
		before[m] = true
	}
	for i, at := range stayed {
		switch m := now.Memory(i); {
		case at >= 0 && was.Memory(int(at)) != m:
			r.Fatalf("%s has come, and is told to have stayed", m.Ref)
		case at < 0 && before[m]:
			r.Fatalf("%s was there, and is told to have come", m.Ref)
		}
	}
}
