package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

var day = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// scenario is a workspace and what is done to it, one commit after another.
type scenario struct {
	name  string
	files map[string]string
	steps []func(s *FileStore) error
	keep  int  // 0: as usual
	named int  // likewise
	notes bool // a host's folder of notes that was adopted; names of files are as its disk has them
}

// root is a disk as the store of the scenario sees it.
func (sc *scenario) root(fsys durable.FS) durable.FS {
	if sc.notes {
		return &noteDisk{fsys, note.OwnDir}
	}
	return fsys
}

// bare is the name that a file of the scenario has on the disk.
func (sc *scenario) bare(name string) string {
	if sc.notes && !strings.HasSuffix(name, ".md") {
		return note.OwnDir + "/" + name
	}
	return name
}

func record(id, text string) string {
	return fmt.Sprintf(`{
  "id": %q,
  "type": "semantic",
  "created_at": "2026-01-02T03:04:05Z",
  "content": {"details": %q}
}
`, id, text)
}

// indexed adds an index over the records of a directory.
func indexed(files map[string]string, dir string) map[string]string {
	var lines []indexfile.Line
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(name, dir+"/") {
			records, err := memory.ParseRecords(name, []byte(files[name]))
			if err != nil {
				panic(err)
			}
			for _, m := range records {
				lines = append(lines, memory.Line(m))
			}
		}
	}
	now, err := indexfile.Update(dir+"/"+memory.IndexFile, nil, indexfile.Want{Lines: lines}, day)
	if err != nil {
		panic(err)
	}
	files[dir+"/"+memory.IndexFile] = string(now.Doc)
	return files
}

// memories is a directory with n of them and their index.
func memories(dir string, n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		id := fmt.Sprintf("%s-%d", dir[strings.LastIndex(dir, "/")+1:], i)
		files[dir+"/"+id+".json"] = record(id, "text of "+id)
	}
	return indexed(files, dir)
}

func with(base map[string]string, more ...string) map[string]string {
	for i := 0; i < len(more); i += 2 {
		base[more[i]] = more[i+1]
	}
	return base
}

// planned commits what build makes of a fresh snapshot.
func planned(build func(*memory.Snapshot) []memory.Action, deferred ...string) func(s *FileStore) error {
	return func(s *FileStore) error {
		snap, err := s.Load(day)
		if err != nil {
			return err
		}
		plan := &memory.Plan{At: day, Trigger: "manual", Actions: build(snap), Deferred: deferred}
		plan.Seal(s.Log().Head())
		_, err = s.Commit(context.Background(), &Tx{Plan: plan, Snapshot: snap})
		return err
	}
}

func edited(m *memory.Memory, text string) []byte {
	return []byte(strings.Replace(string(m.Raw()), "text of", text+" text of", 1))
}

// mergeOf merges the memory older into survivor, as the rule does.
func mergeOf(snap *memory.Snapshot, survivor, older string, files *memory.NewFiles) memory.Action {
	a, b := snap.Live(survivor), snap.Live(older)
	edits, err := memory.TakeOver(survivor, edited(a, "merged with "+older), []*memory.Memory{a, b}, memory.VariantLimits{})
	if err != nil {
		panic(err)
	}
	merged, err := jsonedit.Apply(edited(a, "merged with "+older), edits...)
	if err != nil {
		panic(err)
	}
	return memory.Action{
		Action: oplog.Action{Type: oplog.Merge, Rule: "merge", SourceIDs: []string{older}, ResultID: survivor},
		Ops: []memory.Op{
			{Kind: memory.Put, ID: survivor, Ref: a.Ref, Base: a.Digest(), Raw: merged},
			files.Archive(b, edited(b, "superseded")),
		},
	}
}

func archiveOf(snap *memory.Snapshot, id string, files *memory.NewFiles) memory.Action {
	return memory.Action{
		Action: oplog.Action{Type: oplog.Archive, Rule: "archive", MemoryID: id, Reason: "stale"},
		Ops:    []memory.Op{files.Archive(snap.Live(id), nil)},
	}
}

