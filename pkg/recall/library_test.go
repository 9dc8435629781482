package recall

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest"
)

// told is what a query to a library gives, without the memories' innards.
type told struct {
	Hits []Hit
	At   []string
	Held int
}

func (l *Library) tell(t *rapid.T, ask Ask) (out told) {
	hits, held, err := l.Search(ask)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		out.Hits, out.At = append(out.Hits, h.Hit), append(out.At, h.Memory.Ref.String())
	}
	out.Held = held
	return out
}

// opened draws a workspace and opens it.
func opened(t *testing.T, r *rapid.T) (dir string, store *workspace.FileStore) {
	dir = t.TempDir()
	if err := storetest.Write(dir, storetest.Workspace(r)); err != nil {
		r.Fatal(err)
	}
	store, err := workspace.Open(dir)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { store.Close() })
	return dir, store
}

// A kept index, brought along through whatever was done to the files, is byte for byte
// the one that is made of them anew, and finds the same.
func TestKeptIsAnew(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: nothing tells workspaces apart, so nothing is kept")
	}
	followed := 0
	rapid.Check(t, func(r *rapid.T) {
		dir, store := opened(t, r)
		stock := storetest.Workspace(r)
		for range 5 {
			chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
			for range rapid.IntRange(0, 6).Draw(r, "edits") {
				if err := edit(dir, chance, stock); err != nil {
					r.Fatal(err)
				}
			}
			snap, err := store.Load(storetest.At)
			if err != nil {
				r.Fatal(err)
			}
			for _, m := range snap.Memories() {
				if chance.IntN(8) == 0 { // as if the access log told of reads
					m.AccessCount += int64(chance.IntN(5))
				}
			}
			kept, err := OpenLibrary(store, snap, 0)
			if err != nil {
				r.Fatal(err)
			}
			anew, err := OpenLibrary(nil, snap, 0)
			if err != nil {
				r.Fatal(err)
			}
			if kept.file != nil && kept.fresh > 0 {
				followed++
			}
			same(r, kept, anew, chance)
			sameHeld(r, store, snap)
			if kept.file == nil || rapid.Bool().Draw(r, "keep") {
				if err := kept.keep(); err != nil {
					r.Fatal(err)
				}
			}
			if err := kept.Close(); err != nil {
				r.Fatal(err)
			}
			if again, err := OpenLibrary(store, snap, 0); err != nil || again.file == nil {
				r.Fatalf("nothing was kept: %v", err)
			} else if err := again.Close(); err != nil {
				r.Fatal(err)
			}
		}
	})
	if followed == 0 {
		t.Error("no kept index was brought along")
	}
}

// same fails where two libraries of a snapshot differ.
func same(t *rapid.T, kept, anew *Library, chance *rand.Rand) {
	a, err := kept.sections()
	if err != nil {
		t.Fatal(err)
	}
	b, err := anew.sections()
	if err != nil {
		t.Fatal(err)
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			t.Fatalf("section %d differs: %d bytes, made anew %d", i, len(a[i]), len(b[i]))
		}
	}
	for _, text := range []string{"session limited to 30 minutes", "", "cache DEV-001 last month"} {
		ask := Ask{Query: Query{Text: text, At: storetest.At, Mode: Mode(chance.IntN(4)), Limit: 1 + chance.IntN(30)}, Texts: chance.IntN(2) == 0}
		if chance.IntN(2) == 0 {
			ask.Score = func(m *workspace.Memory) float64 { return float64(len(m.File)%10) / 9 }
		}
		if chance.IntN(3) == 0 {
			ask.May = func(m *workspace.Memory) bool { return len(m.ID)%2 == 0 }
		}
		if diff := cmp.Diff(anew.tell(t, ask), kept.tell(t, ask)); diff != "" {
			t.Fatalf("%q: %s", text, diff)
		}
	}
}

