package workspace

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// bodies are the journals and results of a few real runs, without their seals.
func bodies(f *testing.F) (journals, results [][]byte) {
	f.Helper()
	for _, name := range []string{"merge", "collection", "promote and review", "undo", "redo", "log rotation"} {
		sc := scenarioNamed(f, name)
		m := sc.disk(f)
		for i, step := range sc.steps {
			if err := step(sc.store(m, i)); err != nil {
				f.Fatal(err)
			}
		}
		files := m.Files()
		for _, file := range slices.Sorted(maps.Keys(files)) {
			_, body, _ := strings.Cut(files[file], "\n")
			switch path.Base(file) {
			case journalFile:
				journals = append(journals, []byte(body))
				results = append(results, []byte(strings.SplitN(files[path.Dir(file)+"/"+doneFile], "\n", 2)[1]))
			}
		}
	}
	return journals, results
}

// seal gives a body the checksum that a record has.
func seal(body []byte) []byte { return append([]byte(durable.Sum(body)+"\n"), body...) }

// bystander is a memory that no run touches unless it says so.
const bystander = "global/bystander.json"

// recordDisk has the workspace of the scenario "merge", a memory besides, and the
// record of one run.
func recordDisk(t testing.TB, files map[string]string) *faultfs.Mem {
	sc := scenario{files: with(memories("agents/a", 4), bystander, record("bystander", "text of bystander"))}
	m := sc.disk(t)
	for _, dir := range []string{RunsDir, RunsDir + "/run_x", RunsDir + "/run_x/" + slotsDir} {
		if err := m.Mkdir(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := m.Put(RunsDir+"/run_x/"+name, []byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	m.Settle()
	return m
}

// FuzzJournal recovers from any journal. One without the right checksum stops
// everything and changes nothing. One with it, whatever it says, never panics,
// never hangs, keeps to the files that it names, and is over when recovery says so.
func FuzzJournal(f *testing.F) {
	journals, _ := bodies(f)
	for _, body := range journals {
		f.Add(body, true, "0.-.-")
		f.Add(body, false, "log.-.x.displaced")
	}
	f.Add([]byte(`{"files":[{"path":"../x","after":"eA=="},{"path":"","group":-1},{"path":"ops/.lock/x","next":"-"}]}`), true, "0.-.")
	f.Add([]byte(`{"actions":[{"plan":7,"log":9,"group":3}],"entry":{"actions":[]},"indexes":[{"path":"/","files":["..",""]}]}`), true, "i0.a.b")
	f.Add([]byte(`{"indexes":[{"path":"global/bystander.json","files":["global/bystander.json"]}],"exact":[{"path":"ops/seen.json"}],"seen":{"":""}}`), true, "seen.-.-")
	f.Fuzz(func(t *testing.T, body []byte, sound bool, slot string) {
		doc := body
		if sound {
			doc = seal(body)
		}
		m := recordDisk(t, map[string]string{journalFile: string(doc)})
		if fs.ValidPath(slot) && !strings.Contains(slot, "/") && slot != "." {
			if err := m.Put(RunsDir+"/run_x/"+slotsDir+"/"+slot, []byte("in the slot")); err != nil {
				t.Fatal(err)
			}
		}
		before := visible(m)
		sc := scenario{name: "fuzz"}
		err := sc.recovered(m)
		after := visible(m)
		if journal.Unseal("journal", doc, &journal.Run{}) != nil {
			if err == nil || !maps.Equal(before, after) {
				t.Fatalf("a damaged journal: %v\n%s", err, cmp.Diff(before, after))
			}
			return
		}
		if !bytes.Contains(body, []byte("bystander")) && !bytes.Contains(body, []byte(`\u`)) && after[bystander] != before[bystander] {
			t.Fatal("a memory was changed that the journal doesn't name")
		}
		if open, uerr := openRuns(m); uerr != nil || err == nil && len(open) > 0 {
			t.Fatalf("still open: %v %v", open, uerr)
		}
		again := sc.recovered(m)
		if err == nil && (again != nil || !maps.Equal(after, visible(m))) {
			t.Fatalf("recovering again: %v\n%s", again, cmp.Diff(after, visible(m)))
		}
	})
}

// FuzzResult reads any result of a run: history, undo, check and collection never
// panic, and an undo keeps to what the journal names.
func FuzzResult(f *testing.F) {
	journals, results := bodies(f)
	for i := range journals {
		f.Add(journals[i], results[i])
	}
	f.Add(journals[0], []byte(`{"dead":{"0":"x","-1":""},"derived":[{"path":"../x","delta":[{"at":-1,"copy":9}]}],"late":[""]}`))
	f.Fuzz(func(t *testing.T, body, result []byte) {
		m := recordDisk(t, map[string]string{journalFile: string(seal(body)), doneFile: string(seal(result))})
		before := visible(m)
		s := (&scenario{}).store(m, 3)
		s.Keep = 0
		snap, err := s.Load(day)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Check(snap.At); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"a-0", "a-1", ""} {
			versions, err := s.History(id)
			if err != nil {
				break
			}
			for _, v := range versions {
				_, _ = s.RecordAt(id, v.RunID) // its error tells that it isn't there
			}
		}
		res, err := s.Undo(context.Background(), "run_x", nil, day)
		if after := visible(m); !bytes.Contains(body, []byte("bystander")) && !bytes.Contains(body, []byte(`\u`)) && after[bystander] != before[bystander] {
			t.Fatalf("a memory was changed that the journal doesn't name: %+v %v", res, err)
		}
		_ = s.writer().Collect() // likewise
	})
}
