package workspace_test

import (
	"errors"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/memdisk"
)

// reader sees what is global and team a's, and writes the latter only.
type reader struct{}

func (reader) Name() string              { return "reader" }
func (reader) Read(s memory.Scope) bool  { return s.String() == "global" || s.String() == "team:a" }
func (reader) Write(s memory.Scope) bool { return s.String() == "team:a" }

// What may not be seen is in no list, index or problem, and what may not be written stays.
func TestAccess(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	d := memdisk.New()
	record := func(id string) []byte {
		return []byte(`{"id": "` + id + `", "type": "semantic", "content": "text of ` + id + `"}`)
	}
	for _, err := range []error{
		d.Put("global/g.json", record("g")), d.Put("teams/a/a.json", record("a")), d.Put("teams/b/b.json", record("b")),
		d.Put("agents/X/all.json", []byte(`{"entries": [`+string(record("x"))+`]}`)), d.Put("teams/b/broken.json", []byte("{")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	owner := workspace.OpenOn(d)
	all, err := owner.Load(at)
	if err != nil || len(all.Memories()) != 4 {
		t.Fatalf("%d memories, %v", len(all.Memories()), err)
	}
	archive := func(s *workspace.FileStore, snap *memory.Snapshot, id string) error {
		_, err := s.Commit(t.Context(), &workspace.Tx{Plan: memory.Command(snap, s.Log().Head(), memory.Action{
			Action: oplog.Action{Type: oplog.Archive, Rule: memory.RuleManual, MemoryID: id, Reason: "test"},
			Ops:    []memory.Op{all.NewFiles().Archive(all.Live(id), nil)},
		})})
		return err
	}
	s := workspace.OpenOn(d)
	s.Access = reader{}
	snap, err := s.Load(at)
	if err != nil || snap.Live("g") == nil || snap.Live("a") == nil || snap.Live("b") != nil || snap.Live("x") != nil || len(snap.IDs()) != 2 {
		t.Fatalf("%v, %v", snap.IDs(), err)
	}
	for _, p := range snap.Problems {
		t.Errorf("a problem: %+v", p)
	}
	for _, x := range snap.Indexes {
		if x.File != "global/_index.json" && x.File != "teams/a/_index.json" {
			t.Errorf("an index: %s", x.File)
		}
	}
	for _, id := range []string{"g", "b", "x"} {
		if err := archive(s, snap, id); !errors.Is(err, workspace.ErrForbidden) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if err := archive(s, snap, "a"); err != nil {
		t.Error(err)
	}
	if err := archive(owner, all, "b"); err != nil {
		t.Error(err)
	}
	if snap, err = s.Load(at); err != nil || len(snap.Archived()) != 1 || len(snap.IDs()) != 2 {
		t.Errorf("%v, %v", snap.IDs(), err)
	}
}
