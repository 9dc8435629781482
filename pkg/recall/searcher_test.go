package recall

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// told is what a search gives, without the memories' bytes.
type told struct {
	Hits    []Hit
	At      []string
	LeftOut int
}

func (s *Searcher) tell(t *rapid.T, r Request) (out told) {
	hits, leftOut, err := s.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		out.Hits, out.At = append(out.Hits, h.Hit), append(out.At, h.Memory.Ref.String())
	}
	out.LeftOut = leftOut
	return out
}

// opened draws a workspace and opens it.
func opened(t *testing.T, r *rapid.T) (dir string, store *workspace.FileStore) {
	dir = t.TempDir()
	if err := random.Write(dir, random.Workspace(r)); err != nil {
		r.Fatal(err)
	}
	store, err := workspace.Open(dir)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { store.Close() })
	return dir, store
}

// A saved index, updated by whatever was done to the files, is byte for byte the one that is
// made of them again, and finds the same.
func TestSavedIsAnew(t *testing.T) {
	updated := 0
	rapid.Check(t, func(r *rapid.T) {
		dir, store := opened(t, r)
		stock := random.Workspace(r)
		for range 5 {
			chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
			for range rapid.IntRange(0, 6).Draw(r, "edits") {
				if err := edit(dir, chance, stock); err != nil {
					r.Fatal(err)
				}
			}
			snap, err := store.Load(random.At)
			if err != nil {
				r.Fatal(err)
			}
			for _, m := range snap.Memories() {
				if chance.IntN(8) == 0 { // as if the access log told of reads
					m.AccessCount += int64(chance.IntN(5))
				}
			}
			saved, err := Open(store.Cache(), snap, 0)
			if err != nil {
				r.Fatal(err)
			}
			anew, err := Open(nil, snap, 0)
			if err != nil {
				r.Fatal(err)
			}
			if saved.saved && saved.changed > 0 {
				updated++
			}
			same(r, saved, anew, chance)
			compacted(r, saved, anew)
			if !saved.saved || rapid.Bool().Draw(r, "save") {
				if err := saved.save(); err != nil {
					r.Fatal(err)
				}
			}
			if again, err := Open(store.Cache(), snap, 0); err != nil || !again.saved {
				r.Fatalf("nothing was saved: %v", err)
			}
		}
	})
	if updated == 0 {
		t.Error("no saved index was updated")
	}
}

// same fails where two searchers of a snapshot differ.
func same(t *rapid.T, saved, anew *Searcher, chance *rand.Rand) {
	if !saved.ix.equal(anew.ix) {
		t.Fatalf("%d documents, made anew %d", saved.ix.Len(), anew.ix.Len())
	}
	for _, text := range []string{"session limited to 30 minutes", "", "cache DEV-001 last month"} {
		ask := Request{Query: Query{Text: text, At: random.At, Mode: Mode(chance.IntN(4)), Limit: 1 + chance.IntN(30)}, Texts: chance.IntN(2) == 0}
		if chance.IntN(2) == 0 {
			ask.Score = func(m *memory.Memory) float64 { return float64(len(m.File)%10) / 9 }
		}
		if chance.IntN(3) == 0 {
			ask.Allow = func(m *memory.Memory) bool { return len(m.ID)%2 == 0 }
		}
		if diff := cmp.Diff(anew.tell(t, ask), saved.tell(t, ask), cmp.AllowUnexported(Hit{}, sought{})); diff != "" {
			t.Fatalf("%q: %s", text, diff)
		}
	}
}

// compacted fails where a searcher without removed documents has other memories than one
// that was made again.
func compacted(t *rapid.T, s, anew *Searcher) {
	for range 2 {
		for d, m := range anew.memories {
			if name := anew.ix.docs[d].id; s.memories[s.ix.find(name)] != m {
				t.Fatalf("%s is another memory", name)
			}
		}
		if s.compact(); s.ix.gone > 0 || len(s.memories) != s.ix.Len() {
			t.Fatalf("%d documents removed, %d memories of %d", s.ix.gone, len(s.memories), s.ix.Len())
		}
	}
}