// sameHeld fails where what is held of a kept index is another than what is made anew.
func sameHeld(t *rapid.T, store Keeper, snap *workspace.Snapshot) {
	held, err := Hold(store, snap)
	if err != nil {
		t.Fatal(err)
	}
	anew, err := Hold(nil, snap)
	if err != nil {
		t.Fatal(err)
	}
	a, err := held.ix.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := anew.ix.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Fatalf("held: %d documents, made anew: %d", held.ix.Len(), anew.ix.Len())
	}
	for range 2 {
		name := anew.names()
		for place := range int32(snap.Total()) {
			if id := name(place); id != "" && held.memory(held.ix.find(id)) != snap.Memory(int(place)) {
				t.Fatalf("%s is another memory", id)
			}
		}
		if err := held.LayOut(); err != nil || held.Changes() != 0 {
			t.Fatalf("laid out: %d changes, %v", held.Changes(), err)
		}
	}
}

// edit changes the files as people, agents and runs do.
func edit(dir string, chance *rand.Rand, stock map[string]string) error {
	file, text, err := storetest.Pick(dir, chance)
	if err != nil || file == "" {
		return err
	}
	write := storetest.Put
	switch chance.IntN(8) {
	case 0:
		return os.Remove(file)
	case 1: // the same ids once more, before or behind the others
		return write(filepath.Join(dir, []string{"agents/A", "teams/zz", "sessions/s"}[chance.IntN(3)], fmt.Sprintf("copy%d.json", chance.IntN(9))), text)
	case 2: // byte for byte somewhere else, perhaps in the archive
		to := filepath.Join(dir, []string{"archive", "global", "projects/p"}[chance.IntN(3)], fmt.Sprintf("moved%d.json", chance.IntN(9)))
		if err := write(to, text); err != nil || to == file {
			return err
		}
		return os.Remove(file)
	case 3:
		return write(file, bytes.Replace(text, []byte("30 minutes"), []byte("45 minutes"), 1))
	case 4:
		return write(file, bytes.Replace(text, []byte(`"id"`), []byte(`"supersedes":["mem_1"],"id"`), 1))
	case 5:
		return write(file, bytes.Replace(text, []byte("mem_"), fmt.Appendf(nil, "mem_%d", chance.IntN(5)), 1))
	case 6:
		return write(file, []byte("{}"))
	}
	names := slices.Sorted(maps.Keys(stock))
	name := names[chance.IntN(len(names))]
	return write(filepath.Join(dir, name), []byte(stock[name]))
}

