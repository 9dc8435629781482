package tx

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// Version is one change of a memory by a run whose record is kept.
type Version struct {
	RunID  string
	At     time.Time // as of when the run worked
	UndoOf string
	Action oplog.Action
	From   memory.Ref // where it stood
	To     memory.Ref // where it is afterwards
	Before []byte     // nil: the run created it
	After  []byte     // nil: the run took it away
}

// past is what a finished run did to a memory.
type past struct {
	name     string
	started  time.Time
	logged   int // entries of the log behind it
	versions []Version
}

// pasts tells it of all finished runs, oldest first by the clock of the machine. Those whose
// records can't be read are left out; check reports them. One record is in memory at a time: it
// has the whole of each file that its run changed.
func (s *Store) pasts(id string) ([]past, error) {
	names, _, err := journal.Runs(s.Root)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", journal.RunsDir, err)
	}
	var all []past
	for _, name := range names {
		p, err := s.past(name, id)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, journal.ErrDamaged) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b past) int {
		return cmp.Or(a.started.Compare(b.started), cmp.Compare(a.logged, b.logged))
	})
	return all, nil
}

func (s *Store) past(name, id string) (past, error) {
	run := newPastRun(name, s.Notes)
	if err := journal.Read(s.Root, journal.Dir(name)+"/"+journal.DoneFile, run.d); err != nil {
		return past{}, err
	}
	p := past{name: name, started: run.d.Started, logged: run.d.Log.Count}
	if concerns, err := journal.ReadOf(s.Root, journal.RunsDir+"/"+name+"/"+journal.File, id, run.j); err != nil {
		return past{}, err
	} else if concerns {
		p.versions = run.versions(id)
	}
	return p, nil
}

// Kept tells which of some memories the records of runs have a text of.
func (s *Store) Kept(ids map[string]bool) (map[string]bool, error) {
	names, _, err := journal.Runs(s.Root)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", journal.RunsDir, err)
	}
	kept := map[string]bool{}
	for _, name := range names {
		run := newPastRun(name, s.Notes)
		err := journal.Read(s.Root, journal.Dir(name)+"/"+journal.DoneFile, run.d)
		if err == nil {
			err = journal.Read(s.Root, journal.RunsDir+"/"+name+"/"+journal.File, run.j)
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, journal.ErrDamaged) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		for i := range run.j.Actions {
			for _, op := range run.j.Actions[i].Ops {
				if ids[op.ID] && !kept[op.ID] {
					kept[op.ID] = slices.ContainsFunc(run.versions(op.ID), func(v Version) bool { return v.Before != nil || v.After != nil })
				}
			}
		}
	}
	return kept, nil
}

// History lists the changes of a memory by runs whose records are kept, oldest
// first. Edits by hand are not runs: they show as a difference between what one
// version leaves and the next finds.
func (s *Store) History(id string) ([]Version, error) {
	all, err := s.pasts(id)
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", id, err)
	}
	var out []Version
	for _, p := range all {
		out = append(out, p.versions...)
	}
	return out, nil
}

func (p pastRun) versions(id string) (out []Version) {
	for i := range p.j.Actions {
		a := &p.j.Actions[i]
		if !p.alive(a) {
			continue
		}
		for _, op := range a.Ops {
			if op.ID != id || op.Idle() {
				continue
			}
			v := Version{RunID: p.name, At: p.j.At, UndoOf: p.j.UndoOf, Action: a.Action}
			v.From, _ = memory.ParseRef(op.Ref)
			v.To = v.From
			if op.To != "" {
				v.To, _ = memory.ParseRef(op.To)
			}
			if op.Kind != journal.Create {
				v.Before, _ = p.record(v.From, true, id, memory.Digest(op.Base))
			}
			if op.Kind != journal.Remove {
				v.After, _ = p.record(v.To, false, id, memory.Digest(op.Next))
			}
			out = append(out, v)
		}
	}
	return out
}

// RecordAt returns a memory as the run left it, whether or not that run changed
// it. [ErrNoRun] and [ErrNotFound] as the case may be.
func (s *Store) RecordAt(id, runID string) (*memory.Memory, error) {
	all, err := s.pasts(id)
	if err != nil {
		return nil, fmt.Errorf("%s as of %s: %w", id, runID, err)
	}
	at := slices.IndexFunc(all, func(p past) bool { return p.name == runID })
	if at < 0 {
		return nil, fmt.Errorf("%s: %w", runID, ErrNoRun)
	}
	for i := at; i >= 0; i-- {
		if vs := all[i].versions; len(vs) > 0 {
			v := vs[len(vs)-1]
			if v.After == nil {
				return nil, fmt.Errorf("%s after %s: %w", id, runID, ErrNotFound)
			}
			return memory.ParseRecord(v.After, v.To), nil
		}
	}
	for _, p := range all[at+1:] { // what the next run to change it has found
		if vs := p.versions; len(vs) > 0 {
			if vs[0].Before == nil {
				return nil, fmt.Errorf("%s after %s: %w", id, runID, ErrNotFound)
			}
			return memory.ParseRecord(vs[0].Before, vs[0].From), nil
		}
	}
	return nil, nil // no run has changed it: it is as it is
}