func promoteOf(snap *memory.Snapshot, id, team string) memory.Action {
	m, copied := snap.Live(id), id+"-copy"
	return memory.Action{
		Action: oplog.Action{Type: oplog.Promote, Rule: "promote", MemoryID: id, ResultID: copied},
		Ops: []memory.Op{
			{Kind: memory.Create, ID: copied, To: memory.Ref{File: "teams/" + team + "/" + copied + ".json"}, Raw: []byte(strings.TrimSpace(record(copied, "text of "+copied)))},
			{Kind: memory.Put, ID: id, Ref: m.Ref, Base: m.Digest(), Raw: edited(m, "promoted")},
		},
	}
}

// copyOf writes a copy next to the memory, so that one index is both added to and changed.
func copyOf(snap *memory.Snapshot, id string) memory.Action {
	a := promoteOf(snap, id, "qa")
	a.Ops[0].To.File = path.Join(path.Dir(snap.Live(id).File), path.Base(a.Ops[0].To.File))
	return a
}

// moveOf moves the memory into another directory.
func moveOf(snap *memory.Snapshot, id, dir string) memory.Action {
	m := snap.Live(id)
	return memory.Action{
		Action: oplog.Action{Type: oplog.Archive, Rule: "archive", MemoryID: id, Reason: "stale"},
		Ops:    []memory.Op{{Kind: memory.Move, ID: id, Ref: m.Ref, To: memory.Ref{File: dir + "/" + id + ".json"}, Base: m.Digest(), Raw: []byte(strings.TrimSpace(string(m.Raw())))}},
	}
}

func reviewOf(snap *memory.Snapshot, a, b string) memory.Action {
	return memory.Action{
		Action: oplog.Action{Type: oplog.Review, Rule: "merge", MemoryIDs: []string{a, b}, Reason: "distinct_facts"},
		Pairs:  []review.Pair{memory.NewPair(snap.Live(a), snap.Live(b), "distinct_facts", nil, 1, 0.9)},
	}
}

// linkOf states an edge in the file of a directory.
func linkOf(dir, a, b string) memory.Action {
	e := edgefile.Edge{Name: edgefile.Name{From: a, Type: edgefile.DependsOn, To: b}, By: edgefile.User}
	return memory.Action{
		Action: oplog.Action{Type: oplog.Link, Rule: memory.RuleEdge, MemoryIDs: []string{a, b}, From: a, To: b, Relation: e.Type},
		Edges:  []edgefile.Change{{File: dir + "/_edges.json", Name: e.Name, Now: e.JSON()}},
	}
}

func links(a, b string) func(s *FileStore) error {
	return planned(func(*memory.Snapshot) []memory.Action { return []memory.Action{linkOf("agents/a", a, b)} })
}

func merges(dir string, n int) func(s *FileStore) error {
	return planned(func(snap *memory.Snapshot) (all []memory.Action) {
		files := snap.NewFiles()
		for i := range n {
			all = append(all, mergeOf(snap, fmt.Sprintf("%s-%d", dir, 2*i), fmt.Sprintf("%s-%d", dir, 2*i+1), files))
		}
		return all
	})
}

func archives(ids ...string) func(s *FileStore) error {
	return planned(func(snap *memory.Snapshot) (all []memory.Action) {
		files := snap.NewFiles()
		for _, id := range ids {
			if snap.Live(id) != nil {
				all = append(all, archiveOf(snap, id, files))
			}
		}
		return all
	})
}

// undoLast takes back the run that ended last, undoFirst the first one.
func undoLast(s *FileStore) error { return undoNth(s, -1) }

func undoFirst(s *FileStore) error { return undoNth(s, 0) }

// finishedRun is the record of a finished run.
type finishedRun struct {
	name string
	j    journal.Run
	d    journal.Done
}

