package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
)

const whole = `{"id":"a","type":"semantic","content":"x"}`

// A file that an editor is saving in place is read again until it is whole; one
// that stays broken is a problem, and costs no waiting once it is old.
func TestHalfSavedFile(t *testing.T) {
	for _, c := range []struct {
		name    string
		saved   time.Duration // when the rest of it is there; 0: never
		age     time.Duration
		waits   time.Duration
		problem bool
	}{
		{"mended in time", 60 * time.Millisecond, 0, 100 * time.Millisecond, false},
		{"stays broken", 0, 0, 100 * time.Millisecond, true},
		{"broken for long", 0, time.Hour, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				file := filepath.Join(dir, "a.json")
				write := func(text string) {
					if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
						t.Error(err)
					}
					written := time.Now().Add(-c.age)
					if err := os.Chtimes(file, written, written); err != nil {
						t.Error(err)
					}
				}
				write(whole[:20])
				if c.saved > 0 {
					time.AfterFunc(c.saved, func() { write(whole) })
				}
				s, err := Open(dir)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				start := time.Now()
				snap, err := s.Load(start)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != c.waits {
					t.Errorf("waited %v, want %v", took, c.waits)
				}
				if (len(snap.Problems) > 0) != c.problem || (len(snap.Memories()) == 0) != c.problem {
					t.Errorf("%d memories, problems %v", len(snap.Memories()), snap.Problems)
				}
			})
		})
	}
}

// A run that moves a memory from a directory which the reader has still to read
// into one that it has read must not make the memory vanish.
func TestLoadDuringARun(t *testing.T) {
	disk := faultfs.New()
	for _, dir := range []string{"archive", "global", "ops", "ops/runs"} {
		if err := disk.Mkdir(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := durable.Write(disk, "global/a.json", []byte(whole), 0o644); err != nil {
		t.Fatal(err)
	}
	moved := false
	hook := &faultfs.Hook{FS: disk, Before: func(step faultfs.Step) error {
		if step.Op != "readdir" || step.Name != "global" || moved {
			return nil
		}
		moved = true
		s := newStore(disk, "mem")
		snap, _, err := s.load(time.Now(), nil)
		if err == nil {
			_, err = s.Commit(t.Context(), &Tx{Plan: memory.Command(snap, "", memory.Action{Ops: []memory.Op{{
				Kind: memory.Move, ID: "a", Base: snap.Live("a").Digest(), Ref: snap.Live("a").Ref, To: memory.Ref{File: "archive/a.json"},
			}}})})
		}
		return err
	}}
	synctest.Test(t, func(t *testing.T) {
		snap, err := newStore(hook, "mem").Load(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if found := snap.Find("a"); len(found) != 1 || !found[0].Archived || !moved {
			t.Errorf("moved %v, found %v", moved, found)
		}
	})
}

// A run that nobody finishes is reported, as what it may be.
func TestLoadTellsOfAnOpenRun(t *testing.T) {
	disk := faultfs.New()
	for _, dir := range []string{"ops", "ops/runs", "ops/runs/r"} {
		if err := disk.Mkdir(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := durable.Write(disk, "ops/runs/r/journal.json", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		snap, err := newStore(disk, "mem").Load(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if len(snap.Problems) != 1 || !strings.Contains(snap.Problems[0].Message, "interrupted") {
			t.Errorf("problems %v", snap.Problems)
		}
	})
}
