package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
)

// reader is somebody who reads without the lock. From one stage of a scenario to
// the next it must always find each memory that is in both.
type reader struct {
	from, to map[string]string
	files    int // files read
	entries  int // index entries followed
}

// look reads everything that people see: every .json is valid (or as broken as it
// was), no index names a file that isn't there, no memory is missing, nor is one listed nowhere.
func (r *reader) look(m *faultfs.Mem) error {
	now := visible(m)
	for name, text := range now {
		if !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ConflictsDir+"/") {
			continue
		}
		r.files++
		if !json.Valid([]byte(text)) && r.from[name] != text {
			return fmt.Errorf("%s is broken: %q", name, text)
		}
		if path.Base(name) != memory.IndexFile || r.from[name] == text && !json.Valid([]byte(text)) {
			continue
		}
		x, err := indexfile.Parse(name, []byte(text))
		if err != nil {
			return err
		}
		for _, e := range x.Entries() {
			r.entries++
			if _, ok := now[e.File]; !ok {
				return fmt.Errorf("%s lists %s in %s, which isn't there", name, e.ID, e.FilePath)
			}
		}
	}
	for of, how := range map[string]func(map[string]string) map[string]bool{"is nowhere": ids, "is listed nowhere": listed} {
		there, after := how(now), how(r.to)
		for id := range how(r.from) {
			if after[id] && !there[id] {
				return fmt.Errorf("%s %s", id, of)
			}
		}
	}
	return nil
}

// listed are the ids that an index names where they are.
func listed(files map[string]string) map[string]bool {
	all := map[string]bool{}
	for name, text := range files {
		if path.Base(name) != memory.IndexFile {
			continue
		}
		x, err := indexfile.Parse(name, []byte(text))
		if err != nil {
			continue
		}
		for _, e := range x.Entries() {
			if _, there := files[e.File]; there && note.Is(e.File) {
				all[e.ID] = true
			}
			records, err := memory.ParseRecords(e.File, []byte(files[e.File]))
			if err == nil && slices.ContainsFunc(records, func(m *memory.Memory) bool { return m.ID == e.ID }) {
				all[e.ID] = true
			}
		}
	}
	return all
}

// ids are those of all memories, live and archived; for a note its text.
func ids(files map[string]string) map[string]bool {
	all := map[string]bool{}
	for name, text := range files {
		if strings.HasPrefix(name, memory.OpsDir+"/") || path.Base(name) == memory.IndexFile {
			continue
		}
		if note.Is(name) {
			all[text] = true
			continue
		}
		records, err := memory.ParseRecords(name, []byte(text))
		if err != nil {
			continue
		}
		for _, m := range records {
			all[m.ID] = true
		}
	}
	return all
}

// watched runs the commands of a scenario with a reader who looks after each step
// that changes something.
func (sc *scenario) watched(m *faultfs.Mem, stages []map[string]string, seam func(durable.FS) durable.FS) (looks int, total reader, err error) {
	for i, step := range sc.steps {
		r := &reader{from: stages[i], to: stages[i+1]}
		hook := &faultfs.Hook{FS: m}
		hook.After = func(s faultfs.Step) {
			if s.Writes && err == nil {
				looks++
				if lerr := r.look(m); lerr != nil {
					err = fmt.Errorf("after step %d, %s %s %s: %w", s.N, s.Op, s.Name, s.To, lerr)
				}
			}
		}
		if serr := step(sc.store(seam(hook), i)); serr != nil {
			return looks, total, serr
		}
		total.files, total.entries = total.files+r.files, total.entries+r.entries
	}
	return looks, total, err
}

// TestReadersNeedNoLock lets somebody read without the lock after each step of
// each scenario, and, after a kill at each, of recovery. (A loss of power may leave
// any part of what was not synced: there only recovery helps.)
func TestReadersNeedNoLock(t *testing.T) {
	looks, files, entries := 0, 0, 0
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			var stages []map[string]string
			for _, m := range sc.after(t) {
				stages = append(stages, visible(m))
			}
			n, r, err := sc.watched(sc.disk(t), stages, plain)
			if err != nil {
				t.Fatal(err)
			}
			looks, files, entries = looks+n, files+r.files, entries+r.entries
			stride := size(31, 7, 1)
			if len(sc.files) > 20 {
				stride *= 13
			}
			for i, p := range sc.points(t, plain) {
				if i%stride != 0 || p.acked == len(sc.steps) {
					continue
				}
				r := &reader{from: stages[p.acked], to: stages[p.acked+1]}
				m := p.disk.Crash(faultfs.Ordered, faultfs.Nothing, 0)
				err := sc.recovered(&faultfs.Hook{FS: m, After: func(s faultfs.Step) {
					if !s.Writes || t.Failed() {
						return
					}
					looks++
					if err := r.look(m); err != nil {
						t.Errorf("killed before step %d, recovery after step %d, %s %s %s: %v", p.step.N, s.N, s.Op, s.Name, s.To, err)
					}
				}})
				if err != nil {
					t.Fatal(err)
				}
				files, entries = files+r.files, entries+r.entries
			}
		})
	}
	t.Logf("%d looks at %d files and %d index entries", looks, files, entries)
	if looks < 500 || entries < 500 {
		t.Error("too little was looked at")
	}
}

// deletesFirst is a file system on which archiving works the wrong way round: the
// live file is away while its copy is put into the archive.
type deletesFirst struct{ durable.FS }

func (d deletesFirst) Move(from, to string) error {
	if strings.HasPrefix(to, memory.ArchiveDir+"/") && !strings.HasSuffix(to, memory.IndexFile) {
		live := "agents/a/" + path.Base(to)
		if err := d.FS.Move(live, live+".gone"); err != nil {
			return err
		}
		return errors.Join(d.FS.Move(from, to), d.FS.Move(live+".gone", live))
	}
	return d.FS.Move(from, to)
}

// A reader who sees nothing proves nothing.
func TestReadersSeeBugs(t *testing.T) {
	sc := scenarios()[0]
	_, _, err := sc.watched(sc.disk(t), sc.stages(t), func(f durable.FS) durable.FS { return deletesFirst{f} })
	if err == nil || !strings.Contains(err.Error(), "isn't there") && !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("the reader sees %v", err)
	}
}