// finished reads the records of all finished runs, oldest first.
func (s *FileStore) finished() (all []finishedRun, err error) {
	names, _, err := journal.Runs(s.root)
	for _, name := range names {
		run := finishedRun{name: name}
		failed := errors.Join(
			journal.Read(s.root, journal.Dir(name)+"/"+journal.File, &run.j),
			journal.Read(s.root, journal.Dir(name)+"/"+journal.DoneFile, &run.d))
		all, err = append(all, run), errors.Join(err, failed)
	}
	slices.SortStableFunc(all, func(a, b finishedRun) int {
		return cmp.Or(a.d.Started.Compare(b.d.Started), cmp.Compare(a.d.Log.Count, b.d.Log.Count))
	})
	return all, err
}

func undoNth(s *FileStore, n int) error {
	all, err := s.finished()
	if err != nil {
		return err
	}
	if n < 0 {
		n = len(all) - 1
	}
	_, err = s.Undo(context.Background(), all[n].name, nil, day)
	return err
}

const collection = `{
  "version": "1.0",
  "entries": [
    {"id": "c0", "type": "fact", "content": "text of c0", "n": 0.10},
    {"id": "c1", "type": "fact", "content": "text of c1"},
    {"id": "c2", "type": "fact", "content": "text of c2"}
  ]
}
`

func loggedBefore(at time.Time) string {
	doc, err := oplog.Append(nil, &oplog.Entry{RunID: "run_before", Timestamp: at, Trigger: "manual", Scope: "all", Status: oplog.Done})
	if err != nil {
		panic(err)
	}
	return string(doc)
}

// readLog is an access log with a read of nobody and a torn line.
const readLog = `
{"id":"a-0","at":"2026-02-01T00:00:00Z","from":"show"}
{"id":"gone","at":"2026-02-01T00:00:00Z"}
{"id":"a-0","at":"2026-02-02T00:00:00Z","n":3}
{"id":"a-2","at":"2026-02
{"id":"a-2","at":"2026-02-03T00:00:00Z"}
`

func foldReads(s *FileStore) error {
	snap, err := s.Load(day)
	if err != nil {
		return err
	}
	_, err = s.Commit(context.Background(), &Tx{Plan: memory.Fold(snap, s.Log().Head(), func(*memory.Memory) bool { return false })})
	return err
}

// follow brings the indexes along as a process that stays does.
func follow(s *FileStore) error {
	v := NewInventory(s)
	out, err := v.Compare(context.Background(), day)
	if err == nil && (len(out.Later) > 0 || len(v.Problems()) > 0) {
		err = fmt.Errorf("to be looked at again: %v, %v", out.Later, v.Problems())
	}
	if err == nil {
		err = out.Standing
	}
	return err
}

// updatesIndexes brings up to date what saves have left behind, as a server does a moment later.
func updatesIndexes(s *FileStore) error { return UpdateIndexes(context.Background(), s) }

