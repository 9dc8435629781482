package workspace_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/fixtures/datasets"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/internal/mdedit"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// noteTree are the Markdown files of a folder: their bytes and, with times, modes and times of change.
func noteTree(t *testing.T, dir string, times bool) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == note.OwnDir {
			return filepath.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, file)
		if all[name] = string(data); times {
			all[name] += fmt.Sprintf("\x00%v %v", info.Mode(), info.ModTime().UnixNano())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func sameTree(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %s differs", what, name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is new", what, name)
		}
	}
}

// untilDone runs the rules until nothing is left to do, and returns the runs.
func untilDone(t *testing.T, s *workspace.FileStore, at time.Time) (runs []string, actions []oplog.Action) {
	t.Helper()
	for range 20 {
		snap, err := s.Load(at)
		if err != nil {
			t.Fatal(err)
		}
		plan := rules.Plan(snap, rules.Request{Settings: config.Default(), LogHead: s.Log().Head(), Again: len(runs) > 0})
		if plan.Empty() {
			return runs, actions
		}
		result, err := s.Commit(t.Context(), &workspace.Tx{Plan: plan, Snapshot: snap})
		if err != nil {
			t.Fatal(err)
		}
		runs, actions = append(runs, result.RunID), append(actions, plan.LogActions()...)
	}
	t.Fatal("runs come to no end")
	return runs, actions
}

// Real folders are tended: no note is lost, no byte changes outside of planned edits, every note is reached from the part of the index
// that its host loads, all exact copies are merged, a second run does nothing; undo and leaving give every byte back.
func TestRealFolders(t *testing.T) {
	root := datasets.Path(t, "dev/markdown")
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "notes")
			if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, e.Name()))); err != nil {
				t.Fatal(err)
			}
			_ = filepath.WalkDir(dir, func(file string, d fs.DirEntry, _ error) error {
				return os.Chmod(file, 0o755&^map[bool]os.FileMode{false: 0o111}[d.IsDir()])
			})
			realFolder(t, dir)
		})
	}
}

// Notes as people and programs write them all over the world: other line ends, byte order marks, no line end at the last line, very long
// lines, front matter that isn't YAML, directories, conflict markers, bytes that aren't text.
func TestPlantedNotes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "notes")
	index := "\ufeff# Gedächtnis\r\n\r\n## Rückmeldungen\r\n"
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	entry := func(title, name string) { index += "* [" + title + "](" + name + ") – " + title + "\r\n" }
	for i := range 240 {
		name := fmt.Sprintf("notiz_%03d.md", i)
		put(name, fmt.Sprintf("---\r\nname: Notiz %d\r\ndescription: Maschine %d steht in Halle %d\r\ntype: feedback\r\n---\r\n\r\nMaschine %d steht in Halle %d.\r\n", i, i, 3*i, i, 3*i))
		entry(fmt.Sprint("Notiz ", i), name)
	}
	copied := "Die Warteschlange wird vor jedem Deploy geleert. Siehe [[notiz_007]]."
	put("alt.md", "---\nname: Alt\nmodified: 2026-01-01T00:00:00Z\ntype: project\n---\n"+copied)
	put("neu.md", "\ufeff---\r\nname: Neu\r\nmodified: 2026-02-01T00:00:00Z\r\ntype: project\r\n---\r\n\r\n"+copied+"\r\n\r\n")
	put("unter/ordner/bericht.md", "Erst [alt](../../alt.md),\r\ndann [[alt]],\nzuletzt `alt.md`.\r\r\n  \n```\n[alt](../../alt.md)\n```")
	put("bom.md", "\ufeffNur Text mit [[alt]]")
	put("lang.md", "---\ntype: reference\n---\n"+strings.Repeat("wort ", 60_000)+"[alt](alt.md)")
	put("kaputt.md", "---\nname: [offen\n\t: {\n---\nDer Text bleibt, [alt](alt.md) auch.\n")
	put("block.md", "---\nname: >\n  zwei\n  Zeilen\ndescription: &a |\n  x\n---\nEin Block.\n\n")
	put("leer.md", "")
	put("konflikt.md", "<<<<<<< ours\n[alt](alt.md)\n=======\nx\n>>>>>>> theirs\n")
	put("bytes.md", "\xff\xfe[alt](alt.md)\x00")
	put("Ünïcode – Datei (1).md", "Eine Datei mit [alt](alt.md).\n")
	entry("Alt", "alt.md")
	entry("Bericht", "unter/ordner/bericht.md")
	put("MEMORY.md", index+"\r\nEin Absatz, der bleibt, mit [Bericht](unter/ordner/bericht.md)")
	realFolder(t, dir, "bytes.md")
}

