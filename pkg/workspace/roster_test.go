package workspace

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// What the cache tells of memories is told alike by whoever makes them all, makes one,
// and only looks; and each is made once, whoever asks.
func TestRoster(t *testing.T) {
	w := cached(t)
	w.write(t, AccessFile, `{"id":"b","n":3,"at":"2026-01-02T03:04:05Z"}`+"\n")
	want := w.load(t, true)
	all := want.Memories()
	one, looked := w.load(t, true), w.load(t, true)
	var room Room
	for i, m := range all {
		if diff := gocmp.Diff(toldOf(m), toldOf(one.Memory(i))); diff != "" {
			t.Errorf("made alone it is another (-all +one):\n%s", diff)
		}
		glance := looked.Glance(i, &room)
		if diff := gocmp.Diff(toldOf(m), toldOf(glance)); diff != "" {
			t.Errorf("looked at it is another (-all +glance):\n%s", diff)
		}
		if glance.Text() != m.Text() || looked.ID(i) != m.ID || looked.Row(i) != want.Row(i) || looked.Len() != len(all) {
			t.Errorf("%s: looked at it says %q, is %s in row %d", m.Ref, glance.Text(), looked.ID(i), looked.Row(i))
		}
		if looked.Made(i) != nil && m.Unfolded == 0 {
			t.Errorf("%s was made, and nobody has asked for it", m.Ref)
		}
	}
	asked := w.load(t, true)
	var group sync.WaitGroup
	found := make([][]*Memory, 8)
	for n := range found {
		group.Go(func() {
			if n%2 == 0 {
				found[n] = asked.Memories()
				return
			}
			for i := range asked.Len() {
				found[n] = append(found[n], asked.Memory(i))
			}
		})
	}
	group.Wait()
	for _, ms := range found {
		if !slices.Equal(ms, found[0]) {
			t.Fatal("two who asked at the same time have got different ones")
		}
	}
}

// A fingerprint that somebody knows is told to whoever looks at the memory, now or after a reload, without
// making it; and not to whoever looks at what has become of it.
func TestKnownFingerprints(t *testing.T) {
	w := cached(t)
	w.write(t, AccessFile, `{"id":"b","n":3,"at":"2026-01-02T03:04:05Z"}`+"\n")
	for _, cached := range []bool{true, false} {
		snap := w.load(t, cached)
		counted := map[int]bool{} // in copies, with their reads
		for i := range snap.Len() {
			counted[i] = snap.Made(i) != nil
			if snap.KnownFingerprint(i) != 0 {
				t.Errorf("%s: known, and nobody has said so", snap.ID(i))
			}
			snap.KnowFingerprint(i, uint64(i+1))
		}
		changed := snap.Memory(snap.Len() - 1).File
		told := func(s *Snapshot, i int, want uint64) {
			t.Helper()
			var room Room
			if s.KnownFingerprint(i) != want || s.Glance(i, &room).KnownFingerprint() != want {
				t.Errorf("%s: %d, and at a glance %d, not %d", s.ID(i), s.KnownFingerprint(i), room.m.KnownFingerprint(), want)
			}
		}
		for i := range snap.Len() {
			told(snap, i, uint64(i+1))
			if made := snap.Made(i) != nil; made != (counted[i] || i == snap.Len()-1) {
				t.Errorf("%s: made: %v", snap.ID(i), made)
			}
		}
		w.tick(t)
		doc, err := os.ReadFile(w.file(changed))
		if err != nil {
			t.Fatal(err)
		}
		w.write(t, changed, strings.Replace(string(doc), `"id"`, `"note": 1, "id"`, 1))
		next := w.store.Reload(snap.At, snap, []string{changed})
		if next == nil || next.Len() != snap.Len() {
			t.Fatal("it could not be brought along")
		}
		for i := range next.Len() {
			want := uint64(i + 1)
			var room Room
			if next.Glance(i, &room).File == changed {
				want = 0
			}
			told(next, i, want)
			if m := next.Memory(i); m.KnownFingerprint() != want {
				t.Errorf("%s, made: %d, not %d", m.ID, m.KnownFingerprint(), want)
			}
		}
		w.write(t, changed, string(doc))
		w.tick(t)
	}
}

