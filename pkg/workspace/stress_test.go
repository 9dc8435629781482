//go:build unix

package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

func restoring(id string) oplog.Action {
	return oplog.Action{Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: id}
}

func archiveOf2(snap *memory.Snapshot, m *memory.Memory, files *memory.NewFiles) memory.Action {
	return memory.Action{
		Action: oplog.Action{Type: oplog.Archive, Rule: memory.RuleManual, MemoryID: m.ID, Reason: "stress"},
		Ops:    []memory.Op{files.Archive(m, nil)},
	}
}

// TestStress lets several processes change the same memories, kills half of them
// again and again, and has editors write into the same files all the while: no
// edit is lost, no reader ever sees a broken file of ours, the chain holds.
// A few seconds; a minute with MEMORYD_HARNESS=full.
func TestStress(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	const editors, memories = 8, 4 // files per editor
	files := map[string]string{}
	for e := range editors {
		for i := range memories {
			id := fmt.Sprintf("e%d-%d", e, i)
			files["mem/"+id+".json"] = record(id, "start")
		}
	}
	dir := onNewDisk(t, indexed(files, "mem"))
	ctx, stop := context.WithTimeout(context.Background(), time.Duration(size(0, 3, 60))*time.Second)
	defer stop()
	var group sync.WaitGroup
	var edited, kills, reads atomic.Int64
	for n := range 6 {
		group.Go(func() {
			for seed := 0; ctx.Err() == nil; seed++ {
				cmd := spawn(fmt.Sprintf("apply %s %d", dir, n*1000+seed))
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				lives := time.Hour
				if n%2 == 0 {
					lives = time.Duration(50+rand.IntN(300)) * time.Millisecond
				}
				if kill(ctx, t, cmd, lives) {
					kills.Add(1)
				}
			}
		})
	}
	for e := range editors {
		group.Go(func() {
			ed := editor{dir: dir, inPlace: e%2 == 0, tokens: map[string]string{}}
			for n := 0; ctx.Err() == nil; n++ {
				id := fmt.Sprintf("e%d-%d", e, rand.IntN(memories))
				if err := ed.edit(id, fmt.Sprintf("token-%d-%d-", e, n)); err != nil {
					t.Error(err)
					return
				}
				edited.Add(1)
			}
		})
	}
	group.Go(func() {
		for ctx.Err() == nil {
			for _, name := range []string{memory.LogFile, "mem/_index.json", "archive/_index.json"} {
				text, err := os.ReadFile(filepath.Join(dir, name))
				if err == nil && !json.Valid(text) {
					t.Errorf("a reader sees %s broken", name)
					return
				}
				reads.Add(1)
			}
		}
	})
	group.Wait()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	release, err := s.lock(context.Background(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	problems, entries, _, err := s.Log().Verify()
	if err != nil || len(problems) > 0 {
		t.Errorf("log: %v %v", problems, err)
	}
	t.Logf("%d edits, %d kills, %d reads, %d log entries", edited.Load(), kills.Load(), reads.Load(), entries)
	if edited.Load() == 0 || kills.Load() == 0 || entries == 0 {
		t.Error("too little happened")
	}
}

// kill waits for a process, and kills it when its time or the test's is over. It
// must not end by itself.
func kill(ctx context.Context, t *testing.T, cmd *exec.Cmd, lives time.Duration) bool {
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	select {
	case err := <-over:
		t.Errorf("a process that applies gave up: %v", err)
		return false
	case <-ctx.Done():
	case <-time.After(lives):
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_, err := killed(<-over)
	if err != nil {
		t.Error(err)
	}
	return true
}

// editor writes into files of its own and looks, before it writes the next time,
// whether what it wrote the last time is still somewhere.
type editor struct {
	dir     string
	inPlace bool
	tokens  map[string]string
}

func (ed *editor) edit(id, token string) error {
	file := filepath.Join(ed.dir, "mem", id+".json")
	if err := ed.look(id, file); err != nil {
		return err
	}
	text := []byte(record(id, token))
	ed.tokens[id] = token
	if ed.inPlace {
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_TRUNC, 0)
		if errors.Is(err, fs.ErrNotExist) {
			delete(ed.tokens, id) // archived at the moment
			return nil
		}
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		return errors.Join(err, f.Close())
	}
	tmp := filepath.Join(ed.dir, "mem", ".editor-"+id)
	return errors.Join(os.WriteFile(tmp, text, 0o644), os.Rename(tmp, file))
}

// look searches for the last token: in the live file, else everywhere. A file may
// be on its way while it looks, so it looks again a few times.
func (ed *editor) look(id, file string) error {
	token, ok := ed.tokens[id]
	if !ok {
		return nil
	}
	for range 50 {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), token) {
			return nil
		}
		found := false
		err := filepath.WalkDir(ed.dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "journal") {
				return nil //nolint:nilerr // it has just gone
			}
			if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), token) {
				found = true
				return fs.SkipAll
			}
			return nil
		})
		if err != nil || found {
			return err
		}
	}
	return fmt.Errorf("%s: the edit %s is nowhere", id, token)
}
