package catalog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
)

// place is a workspace on the real disk.
type place struct {
	dir  string
	disk Disk
}

func newPlace(t testing.TB) *place {
	dir := t.TempDir()
	root, _, err := durable.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	derive := func(m *memory.Memory) {
		m.Derive(func(to []byte, m *memory.Memory) []byte { return append(to, m.Text()...) })
	}
	return &place{dir, Disk{Root: root, Racy: time.Hour, Readers: 2, Each: derive}}
}

// draft are names and texts that edits draw from.
var (
	draftDirs  = []string{"", "global", "agents", "agents/A", "agents/a", "agents/A/deep", "teams/T", "archive", "archive/old", "ops", "schemas", ".hidden", "a-b", "a"}
	draftNames = []string{"x.json", "X.json", "y.json", "_index.json", "_memory.json", "note.txt", ".z.json"}
	draftTexts = []string{
		`{"id":"a","type":"factual","content":"one","tags":["t","u"],"created_at":"2026-01-02T03:04:05+02:00"}`,
		`{"id":"a","type":"factual","content":"two","tags":["t","u"],"created_at":"2026-01-02T03:04:05+02:00"}`,
		`{"id":"b","type":"episodic","content":{"summary":"s"},"confidence":0.5,"importance":3,"supersedes":["a"],"updated_at":"2026-01-02"}`,
		`{"memories":[{"id":"c","type":"semantic","content":"c"},{"id":"d","type":"semantic","content":" "}],"x":{"y":[{"id":"e","type":"t"}]}}`,
		`[{"id":"f","type":"t"}]`, `{"memories":[]}`, `{"id":"a","id":"b","type":"x"}`, `{"type":"t","content":"no id"}`, `{"broken"`, ``,
		`{"agent_id":"A","team":"T"}`, `{"entries":[]}`, `{"projects":[]}`,
	}
)

// edit changes something, and names what: a file, a directory, or what a rename left and made.
func (p *place) edit(t *rapid.T) (names []string) {
	dir := rapid.SampledFrom(draftDirs).Draw(t, "dir")
	name := path.Join(dir, rapid.SampledFrom(draftNames).Draw(t, "name"))
	at := func(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }
	switch rapid.IntRange(0, 9).Draw(t, "edit") {
	case 0, 1, 2, 3, 4: // directories that this makes are named as well
		for d := path.Dir(name); d != "."; d = path.Dir(d) {
			if _, err := os.Lstat(at(d)); err != nil {
				names = append(names, d)
			}
		}
		_ = os.MkdirAll(at(path.Dir(name)), 0o755) // a file may be in its place
		_ = os.WriteFile(at(name), []byte(rapid.SampledFrom(draftTexts).Draw(t, "text")), 0o644)
	case 5:
		_ = os.Remove(at(name))
	case 6:
		if dir == "" {
			return nil
		}
		_ = os.RemoveAll(at(dir))
		name = dir
	case 7:
		to := path.Join(rapid.SampledFrom(draftDirs).Draw(t, "to"), rapid.SampledFrom(draftNames).Draw(t, "other"))
		_ = os.Rename(at(name), at(to))
		names = append(names, to)
	case 8:
		_ = os.RemoveAll(at(name))
		_ = os.Symlink("elsewhere", at(name))
	case 9:
		to := rapid.SampledFrom(draftDirs).Draw(t, "to")
		if dir == "" || to == "" {
			return nil
		}
		_ = os.Rename(at(dir), at(to))
		name = dir
		names = append(names, to)
	}
	return append(names, name)
}

// told is all that a catalogue tells.
func told(c *Catalog) (all []string) {
	for _, d := range c.Dirs {
		all = append(all, fmt.Sprintf("directory %q %v %+v", d.Name, d.Unread, d.Problems))
	}
	for _, f := range c.Files {
		all = append(all, toldOf(f))
	}
	return all
}