// load loads with the cache, or without, as a new process does.
func (w *reusing) load(t testing.TB, cached bool) *Snapshot {
	t.Helper()
	store, err := Open(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	store.NoCache, store.Racy, store.Derive = !cached, 0, w.store.Derive
	snap, err := store.Load(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// A table of ids finds each row, and no more than its hash makes it look at.
func TestIDTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.StringMatching(`[a-d]{0,3}|mem_[0-9]{12,20}`), 0, 200).Draw(t, "ids")
		table := newIDTable(len(ids), func(row int) string { return ids[row] })
		if several := len(slices.Compact(slices.Sorted(slices.Values(ids)))) < len(ids); table.several() != several {
			t.Fatalf("several have one id: %v, want %v", table.several(), several)
		}
		for _, id := range append(ids, "absent") {
			var want, got []int
			for row, other := range ids {
				if other == id {
					want = append(want, row)
				}
			}
			table.find(id, func(row int) bool { return ids[row] == id }, func(row int) bool {
				got = append(got, row)
				return true
			})
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%q is found at %v, want %v", id, got, want)
			}
		}
	})
}

// Whatever has changed since the cache was written, a memory is found by its id as by
// whoever has read everything.
func TestFindInCache(t *testing.T) {
	w := cached(t)
	for i := range 200 { // so that few edits leave the table in use
		w.write(t, fmt.Sprintf("global/more/%03d.json", i), record(fmt.Sprintf("more%d", i), "one"))
	}
	turn := 0
	rapid.Check(t, func(r *rapid.T) {
		w.tick(t)
		w.same(r) // and keeps it
		for range rapid.IntRange(0, 6).Draw(r, "edits") {
			turn++
			name := fmt.Sprintf("global/more/%03d.json", rapid.IntRange(0, 210).Draw(r, "file"))
			switch rapid.IntRange(0, 3).Draw(r, "edit") {
			case 0:
				if err := os.RemoveAll(w.file(name)); err != nil {
					r.Fatal(err)
				}
			case 1:
				w.write(t, strings.Replace(name, "global", "archive", 1), record(fmt.Sprintf("more%d", turn%7), "one"))
			default:
				w.write(t, name, record(fmt.Sprintf("more%d", turn%5+rapid.IntRange(0, 200).Draw(r, "id")), "one"))
			}
		}
		w.tick(t)
		got, want := w.load(t, true), w.load(t, false)
		refs := func(ms []*Memory) (refs []string) {
			for _, m := range ms {
				refs = append(refs, m.Ref.String())
			}
			return refs
		}
		for _, id := range append(want.IDs(), "absent") {
			if diff := gocmp.Diff(refs(want.Find(id)), refs(got.Find(id))); diff != "" {
				r.Fatalf("%s (-read +cached):\n%s", id, diff)
			}
			if got.Repeats(id) != want.Repeats(id) {
				r.Fatalf("%s stands several times: %v", id, got.Repeats(id))
			}
		}
		if !slices.Equal(got.IDs(), want.IDs()) {
			r.Fatalf("ids %v, want %v", got.IDs(), want.IDs())
		}
	})
}

