package ops_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

var day = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// documents are those on a disk; writers take turns by a mutex.
func documents(disk durable.FS) *ops.Ops {
	var writer sync.Mutex
	return ops.New(disk, 1, func() time.Time { return day }, func() error { return nil }, func(context.Context, string) (func() error, error) {
		writer.Lock()
		return func() error { writer.Unlock(); return nil }, nil
	})
}

func lines(t interface{ Fatal(...any) }, disk *faultfs.Mem, name string) (n int) {
	for line := range strings.Lines(disk.Files()[name]) {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

func TestUseCountsOnce(t *testing.T) {
	disk := faultfs.New()
	o := documents(disk)
	for _, use := range []ops.Use{
		{At: day, From: "show"}, {At: day.Add(time.Hour), From: "recall"}, {At: day, Session: "s1"}, {At: day, Session: "s1", From: "search"},
		{At: day, Session: strings.Repeat("s", 1000)}, {At: day.AddDate(0, 0, 1)}, {At: day, N: 3},
	} {
		if err := o.NoteRead(use, "a", "a"); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.NoteGiven(ops.Use{At: day, Session: "s1"}); err != nil || disk.Files()[ops.GivenFile] != "" {
		t.Errorf("nothing was given: %v", err)
	}
	log, err := ops.ReadUses(disk, ops.AccessFile)
	if got := log.ByID["a"]; err != nil || got.N != 7 || !got.At.Equal(day.AddDate(0, 0, 1)) {
		t.Errorf("read %+v, %v", got, err)
	}
	if n := lines(t, disk, ops.AccessFile); n != 5 {
		t.Errorf("%d lines:\n%s", n, disk.Files()[ops.AccessFile])
	}
}

// Files stay bounded: given.jsonl by the memories, access.jsonl by those and what was read in
// the last two days.
func TestUseIsCompacted(t *testing.T) {
	disk := faultfs.New()
	o := documents(disk)
	const memories, sessions = 40, 200
	var ids []string
	for i := range memories {
		ids = append(ids, fmt.Sprintf("mem_%012d", i))
	}
	for n := range sessions {
		use := ops.Use{At: day.AddDate(0, 0, n), Session: fmt.Sprint("session ", n), From: "start"}
		if err := errors.Join(o.NoteGiven(use, ids...), o.NoteRead(use, ids...)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{ops.GivenFile, ops.AccessFile} {
		log, err := ops.ReadUses(disk, name)
		if err != nil || len(log.ByID) != memories || len(log.Doc) > 300<<10 {
			t.Errorf("%s: %d memories in %d bytes, %v", name, len(log.ByID), len(log.Doc), err)
		}
		for id, use := range log.ByID {
			if use.N != sessions || !use.At.Equal(day.AddDate(0, 0, sessions-1)) {
				t.Fatalf("%s: %s counts %+v", name, id, use)
			}
		}
	}
	for name := range disk.Files() {
		if name != ops.GivenFile && name != ops.AccessFile {
			t.Errorf("left %s", name)
		}
	}
}

// Whatever sessions do at the same time, each counts a memory once, also while the file is
// compacted.
func TestConcurrentSessions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		disk := faultfs.New()
		o := documents(disk)
		sessions, turns := rapid.IntRange(1, 5).Draw(t, "sessions"), rapid.IntRange(1, 4).Draw(t, "turns")
		if rapid.Bool().Draw(t, "long") { // so that it is compacted meanwhile
			old := strings.Repeat(`{"id":"old","at":"2026-01-01T00:00:00Z","from":"show","once":"2026-01-01"}`+"\n", 2000)
			if err := disk.Put(ops.AccessFile, []byte(old)); err != nil {
				t.Fatal(err)
			}
		}
		want := map[string]map[int]bool{}
		var wg sync.WaitGroup
		failed := make(chan error, 1000)
		for s := range sessions {
			for range turns {
				id := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id")
				if want[id] == nil {
					want[id] = map[int]bool{}
				}
				want[id][s] = true
				wg.Go(func() { failed <- o.NoteRead(ops.Use{At: day, Session: fmt.Sprint("s", s)}, id) })
			}
		}
		wg.Wait()
		close(failed)
		for err := range failed {
			if err != nil {
				t.Fatal(err)
			}
		}
		log, err := ops.ReadUses(disk, ops.AccessFile)
		if err != nil {
			t.Fatal(err)
		}
		for id, sessions := range want {
			if got := log.ByID[id].N; got != int64(len(sessions)) {
				t.Fatalf("%s was read in %d sessions, counted %d\n%.2000s", id, len(sessions), got, log.Doc)
			}
		}
	})
}

// A disk that may not be written to is an error that says what was not done.
func TestUseIsRefused(t *testing.T) {
	refused := errors.New("not allowed")
	o := ops.New(faultfs.New(), 1, time.Now, func() error { return refused }, nil)
	err := o.NoteRead(ops.Use{At: day}, "a")
	if !errors.Is(err, refused) || !strings.HasPrefix(err.Error(), "count reads: ") {
		t.Error(err)
	}
	if err := o.NoteGiven(ops.Use{At: day}, "a"); !errors.Is(err, refused) || !strings.HasPrefix(err.Error(), "note what was given: ") {
		t.Error(err)
	}
}