// scenarios are what the crash, error and edit matrices run through.
func scenarios() []scenario {
	one := func(name string, files map[string]string, steps ...func(*FileStore) error) scenario {
		return scenario{name: name, files: files, steps: steps}
	}
	gc := one("gc", memories("agents/a", 4), archives("a-0"), archives("a-1"), archives("a-2"))
	gc.keep = 1
	merge := func(snap *memory.Snapshot) []memory.Action {
		return []memory.Action{mergeOf(snap, "a-0", "a-1", snap.NewFiles())}
	}
	deferred := one("deferred", memories("agents/a", 4), planned(merge, "a-2", "a-3"), archives("a-2"))
	deferred.named = 1
	copies := planned(func(snap *memory.Snapshot) []memory.Action {
		return []memory.Action{copyOf(snap, "a-0"), archiveOf(snap, "a-1", snap.NewFiles())}
	})
	two := memories("agents/a", 3)
	maps.Copy(two, memories("agents/b", 3))
	moves := func(id, dir, archived string) func(*FileStore) error {
		return planned(func(snap *memory.Snapshot) []memory.Action {
			return []memory.Action{moveOf(snap, id, dir), archiveOf(snap, archived, snap.NewFiles())}
		})
	}
	return []scenario{
		one("merge", memories("agents/a", 2), merges("a", 1)),
		deferred,
		one("merges", memories("agents/a", 6), merges("a", 3)),
		one("archive", memories("global", 3), archives("global-0", "global-2")),
		one("collection", indexed(map[string]string{"long/c.json": collection, "long/d.json": record("d", "text of d")}, "long"),
			planned(func(snap *memory.Snapshot) []memory.Action {
				return []memory.Action{mergeOf(snap, "c0", "c1", snap.NewFiles()), archiveOf(snap, "d", snap.NewFiles())}
			})),
		one("promote and review", memories("agents/a", 3), planned(func(snap *memory.Snapshot) []memory.Action {
			return []memory.Action{promoteOf(snap, "a-0", "qa"), reviewOf(snap, "a-1", "a-2")}
		})),
		one("log rotation", with(memories("agents/a", 2), memory.LogFile, loggedBefore(day.AddDate(0, -1, 0))), merges("a", 1)),
		one("log broken", with(memories("agents/a", 2), memory.LogFile, `{"entries": [`), merges("a", 1)),
		one("index missing", map[string]string{"agents/a/a-0.json": record("a-0", "text of a-0"), "agents/a/a-1.json": record("a-1", "text of a-1")}, merges("a", 1)),
		one("index broken", with(memories("agents/a", 2), "agents/a/_index.json", `{"entries": [`), merges("a", 1)),
		one("index of another shape", with(memories("agents/a", 2), "agents/a/_index.json",
			`{"mine": 1, "memories": [{"id": "a-1", "file": "a-1.json", "note": "kept"}], "memory_count": 1}`), merges("a", 1)),
		one("all skipped", memories("agents/a", 2), planned(func(snap *memory.Snapshot) []memory.Action {
			a := archiveOf(snap, "a-0", snap.NewFiles())
			a.Ops[0].Base = "stale"
			return []memory.Action{a}
		})),
		one("two runs", memories("agents/a", 4), merges("a", 1), archives("a-2", "a-3")),
		one("reindex", map[string]string{"agents/a/a-0.json": record("a-0", "text of a-0"), "global/g.json": record("g", "text of g")}, func(s *FileStore) error {
			_, err := s.Reindex(context.Background(), day)
			return err
		}),
		one("index followed", with(memories("agents/a", 2), "agents/a/a-2.json", record("a-2", "text of a-2")), follow),
		one("index made by following", map[string]string{"agents/a/a-0.json": record("a-0", "text of a-0")}, follow),
		one("undo", memories("agents/a", 4), merges("a", 2), undoLast),
		one("undo of a collection", indexed(map[string]string{"long/c.json": collection, "long/d.json": record("d", "text of d")}, "long"),
			planned(func(snap *memory.Snapshot) []memory.Action {
				return []memory.Action{mergeOf(snap, "c0", "c1", snap.NewFiles()), archiveOf(snap, "d", snap.NewFiles())}
			}), undoLast),
		one("undo of a merge in a collection", indexed(map[string]string{"long/c.json": collection}, "long"),
			planned(func(snap *memory.Snapshot) []memory.Action {
				return []memory.Action{mergeOf(snap, "c0", "c1", snap.NewFiles())}
			}), undoLast),
		one("undo of a large collection", map[string]string{"long/c.json": strings.Replace(collection, "text of c2", strings.Repeat("many words of c2 ", journal.Large/16), 1)},
			planned(func(snap *memory.Snapshot) []memory.Action {
				return []memory.Action{mergeOf(snap, "c0", "c1", snap.NewFiles())}
			}), undoLast),
		one("undo after an edit", memories("agents/a", 4), merges("a", 1), archives("a-0", "a-2"), undoFirst),
		one("redo", memories("agents/a", 3), planned(func(snap *memory.Snapshot) []memory.Action {
			return []memory.Action{promoteOf(snap, "a-0", "qa"), reviewOf(snap, "a-1", "a-2")}
		}), undoLast, undoLast),
		one("reads folded", with(memories("agents/a", 3), AccessFile, readLog), foldReads),
		one("undo of folded reads", with(memories("agents/a", 3), AccessFile, readLog), foldReads, undoLast),
		one("index added to and changed", memories("agents/a", 2), copies, undoLast),
		one("moved into an index that is changed", two, moves("a-0", "agents/b", "b-0")),
		one("moved out of a collection into an index that is changed", indexed(with(memories("agents/a", 2), "long/c.json", collection), "long"), moves("c0", "agents/a", "a-0")),
		one("moved both ways", two, planned(func(snap *memory.Snapshot) []memory.Action {
			return []memory.Action{moveOf(snap, "a-0", "agents/b"), moveOf(snap, "b-0", "agents/a")}
		})),
		one("edges", with(memories("agents/a", 3), "global/_edges.json", `{"edges":[{"from":"a-1","type":"FIXES","to":"a-0","note":"kept"}]}`), planned(func(snap *memory.Snapshot) []memory.Action {
			return []memory.Action{linkOf("agents/a", "a-0", "a-1"), linkOf("global", "a-1", "a-2"), archiveOf(snap, "a-2", snap.NewFiles())}
		}), undoLast, undoLast),
		one("undo of an edge behind another run", memories("agents/a", 3), links("a-0", "a-1"), links("a-1", "a-2"), undoFirst),
		one("saves moved into the log", memories("global", 1), archives("global-0"), saves("new-0"), func(s *FileStore) error { return s.MoveSaves(context.Background(), day) }),
		one("save", memories("global", 1), saves("new-0"), updatesIndexes, saves("new-1"), saves("new-2"), updatesIndexes),
		one("save and a run behind it", memories("global", 1), archives("global-0"), saves("new-0"), archives("new-0")),
		one("undo of a save", map[string]string{}, saves("new-0"), saves("new-1"), undoLast, undoLast),
		one("undo behind another run", memories("agents/a", 6), merges("a", 1), archives("a-4"), undoFirst),
		among(one("note saved", folderOf(2), saves("new-0"), saves("new-1"))),
		among(one("note saved into a full index", folderOf(5), saves("new-0"))),
		among(one("undo of a saved note", folderOf(5), saves("new-0"), undoLast, undoLast)),
		among(one("notes merged", folderOf(3), mergeNotes)),
		among(one("undo of merged notes", folderOf(3), mergeNotes, undoLast)),
		among(one("index of notes", with(folderOf(6), "MEMORY.md", "# Memory\r\n\r\n- [Note 0](note-0.md)\r\n- [Gone](gone.md)\r\nProse, without an end"), tendIndex)),
		among(one("note archived", folderOf(3), archives("md_note1"))),
	}
}