// shelf is a small workspace with a kept index.
func shelf(t *testing.T) (store *workspace.FileStore, snap *workspace.Snapshot, file string) {
	t.Helper()
	dir := t.TempDir()
	for i := range 12 {
		name := filepath.Join(dir, []string{"global", "agents/DEV-001", "archive", "sessions/s1"}[i%4], fmt.Sprintf("m%d.json", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, fmt.Appendf(nil, `{"id":"m%d","type":"semantic","created_at":"2026-02-0%dT00:00:00Z","tags":["t%d"],"content":"The cache number %d listens on port 80%d."}`, i, 1+i%9, i%3, i, i), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if snap, err = store.Load(noon); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLibrary(store, snap, 0)
	if err == nil {
		err = errors.Join(l.keep(), l.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return store, snap, filepath.Join(dir, filepath.FromSlash(workspace.RecallFile))
}

// Whatever byte of the kept index is damaged, or wherever it is cut, the answer is the
// right one.
func TestKeptIsDamaged(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: nothing is kept")
	}
	store, snap, file := shelf(t)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ask := Ask{Query: Query{Text: "which cache listens on port 803", At: noon, Mode: Exhaustive}}
	answer := func() (hits []string, kept bool) {
		l, err := OpenLibrary(store, snap, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		kept = l.file != nil
		found, _, err := l.Search(ask)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range found {
			hits = append(hits, fmt.Sprint(h.ID, h.Score, h.Memory.Ref))
		}
		return hits, kept
	}
	want, kept := answer()
	if !kept || len(want) < 10 || !strings.HasPrefix(want[0], "m3") {
		t.Fatalf("%v, kept %v", want, kept)
	}
	var unnoticed int // between two sections, and behind the last
	try := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		got, kept := answer()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: %s", what, diff)
		}
		if kept {
			unnoticed++
		}
	}

	step := 1
	if testing.Short() {
		step = 17
	}
	for i := 0; i < len(whole); i += step {
		bad := bytes.Clone(whole)
		bad[i] ^= 1 << (i % 8)
		try(fmt.Sprintf("byte %d", i), bad)
	}
	for i := 0; i < len(whole); i += 97 {
		try(fmt.Sprintf("cut to %d", i), whole[:i])
	}
	try("longer", append(bytes.Clone(whole), 0))
	if unnoticed > 7*keptSections+1 {
		t.Errorf("%d changes were not noticed", unnoticed)
	}

	// Replaced or deleted while it is open, or cut short.
	for name, harm := range map[string]func() error{
		"deleted": func() error { return os.Remove(file) },
		"cut":     func() error { return os.Truncate(file, 0) },
		"replaced": func() error {
			return os.Rename(file, file+".old")
		},
	} {
		if err := os.WriteFile(file, whole, 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := OpenLibrary(store, snap, 0)
		if err != nil || l.file == nil {
			t.Fatalf("%s: not kept, %v", name, err)
		}
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		found, _, err := l.Search(ask)
		if err != nil || len(found) != len(want) || found[0].ID != "m3" {
			t.Errorf("%s: %d found, %v", name, len(found), err)
		}
		if err := errors.Join(l.keep(), l.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rows that don't fit their index, under right checksums, are no rows.
func TestForgedRows(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: nothing is kept")
	}
	store, snap, _ := shelf(t)
	l, err := OpenLibrary(nil, snap, 0)
	if err != nil {
		t.Fatal(err)
	}
	sections, err := l.sections()
	if err != nil {
		t.Fatal(err)
	}
	chance := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		forged := [][]byte{bytes.Clone(sections[0]), bytes.Clone(sections[1]), sections[2]}
		for range 1 + chance.IntN(3) {
			forged[1][chance.IntN(len(forged[1]))] = byte(chance.IntN(20))
		}
		if chance.IntN(4) == 0 {
			forged[1] = forged[1][:chance.IntN(len(forged[1]))]
		}
		if err := store.WriteKept(workspace.RecallFile, libraryVersion, forged...); err != nil {
			t.Fatal(err)
		}
		l, err := OpenLibrary(store, snap, 0)
		if err != nil {
			t.Fatal(err)
		}
		found, _, err := l.Search(Ask{Query: Query{Text: "cache port", Mode: Exhaustive, Limit: 20}})
		if err != nil || len(found) != 12 || slices.ContainsFunc(found, func(f Found) bool { return f.Memory == nil || f.Memory.ID != f.ID }) {
			t.Fatalf("%d found, %v", len(found), err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Who has no time reads few texts, or is told.
func TestTooMuch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: nothing is kept")
	}
	store, snap, file := shelf(t)
	if l, err := OpenLibrary(store, snap, 1); err != nil || l.fresh != 0 || l.Close() != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"new1", "new2"} {
		if err := os.WriteFile(filepath.Join(store.Dir(), "global", id+".json"), []byte(`{"id":"`+id+`","type":"semantic","content":"x"}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if snap, err = store.Load(noon.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if l, err := OpenLibrary(store, snap, 2); err != nil || l.fresh != 2 || l.Close() != nil {
		t.Fatal(err)
	}
	if _, err := OpenLibrary(store, snap, 1); !errors.Is(err, ErrTooMuch) {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLibrary(store, snap, 13); !errors.Is(err, ErrTooMuch) {
		t.Fatal(err)
	}
}

// An index that would find something else than one made anew is told, and no other.
func TestDiffers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: nothing is kept")
	}
	store, snap, file := shelf(t)
	differs := func(want bool) {
		t.Helper()
		if got, err := Differs(store, snap); got != want || err != nil {
			t.Errorf("differs: %v, %v", got, err)
		}
	}
	differs(false)
	l, err := OpenLibrary(store, snap, 0)
	if err != nil {
		t.Fatal(err)
	}
	l.ix.Add(Document{ID: "m3", Content: "Something else."})
	l.at = append(l.at, 1+int32(slices.Index(snap.Memories(), snap.Find("m3")[0])))
	if err := errors.Join(l.keep(), l.Close()); err != nil {
		t.Fatal(err)
	}
	differs(true)
	if err := os.Truncate(file, 100); err != nil {
		t.Fatal(err)
	}
	differs(false) // nobody would use it
	if err := store.RemoveKept(workspace.RecallFile); err != nil {
		t.Fatal(err)
	}
	differs(false)
}