// TestMadeAtOnce asks for single memories while all are made: each is made once, and who
// has all reads them without a race.
func TestMadeAtOnce(t *testing.T) {
	const n = 3000
	disk := faultfs.New()
	if err := disk.Mkdir("global"); err != nil {
		t.Fatal(err)
	}
	doc := []byte("[")
	for i := range n {
		doc = fmt.Appendf(doc, `{"id":"m%d","type":"semantic"},`, i)
	}
	if err := disk.Put("global/all.json", append(doc, `{"id":"last","type":"semantic"}]`...)); err != nil {
		t.Fatal(err)
	}
	for round := range 20 {
		_, snap := loadedCold(t, disk, n+1)
		var group sync.WaitGroup
		single := make([]*Memory, n)
		for first := range 3 {
			group.Go(func() {
				for i := first; i < n; i += 3 {
					single[i] = snap.Memory((i*7 + round) % n)
				}
			})
		}
		for range 2 {
			group.Go(func() {
				for i, m := range snap.Memories() {
					if i < n && m.ID != fmt.Sprintf("m%d", i) {
						t.Errorf("memory %d is %s", i, m.ID)
					}
				}
			})
		}
		group.Wait()
		for i, m := range single {
			if at := (i*7 + round) % n; snap.Memories()[at] != m {
				t.Fatalf("memory %d was made twice", at)
			}
		}
	}
}

// Memories of one number have the same in common, whether they were read now or are known;
// and there are few more numbers than it needs.
func TestCommonOf(t *testing.T) {
	w := cached(t)
	write := func(i int, kind string) {
		w.write(t, fmt.Sprintf("%s/%02d.json", []string{"global", "agents/a", "agents/b", "archive"}[i%4], i), fmt.Sprintf(`{"id":"c%d","type":%q}`, i, kind))
	}
	kinds := []string{"semantic", "episodic", "procedural"}
	for i := range 60 {
		write(i, kinds[i%3])
	}
	w.tick(t)
	w.same(t) // and keeps it
	for i := 0; i < 60; i += 7 {
		write(i, kinds[(i+1)%3])
	}
	w.tick(t)
	for _, cached := range []bool{false, true} {
		snap := w.load(t, cached)
		byNumber, all := map[int]Common{}, map[Common]bool{}
		for i := range snap.Total() {
			n, is := snap.CommonOf(i), *snap.Memory(i).Common
			if n < 0 || n >= snap.Commons() {
				t.Fatalf("number %d of %d", n, snap.Commons())
			}
			if was, ok := byNumber[n]; ok && was != is {
				t.Errorf("cached %v: number %d is %+v and %+v", cached, n, was, is)
			}
			byNumber[n], all[is] = is, true
		}
		if len(byNumber) > 3*len(all) {
			t.Errorf("cached %v: %d numbers for %d", cached, len(byNumber), len(all))
		}
	}
	made := NewSnapshot(time.Time{}, w.load(t, true).Memories(), nil)
	if n := made.CommonOf(0); n != -1 || made.Commons() != 0 {
		t.Errorf("number %d of memories that were read elsewhere", n)
	}
}

// A line is never made of bytes that are not what was read any more, nor of none.
func TestNoLineOfWhatHasChanged(t *testing.T) {
	w := cached(t)
	w.write(t, "global/line.json", record("line", "before"))
	snap := w.load(t, false)
	w.write(t, "global/line.json", record("line", "after"))
	m := snap.Live("line")
	if line, err := lineNow(m); !errors.Is(err, errReading) || !strings.Contains(err.Error(), "global/line.json") {
		t.Errorf("%+v, %v", line, err)
	}
	if line, err := lineNow(w.load(t, false).Live("line")); err != nil || !strings.Contains(line.Fields, `"summary":"after"`) {
		t.Errorf("%+v, %v", line, err)
	}
}

// TestRowTime: a row keeps every time that is read of a record, to the nanosecond, with its zone.
func TestRowTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offset := rapid.IntRange(-24*3600, 24*3600).Draw(t, "offset")
		first, last := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
		at := time.Unix(rapid.Int64Range(first.Unix(), last.Unix()).Draw(t, "unix"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanosecond")).In(timestamp.Zone(offset))
		row := make([]byte, recordRow)
		putTime(row, rowUpdated, at)
		if got := rowTime(row, rowUpdated); got != at {
			t.Fatalf("%v is read back as %v", at, got)
		}
	})
}