// edit changes the files as people, agents and runs do.
func edit(dir string, chance *rand.Rand, stock map[string]string) error {
	file, text, err := random.Pick(dir, chance)
	if err != nil || file == "" {
		return err
	}
	write := random.Put
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

// stocked is a small workspace with a saved index.
func stocked(t *testing.T) (store *workspace.FileStore, snap *memory.Snapshot, file string) {
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
	s, err := Open(store.Cache(), snap, 0)
	if err == nil {
		err = s.save()
	}
	if err != nil {
		t.Fatal(err)
	}
	return store, snap, filepath.Join(dir, workspace.CacheDir, CacheName)
}

// Whatever byte of the saved index is damaged, or wherever it is cut, it is made again, and
// the answer is the right one.
func TestSavedIsDamaged(t *testing.T) {
	store, snap, file := stocked(t)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	answer := func() (hits []string, saved bool) {
		s, err := Open(store.Cache(), snap, 0)
		if err != nil {
			t.Fatal(err)
		}
		found, _, err := s.Search(Request{Query: Query{Text: "which cache listens on port 803", At: noon, Mode: Exhaustive}})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range found {
			hits = append(hits, fmt.Sprint(h.ID, h.Score, h.Memory.Ref))
		}
		return hits, s.saved
	}
	want, saved := answer()
	if !saved || len(want) < 10 || !strings.HasPrefix(want[0], "m3") {
		t.Fatalf("%v, saved %v", want, saved)
	}
	try := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		got, saved := answer()
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Hit{}, sought{})); diff != "" || saved {
			t.Fatalf("%s: used %v, %s", what, saved, diff)
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
	try("empty", nil)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got, saved := answer(); saved || !slices.Equal(got, want) {
		t.Errorf("deleted: %v, %v", saved, got)
	}
}

// An index that somebody forged under a right checksum finds whatever it says, of memories
// that are there.
func TestForgedSaved(t *testing.T) {
	store, snap, file := stocked(t)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	chance := rand.New(rand.NewPCG(1, 2))
	used := 0
	times := 3000
	if testing.Short() {
		times = 200
	}
	for range times {
		forged := bytes.Clone(whole)
		for range 1 + chance.IntN(3) {
			forged[headerSize+chance.IntN(len(forged)-headerSize)] = byte(chance.IntN(256))
		}
		if chance.IntN(4) == 0 {
			forged = forged[:headerSize+chance.IntN(len(forged)-headerSize)]
		}
		if err := store.Cache().Write(CacheName, signed(forged)); err != nil {
			t.Fatal(err)
		}
		s, err := Open(store.Cache(), snap, 0)
		if err != nil {
			t.Fatal(err)
		}
		if s.saved {
			used++
		}
		found, _, err := s.Search(Request{Query: Query{Text: "cache port", Mode: Exhaustive, Limit: 20}, Texts: true})
		if err != nil || slices.ContainsFunc(found, func(f Found) bool { return f.Memory == nil || f.Memory.ID != f.ID }) {
			t.Fatalf("%d found, %v", len(found), err)
		}
	}
	if used == 0 {
		t.Error("every forged index was refused")
	}
}

// Who has no time reads few texts, or is told.
func TestTooMuch(t *testing.T) {
	store, snap, file := stocked(t)
	if s, err := Open(store.Cache(), snap, 1); err != nil || s.changed != 0 {
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
	if s, err := Open(store.Cache(), snap, 2); err != nil || s.changed != 2 {
		t.Fatal(err)
	}
	if _, err := Open(store.Cache(), snap, 1); !errors.Is(err, ErrTooMuch) {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(store.Cache(), snap, 13); !errors.Is(err, ErrTooMuch) {
		t.Fatal(err)
	}
	store.NoCache = true // no process would ever make it first
	if _, err := Open(store.Cache(), snap, 13); err != nil {
		t.Fatal(err)
	}
}

// An index that would find something else than one made again is told, and no other.
func TestDiffers(t *testing.T) {
	store, snap, file := stocked(t)
	differs := func(want bool) {
		t.Helper()
		if got, err := Differs(store.Cache(), snap); got != want || err != nil {
			t.Errorf("differs: %v, %v", got, err)
		}
	}
	differs(false)
	s, err := Open(store.Cache(), snap, 0)
	if err != nil {
		t.Fatal(err)
	}
	was := s.ix.docs[s.ix.find("m3")].version
	s.ix.Add(Document{ID: "m3", Content: "Something else."})
	s.ix.docs[s.ix.find("m3")].version = was
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	differs(true)
	if err := os.Truncate(file, 100); err != nil {
		t.Fatal(err)
	}
	differs(false) // nobody would use it
	if err := store.Cache().Write(CacheName, nil); err != nil {
		t.Fatal(err)
	}
	differs(false)
}