// realFolder tends a folder, and gives it back; odd are the files that a check names.
func realFolder(t *testing.T, dir string, odd ...string) {
	at := time.Now()
	before, timed := noteTree(t, dir, false), noteTree(t, dir, true)
	store, survey, err := workspace.Look(dir, "", at)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, %s: %d notes, %d copies, %d lines, %d %%, hidden %d, orphans %d, dead %d", survey.Layout, survey.Level, survey.Notes, survey.Copies, survey.Lines, survey.Share, len(survey.Hidden), len(survey.Orphans), len(survey.Dead))
	if survey.Level != layout.Tend {
		sameTree(t, "looked at", noteTree(t, dir, true), timed)
		return
	}
	if err := workspace.Adopt(survey, config.Template("seed")); err != nil {
		t.Fatal(err)
	}
	sameTree(t, "adopted", noteTree(t, dir, true), timed)
	s, err := workspace.Open(filepath.Join(dir, note.OwnDir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reindex(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	runs, actions := untilDone(t, s, at)
	merged := 0
	for _, a := range actions {
		switch a.Type {
		case oplog.Merge:
			merged += len(a.SourceIDs)
		case oplog.Archive:
			t.Errorf("archived %s: %s", a.MemoryID, a.Reason)
		}
	}
	if merged != survey.Copies {
		t.Errorf("%d copies merged, want %d", merged, survey.Copies)
	}
	after := noteTree(t, dir, false)
	for name, text := range before {
		if now, ok := after[name]; ok && now != text && name != "MEMORY.md" {
			t.Logf("%s changed", name) // links that lead elsewhere
			if stripLinks(now) != stripLinks(text) {
				t.Errorf("%s changed outside of links:\n%q\n%q", name, text[:min(len(text), 300)], now[:min(len(now), 300)])
			}
		}
	}
	_, again, err := workspace.Look(dir, survey.Layout, at)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Hidden)+len(again.Orphans)+again.Copies > 0 || again.Share > 100 || len(again.Dead) > len(survey.Dead) {
		t.Errorf("afterwards: hidden %v, orphans %v, copies %d, %d %%, dead %v", again.Hidden, again.Orphans, again.Copies, again.Share, again.Dead)
	}
	for _, later := range []time.Time{at.Add(time.Hour), at.AddDate(0, 0, 120)} {
		snap, err := s.Load(later)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range rules.Plan(snap, rules.Request{Settings: config.Default(), LogHead: s.Log().Head()}).LogActions() {
			if a.Type == oplog.Archive {
				t.Errorf("%s would be archived: %s", a.MemoryID, a.Reason)
			}
		}
	}
	problems, err := s.Check(at)
	problems = slices.DeleteFunc(problems, func(p memory.Problem) bool { return p.Severity != memory.Error && slices.Contains(odd, p.File) })
	if err != nil || len(problems) > 0 {
		t.Errorf("check: %v, %v", problems, err)
	}
	for i := len(runs) - 1; i >= 0; i-- {
		if _, err := s.Undo(t.Context(), runs[i], nil, at.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	sameTree(t, "undone", noteTree(t, dir, false), before)
	untilDone(t, s, at.Add(2*time.Minute))
	left, err := workspace.Unadopt(s, "elsewhere", true)
	if err != nil || len(left.Left) > 0 {
		t.Errorf("leaving: %+v, %v", left, err)
	}
	sameTree(t, "given back", noteTree(t, dir, true), timed)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// stripLinks is a text without the targets of its links.
func stripLinks(text string) string {
	out, err := mdedit.Retarget([]byte(text), func(mdedit.Link) (string, bool) { return "x", true })
	if err != nil {
		return text
	}
	return string(out)
}