// among makes a scenario one of a host's folder of notes.
func among(sc scenario) scenario {
	sc.notes = true
	return sc
}

// notesOf is a folder of notes whose host loads ten lines of the index.
func notesOf(root durable.FS) *notes {
	l, _ := layout.Named("claude")
	l.Lines = 10
	return &notes{root: root, layout: l, manifest: note.Manifest{Version: 1, Layout: l.Name, Level: l.Level, Adopted: day}, now: func() time.Time { return day }}
}

// folderOf is an adopted folder with so many notes, of which the second is a copy of the first, and the third links to that.
func folderOf(n int) map[string]string {
	files := map[string]string{memory.ConfigFile: ""}
	index, overlay := "# Memory\n\n", ""
	for i := range n {
		name, text := fmt.Sprintf("note-%d.md", i), fmt.Sprintf("What note %d says.", i)
		switch i {
		case 1:
			text = "What note 0 says."
		case 2:
			text += " See [the copy](note-1.md) and [[note-1]]."
		}
		files[name] = fmt.Sprintf("---\nname: Note %d\ntype: project\n---\n\n%s\n", i, text)
		index += fmt.Sprintf("- [Note %d](%s)\n", i, name)
		overlay += note.Line{ID: fmt.Sprint("md_note", i), Path: name, Sum: note.Sum([]byte(files[name])), Listed: true}.JSON() + "\n"
	}
	return with(files, "MEMORY.md", index, note.OverlayFile, overlay, note.ManifestFile, "{}")
}