func toldOf(f *File) string {
	out := fmt.Sprintf("%s %d %q %q %+v %x\n", f.Name, f.Kind, f.Arrays, f.Team, f.Problems, f.Sum)
	for _, m := range f.Memories {
		at, size := m.Place()
		out += fmt.Sprintln(m.Ref, m.ID, m.Archived, m.CreatedAt, m.UpdatedAt, m.LastAccessed, m.Arrived, m.Tags, m.AccessCount, value(m.Confidence), value(m.Importance),
			*m.Interned, *m.Links, m.Blank(), at, size, m.Checksum(), m.Derived(), string(m.Raw()))
	}
	return out
}

func value(p *float64) any {
	if p == nil {
		return nil
	}
	return *p
}

// TestUpdate edits a workspace at random. A catalogue that is told which names may have changed, and
// one that compares stamps, tell what one tells that knows nothing; so does one that was saved.
func TestUpdate(t *testing.T) {
	updates, shared := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		p := newPlace(t)
		p.disk.Racy = 0
		for range rapid.IntRange(0, 12).Draw(r, "before") {
			p.edit(r)
		}
		known, err := p.disk.Scan(nil)
		if err != nil {
			r.Fatal(err)
		}
		for range rapid.IntRange(1, 4).Draw(r, "rounds") {
			var names []string
			for range rapid.IntRange(0, 5).Draw(r, "edits") {
				names = append(names, p.edit(r)...)
			}
			fresh, err := p.disk.Scan(nil)
			if err != nil {
				r.Fatal(err)
			}
			want := told(fresh)
			now, err := p.disk.Update(known, names)
			if err != nil {
				r.Fatal(err)
			}
			if diff := cmp.Diff(want, told(now)); diff != "" {
				r.Fatalf("updated by %q:\n%s", names, diff)
			}
			for _, f := range now.Files {
				if known.File(f.Name) == f {
					shared++
				}
			}
			updates++
			saved, err := Decode(now.Encode("key"), "key", p.disk.Root)
			if err != nil {
				r.Fatal(err)
			}
			for what, from := range map[string]*Catalog{"updated": now, "saved": saved} {
				again, err := p.disk.Scan(from)
				if err != nil {
					r.Fatal(err)
				}
				if diff := cmp.Diff(want, told(again)); diff != "" {
					r.Fatalf("scanned with one that was %s:\n%s", what, diff)
				}
			}
			known = now
		}
	})
	if shared == 0 || updates == 0 {
		t.Errorf("%d files were shared in %d updates", shared, updates)
	}
}

// TestEditInPlace writes another text of the same length into a file, and sets its time of
// change in content back: the stamp tells it all the same. A file that was read too early after
// its last change has no stamp.
func TestEditInPlace(t *testing.T) {
	p := newPlace(t)
	name := filepath.Join(p.dir, "x.json")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if at := time.Unix(1e9, 0); os.Chtimes(name, at, at) != nil {
			t.Fatal("no time")
		}
	}
	write(draftTexts[0])
	young, err := p.disk.Scan(nil)
	if err != nil || young.Files[0].Stamp != (Stamp{}) {
		t.Fatalf("%+v, %v", young.Files[0], err)
	}
	p.disk.Racy = -time.Minute // long ago
	settled, err := p.disk.Scan(young)
	if err != nil || settled.Files[0].Stamp == (Stamp{}) || settled.Files[0] == young.Files[0] {
		t.Fatalf("%+v, %v", settled.Files[0], err)
	}
	same, err := p.disk.Scan(settled)
	if err != nil || same.Files[0] != settled.Files[0] {
		t.Fatalf("an unchanged file was read again, %v", err)
	}
	for info, err := os.Stat(name); ; { // until the clock of the file system has gone on
		write(draftTexts[1])
		if now, _ := os.Stat(name); err != nil || !cmp.Equal(now.Sys(), info.Sys(), cmp.AllowUnexported()) {
			break
		}
	}
	edited, err := p.disk.Scan(settled)
	if err != nil || edited.Files[0].Memories[0].Text() != "two" {
		t.Fatalf("%+v, %v", edited.Files[0], err)
	}
}

