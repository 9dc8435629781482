package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/memory"
)

// bug is a file system on which the protocol behaves as if it had been written
// with a mistake in it.
type bug struct {
	durable.FS
	noSync    func(name string) bool // files that are not fsynced
	noSyncDir func(name string) bool // directories that are not fsynced
}

func (b *bug) Create(name string, data []byte, mode fs.FileMode) (durable.File, error) {
	f, err := b.FS.Create(name, data, mode)
	if err == nil && b.noSync != nil && b.noSync(name) {
		return unsynced{f}, nil
	}
	return f, err
}

func (b *bug) SyncFile(name string) error {
	if b.noSync != nil && b.noSync(name) {
		return nil
	}
	return durable.SyncFile(b.FS, name)
}

type unsynced struct{ durable.File }

func (unsynced) Sync() error { return nil }

func (b *bug) SyncDir(name string) error {
	if b.noSyncDir != nil && b.noSyncDir(name) {
		return nil
	}
	return b.FS.SyncDir(name)
}

// TestHarnessSeesBugs makes mistakes in the protocol on purpose: each must turn up
// as a workspace that is neither as before nor as after. A matrix that can't fail
// proves nothing.
func TestHarnessSeesBugs(t *testing.T) {
	inRun := func(name string) bool { return strings.HasPrefix(name, RunsDir) }
	for name, make := range map[string]func(durable.FS) durable.FS{
		"slots are not fsynced": func(f durable.FS) durable.FS {
			return &bug{FS: f, noSync: func(name string) bool { return path.Base(path.Dir(name)) == slotsDir }}
		},
		"the journal is not fsynced": func(f durable.FS) durable.FS {
			return &bug{FS: f, noSync: func(name string) bool { return path.Base(name) == journalTemp }}
		},
		"the line of a save is not fsynced": func(f durable.FS) durable.FS {
			return &bug{FS: f, noSync: func(name string) bool { return name == memory.SavesFile }}
		},
		"no directory is fsynced": func(f durable.FS) durable.FS {
			return &bug{FS: f, noSyncDir: func(string) bool { return true }}
		},
		"changed directories are not fsynced at the end": func(f durable.FS) durable.FS {
			return &bug{FS: f, noSyncDir: func(name string) bool { return !inRun(name) }}
		},
		"the run's names are not fsynced before the commit": func(f durable.FS) durable.FS {
			return &bug{FS: f, noSyncDir: func(name string) bool {
				_, err := f.Stat(name + "/" + journalFile)
				return inRun(name) && name != RunsDir && err != nil
			}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			states, bad := 0, 0
			all := scenarios()
			saved := slices.IndexFunc(all, func(sc scenario) bool { return sc.name == "save" })
			for _, sc := range []scenario{all[0], all[1], all[saved]} {
				if bad == 0 {
					n, found := sc.crashes(t, 4, 0, size(1, 1, 1<<30), make)
					states, bad = states+n, bad+len(found)
				}
			}
			t.Logf("%d of %d states are bad", bad, states)
			if bad == 0 {
				t.Error("the harness sees nothing wrong")
			}
		})
	}
}

// checkThenRename is the way in which files are usually replaced.
type checkThenRename struct{ durable.FS }

func (checkThenRename) Exchange(a, b string) error { return errors.ErrUnsupported }
func (checkThenRename) Link(a, b string) error     { return errors.ErrUnsupported }

// The sixth bug: without exchange and links, what an editor does between the check
// and the rename is lost. The edit matrix must see it.
func TestHarnessSeesLostEdits(t *testing.T) {
	sc := scenarios()[0]
	lost := 0
	steps, _ := sc.disturbed(sc.disk(t), func(int, faultfs.Step) error { return nil })
	for at := 1; at <= steps+40; at++ {
		m := sc.disk(t)
		m.NoLink, m.NoExchange = true, true
		if made, err := sc.editedAt(t, m, at, "in place", "agents/a/a-0.json"); made && err != nil {
			lost++
		}
	}
	t.Logf("%d edits are lost", lost)
	if lost == 0 {
		t.Error("the harness sees nothing wrong")
	}
}

// With links but without exchange an edit in place is never lost, and a renamed
// one only in one step.
func TestEditsWithLinksOnly(t *testing.T) {
	sc := scenarios()[0]
	steps, _ := sc.disturbed(sc.disk(t), func(int, faultfs.Step) error { return nil })
	lost := map[string][]string{}
	for at := 1; at <= steps+40; at++ {
		for _, kind := range edits {
			m := sc.disk(t)
			m.NoExchange = true
			if made, err := sc.editedAt(t, m, at, kind, "agents/a/a-0.json"); made && err != nil {
				lost[kind] = append(lost[kind], fmt.Sprintf("%d: %v", at, err))
			}
		}
	}
	for kind, all := range lost {
		if kind != "rename" || len(all) > 1 {
			t.Errorf("%s: %v", kind, all)
		}
	}
}

// The matrices pass without exchange, too.
func TestCrashWithoutExchange(t *testing.T) {
	for _, sc := range scenarios()[:4] {
		for _, link := range []bool{true, false} {
			_, bad := sc.crashes(t, size(0, 1, 4), 0, 0, func(f durable.FS) durable.FS {
				if link {
					return noExchange{f}
				}
				return checkThenRename{noExchange{f}}
			})
			report(t, bad)
		}
	}
}

type noExchange struct{ durable.FS }

func (noExchange) Exchange(a, b string) error { return errors.ErrUnsupported }
func (noExchange) Move(a, b string) error     { return errors.ErrUnsupported }