// mergeNotes merges the copy of the first note into that, and tends the index.
func mergeNotes(s *FileStore) error {
	return planned(func(snap *memory.Snapshot) []memory.Action {
		a, b := snap.Live("md_note0"), snap.Live("md_note1")
		edits, err := memory.TakeOver(a.ID, a.Raw(), []*memory.Memory{a, b}, memory.VariantLimits{})
		if err != nil {
			panic(err)
		}
		merged, err := jsonedit.Apply(a.Raw(), edits...)
		if err != nil {
			panic(err)
		}
		return []memory.Action{{
			Action: oplog.Action{Type: oplog.Merge, Rule: "merge", SourceIDs: []string{b.ID}, ResultID: a.ID},
			Ops:    []memory.Op{{Kind: memory.Put, ID: a.ID, Ref: a.Ref, Base: a.Digest(), Raw: merged}, snap.NewFiles().Archive(b, nil)},
		}}
	})(s)
}

// tendIndex gives notes without an entry one, and moves entries to pages.
func tendIndex(s *FileStore) error {
	return planned(func(*memory.Snapshot) []memory.Action {
		return []memory.Action{{Action: oplog.Action{Type: oplog.Tend, Rule: "tend"}}}
	})(s)
}

// disk puts the scenario on a disk on which it is durable.
func (sc *scenario) disk(t testing.TB) *faultfs.Mem {
	t.Helper()
	m := faultfs.New()
	for _, name := range slices.Sorted(maps.Keys(sc.files)) {
		if err := m.Put(sc.bare(name), []byte(sc.files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Mkdir(sc.bare(memory.OpsDir)); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	m.Settle()
	return m
}

// store opens a disk. Its clock goes on by 25 hours at each command, so that old
// records are collected.
func (sc *scenario) store(fsys durable.FS, command int) *FileStore {
	s := newStore(sc.root(fsys), "mem")
	if sc.notes {
		s.notes = notesOf(s.root)
	}
	s.parallel, s.Wait = 1, 0
	s.Now = func() time.Time { return day.Add(time.Duration(command) * 25 * time.Hour) }
	if sc.keep > 0 {
		s.Keep = sc.keep
	}
	if sc.named > 0 {
		s.named = sc.named
	}
	return s
}

// names are the files of a disk under the names that the store has for them.
func names(m *faultfs.Mem) map[string]string {
	files := map[string]string{}
	for name, text := range m.Files() {
		files[strings.TrimPrefix(name, note.OwnDir+"/")] = text
	}
	return files
}

// visible is what of a disk people see: all but the records of runs and the lock.
func visible(m *faultfs.Mem) map[string]string {
	files := names(m)
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasPrefix(name, RunsDir+"/") || name == memory.LockFile })
	return files
}

// stages runs the scenario undisturbed: what is to be seen before and after each
// of its steps, with the indexes up to date.
func (sc *scenario) stages(t testing.TB) (all []map[string]string) {
	t.Helper()
	for _, m := range sc.after(t) {
		all = append(all, sc.settled(t, m))
	}
	return all
}

// after gives the disk before the first step and after each of them.
func (sc *scenario) after(t testing.TB) (all []*faultfs.Mem) {
	t.Helper()
	m := sc.disk(t)
	all = append(all, m.Clone())
	for i, step := range sc.steps {
		if err := step(sc.store(m, i)); err != nil {
			t.Fatalf("%s, step %d: %v", sc.name, i, err)
		}
		all = append(all, m.Clone())
	}
	return all
}

// settled is what is to be seen when what a save has left behind is done.
func (sc *scenario) settled(t testing.TB, m *faultfs.Mem) map[string]string {
	t.Helper()
	if err := sc.recovered(m); err != nil {
		t.Fatal(err)
	}
	return visible(m)
}