// TestRecordsAreRead asks for the bytes of memories whose files have changed since: what has moved
// is found, what was changed or removed has no bytes.
func TestRecordsAreRead(t *testing.T) {
	p := newPlace(t)
	name := filepath.Join(p.dir, "x.json")
	record := func(id, text string) string { return `{"id":"` + id + `","type":"t","content":"` + text + `"}` }
	write := func(texts ...string) {
		if err := os.WriteFile(name, []byte(`{"memories":[`+strings.Join(texts, ",")+`]}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(record("a", "one"), record("b", "two"), record("c", "three"))
	c, err := p.disk.Scan(nil)
	if err != nil {
		t.Fatal(err)
	}
	write(record("c", "three"), record("a", "other"))
	for _, m := range slices.Backward(c.Files[0].Memories) {
		if want := map[string]string{"c": record("c", "three")}[m.ID]; string(m.Raw()) != want {
			t.Errorf("%s is %q, want %q", m.ID, m.Raw(), want)
		}
	}
}

// encoded is a catalogue of all kinds of files as it is saved.
func encoded(t testing.TB) []byte {
	p := newPlace(t)
	for i, text := range draftTexts {
		name := filepath.Join(p.dir, "agents", fmt.Sprint(i), []string{"m.json", "_index.json", "_memory.json"}[i%3])
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	p.disk.Racy = -time.Minute
	c, err := p.disk.Scan(nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.Encode("key")
}

// A saved catalogue that is damaged, of another version or with another key is not used.
func TestDecodeDamaged(t *testing.T) {
	data := encoded(t)
	if c, err := Decode(data, "key", nil); err != nil || len(c.Files) < 8 {
		t.Fatalf("%v, %v", c, err)
	}
	if _, err := Decode(data, "other", nil); !errors.Is(err, ErrStale) {
		t.Errorf("with another key: %v", err)
	}
	for i := range data {
		if _, err := Decode(data[:i], "key", nil); !errors.Is(err, ErrStale) {
			t.Fatalf("cut at %d: %v", i, err)
		}
		changed := bytes.Clone(data)
		changed[i] ^= 0x41
		if _, err := Decode(changed, "key", nil); !errors.Is(err, ErrStale) {
			t.Fatalf("changed at %d: %v", i, err)
		}
	}
}

// FuzzDecode forges saved catalogues whose checksums are right: none makes the decoder panic, and
// what it gives can be used.
func FuzzDecode(f *testing.F) {
	good := encoded(f)
	body := good[len(magic) : len(good)-len(memory.Checksum{})]
	f.Add(body, uint32(0), byte(0))
	f.Add(body, uint32(40), byte(0xff))
	f.Add(binary.AppendUvarint(slices.Clone(body[:5]), 1<<40), uint32(0), byte(0))
	root, _, err := durable.Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { root.Close() })
	f.Fuzz(func(t *testing.T, body []byte, at uint32, with byte) {
		data := append([]byte(magic), body...)
		if len(body) > 0 {
			data[len(magic)+int(at)%len(body)] ^= with
		}
		sum := xxh3.Hash128(data).Bytes()
		c, err := Decode(append(data, sum[:]...), "key", root)
		if err != nil {
			if !errors.Is(err, ErrStale) {
				t.Fatal(err)
			}
			return
		}
		told(c)
		c.Encode("key")
		if _, err := (Disk{Root: root, Readers: 1}).Scan(c); err != nil {
			t.Fatal(err)
		}
	})
}

// TestForged changes each byte of a saved catalogue in a few ways, with a checksum that is right.
func TestForged(t *testing.T) {
	good := encoded(t)
	root, _, err := durable.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	body := good[:len(good)-len(memory.Checksum{})]
	for i := len(magic); i < len(body); i++ {
		for _, with := range []byte{1, 0x80, 0xff} {
			data := bytes.Clone(body)
			data[i] ^= with
			sum := xxh3.Hash128(data).Bytes()
			if c, err := Decode(append(data, sum[:]...), "key", root); err == nil {
				told(c)
			} else if !errors.Is(err, ErrStale) {
				t.Fatal(err)
			}
		}
	}
}
