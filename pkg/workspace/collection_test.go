package workspace

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// readCounter counts how often files are read.
type readCounter struct {
	durable.FS
	reads atomic.Int64
}

func (c *readCounter) Read(name string, max int64) ([]byte, durable.Info, error) {
	c.reads.Add(1)
	return c.FS.Read(name, max)
}

// loadedCold loads n memories of which no bytes are kept.
func loadedCold(t *testing.T, disk durable.FS, n int) (*readCounter, *Snapshot) {
	t.Helper()
	root := &readCounter{FS: disk}
	store := newStore(root, "w")
	store.room.left.Store(0)
	snap, err := store.Load(time.Now())
	if err != nil || snap.Len() != n {
		t.Fatalf("%d memories, %v", snap.Len(), err)
	}
	return root, snap
}

// TestCollectedBodies asks for the bytes of records in collections that were not kept:
// where they are what they were they are found, at their place or at another, and not
// else; what is kept of the files is bounded.
func TestCollectedBodies(t *testing.T) {
	element := func(file, i int, text string) string {
		return fmt.Sprintf(`{"id":"m%d-%d","type":"semantic","title":"T","content":{"details":%q}}`, file, i, text)
	}
	const files, each = 300, 4
	long := strings.Repeat("long ", 4000) // 80 KB a file: 24 MB, more than is kept
	disk := faultfs.New()
	if err := disk.Mkdir("global"); err != nil {
		t.Fatal(err)
	}
	put := func(n int, elements ...string) {
		if err := disk.Put(fmt.Sprintf("global/%03d.json", n), []byte(`{"x":1,"entries":[`+strings.Join(elements, ",\n")+`]}`)); err != nil {
			t.Fatal(err)
		}
	}
	for n := range files {
		var elements []string
		for i := range each {
			elements = append(elements, element(n, i, long))
		}
		put(n, elements...)
	}
	root, snap := loadedCold(t, disk, files*each)
	if err := disk.Remove("global/000.json"); err != nil {
		t.Fatal(err)
	}
	put(1, element(1, 3, long), element(1, 1, long), "7", element(1, 2, "other"), element(1, 0, long))
	put(2, `{"broken`)
	root.reads.Store(0)
	for pass := range 2 {
		for k, m := range snap.Memories() {
			n, i := k/each, k%each
			stands := n > 2 || n == 1 && i != 2
			if got, want := string(m.Raw()), element(n, i, long); stands && got != want || !stands && got != "" {
				t.Fatalf("pass %d: bytes of %s are %.80q", pass, m.ID, got)
			}
			if stands && (m.Title() != "T" || m.Content().Get("details").Str != long) {
				t.Fatalf("%s: title %q, content %.80q", m.ID, m.Title(), m.Content().Raw)
			}
		}
	}
	if n := root.reads.Load(); n > 2*files {
		t.Errorf("%d files were read %d times in two passes", files, n)
	}
	src := snap.Memories()[0].src
	size := 0
	for _, c := range src.collections.files {
		size += len(c.data)
	}
	if size > maxKept || size != src.collections.size || len(src.collections.order) != len(src.collections.files) {
		t.Errorf("%d bytes of %d files are kept; counted: %d of %d", size, len(src.collections.files), src.collections.size, len(src.collections.order))
	}
}

// collectionTexts are files with collections of all kinds, and some that look like it.
var collectionTexts = []string{
	`[]`, `{}`, `{"memories":[]}`, `[{"id":"a","type":"x"}]`, "\ufeff [ {\"id\":\"a\",\"type\":\"x\"} , 7, {\"id\":\"b\",\"content\":{\"x\":[{}]}} ]\n",
	`[7,{"id":"a","type":"x"}]`, `{"memories":[7,{"id":"a","type":"x"}],"entries":[{"id":"b"},{"id":"c","type":"x"}]}`,
	`{"other":[{"id":"a","type":"x"},{"id":"b","content":1}],"more":[{"id":"c","type":"x"},{"id":"d"}],"none":[[{"id":"e","type":"x"}]]}`,
	`{"x":{"y":{"z":[{"id":"a","type":"x"}],"entries":[{"id":"b","type":"x"},7]},"y":1},"entries":[{"id":"c","type":"x"}]}`,
	`{"memories":[{"id":"a","type":"x"}],"memories":[{"id":"b","type":"x"},{"id":"c","type":"x"}]}`,
	`{"m\u0065mories":[{"id":"a","type":"x","type":"y"}],"\ud800":[{"id":"b","type":"x"}],"":[{"id":"c","type":"x"}]}`,
	`{"tags":["a"],"list":[{"a":1}],"id":"","memories":[{"id":"a","type":"x"},{"id":"b","type":"x","content":{"memories":[{"id":"c","type":"x"}]}}]}`,
}

// TestCollections finds in a file, by its outline, what going through its values finds.
func TestCollections(t *testing.T) {
	var p recordParser // of which the rooms are used again
	for _, text := range collectionTexts {
		foundAlike(t, &p, []byte(text))
	}
}

// foundAlike compares what a parser finds in a file with what going through its values
// finds.
func foundAlike(t *testing.T, p *recordParser, data []byte) {
	t.Helper()
	var got, found []*Memory
	p.take = func(m *Memory) { got = append(got, m) }
	arrays, err := p.file("global/x.json", data)
	if err != nil || len(got) == 1 && got[0].Whole() {
		return
	}
	start, end := jsonedit.Span(data)
	want := finder{recordParser: &recordParser{take: func(m *Memory) { found = append(found, m) }}, name: "global/x.json"}
	want.value(parse(data[start:end]), nil, "")
	if !reflect.DeepEqual(arrays, want.arrays) || len(got) != len(found) {
		t.Fatalf("%q: %d records in %q, want %d in %q", data, len(got), arrays, len(found), want.arrays)
	}
	for i, m := range got {
		if w := found[i]; !reflect.DeepEqual(m.Ref, w.Ref) || m.ID != w.ID || m.checksum != w.checksum || m.Locked != w.Locked {
			t.Fatalf("%q: record %d is %q at %v, locked %q; want %q at %v, locked %q", data, i, m.ID, m.Ref, m.Locked, w.ID, w.Ref, w.Locked)
		}
	}
}

// TestArraysAlike reads collections whose arrays have names of one length, one after the
// other into the same bytes.
func TestArraysAlike(t *testing.T) {
	disk := faultfs.New()
	if err := disk.Mkdir("global"); err != nil {
		t.Fatal(err)
	}
	var want []string
	for n, name := range []string{"aaaa", "bbbb", "aaaa", "cccc"} {
		if err := disk.Put(fmt.Sprintf("global/%d.json", n), fmt.Appendf(nil, `{%q:[{"id":"m%d","type":"semantic","confidence":0.%d}]}`, name, n, n+1)); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprintf("global/%d.json#/%s/0 0.%d", n, name, n+1))
	}
	_, snap := loadedCold(t, disk, len(want))
	for i, m := range snap.Memories() {
		if got := fmt.Sprint(m.Ref, " ", *m.Confidence); got != want[i] {
			t.Errorf("%s stands at %s, want %s", m.ID, got, want[i])
		}
	}
}

// TestElementsOf tells of an array what going through it tells.
func TestElementsOf(t *testing.T) {
	for _, text := range append([]string{``, `[{}`, `{"memories":[{"id":"a"},]}`, `{"a":[{"b":1}] x`}, collectionTexts...) {
		for _, array := range [][]string{nil, {"memories"}, {"entries"}, {"other"}, {"x", "y", "z"}, {"0"}, {""}, {"none"}} {
			var want []jsonedit.Element
			found, _ := jsonedit.Elements([]byte(text), array...)
			for _, e := range found {
				want = append(want, jsonedit.Element{Val: int32(e.Index), End: int32(e.Index + len(e.Raw))})
			}
			got := elementsOf([]byte(text), array)
			if !slices.EqualFunc(got, want, func(a, b jsonedit.Element) bool { return a.Val == b.Val && a.End == b.End }) {
				t.Errorf("%q of %s: %v, want %v", array, text, got, want)
			}
		}
	}
}

// TestCollectedAtOnce asks for records of several collections at the same time: each is
// found, and each file is read once.
func TestCollectedAtOnce(t *testing.T) {
	const files, each = 8, 20
	disk := faultfs.New()
	if err := disk.Mkdir("global"); err != nil {
		t.Fatal(err)
	}
	for n := range files {
		var elements []string
		for i := range each {
			elements = append(elements, fmt.Sprintf(`{"id":"m%d-%d","type":"semantic","content":"%d of %d %s"}`, n, i, i, n, strings.Repeat("long ", 1000)))
		}
		if err := disk.Put(fmt.Sprintf("global/%d.json", n), []byte(`{"memories":[`+strings.Join(elements, ",")+`]}`)); err != nil {
			t.Fatal(err)
		}
	}
	root, snap := loadedCold(t, disk, files*each)
	before := root.reads.Load()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for _, m := range snap.Memories() {
				var n, i int
				if _, err := fmt.Sscanf(m.ID, "m%d-%d", &n, &i); err != nil || !strings.HasPrefix(m.Content().Str, fmt.Sprintf("%d of %d ", i, n)) {
					t.Errorf("%s says %.20q, %v", m.ID, m.Content().Str, err)
				}
			}
		})
	}
	group.Wait()
	if reads := root.reads.Load() - before; reads != files {
		t.Errorf("%d reads of %d files", reads, files)
	}
}

// pieceCounter counts what is read piece by piece, and what as a whole.
type pieceCounter struct {
	readCounter
	calls, pieces atomic.Int64
}

func (c *pieceCounter) ReadPieces(name string, pieces []durable.Piece) ([][]byte, durable.Info, error) {
	c.calls.Add(1)
	c.pieces.Add(int64(len(pieces)))
	return c.FS.(pieceReader).ReadPieces(name, pieces)
}

// uncounted is the file system of a store, which can read pieces.
func uncounted(w *reusing) durable.FS { return w.store.root.(counting).FS }

// TestPieces asks for few records of a large collection, of which only these are read, also
// by who knows it from the cache; then for all of them. What has moved since is found, and
// what has changed is not believed.
func TestPieces(t *testing.T) {
	w := newReusing(t, true)
	if _, ok := uncounted(w).(pieceReader); !ok {
		t.Skip("SKIPPED: no part of a file can be read here")
	}
	const n = 200
	text := func(i int) string { return fmt.Sprintf("%d %s", i, strings.Repeat("long ", 200)) }
	collection := func(first string) string {
		elements := []string{first}
		for i := range n {
			elements = append(elements, record(fmt.Sprintf("m%d", i), text(i)))
		}
		return `{"memories":[` + strings.Join(elements, ",\n") + `]}`
	}
	w.write(t, "global/list.json", collection(`{"old":1}`))
	w.tick(t)
	for _, cached := range []bool{false, true} {
		snap := w.load(t, true)
		root := &pieceCounter{readCounter: readCounter{FS: uncounted(w)}}
		src := &source{root: root, room: &room{}}
		src.bodies = make([]bodySlot, n)
		ms := snap.Memories()
		for _, m := range ms {
			m.body, m.src = nil, src
		}
		few := []*Memory{ms[7], ms[107], ms[8], ms[7], ms[3]}
		for pass := range 2 {
			texts, done := Texts(few)
			for i, got := range texts {
				if want := few[i].Text(); got != want || !strings.Contains(got, text(slices.Index(ms, few[i]))) {
					t.Errorf("cached %v, pass %d: %s says %.20q, among others %.20q", cached, pass, few[i].ID, want, got)
				}
			}
			done()
		}
		if root.reads.Load() != 0 || root.calls.Load() != 1 {
			t.Errorf("cached %v: %d files were read and %d times pieces, for %d records of one", cached, root.reads.Load(), root.calls.Load(), len(few))
		}
		src.recent = [len(src.recent)]atomic.Pointer[recentBody]{}
		src.collections = collections{}
		root.pieces.Store(0)
		for i := 0; i < n; i += 20 {
			if got := ms[i].Content().Get("details").Str; got != text(i) {
				t.Fatalf("cached %v: %d says %.20q", cached, i, got)
			}
		}
		if root.reads.Load() != 0 || root.pieces.Load() != n/20 {
			t.Errorf("cached %v: for %d records %d files were read, and %d pieces", cached, n/20, root.reads.Load(), root.pieces.Load())
		}
		for i, m := range ms {
			if got := m.Content().Get("details").Str; got != text(i) {
				t.Fatalf("cached %v: %d says %.20q", cached, i, got)
			}
		}
		if root.reads.Load() != 1 || root.pieces.Load() > n/piecesPart+1 {
			t.Errorf("cached %v: for all %d records %d files were read, and %d pieces", cached, n, root.reads.Load(), root.pieces.Load())
		}
		if err := w.store.SaveCache(snap, nil, true); err != nil {
			t.Fatal(err)
		}
	}
	snap := w.load(t, true)
	w.write(t, "global/list.json", strings.Replace(collection(`{"new":1}`), text(3), "other", 1))
	few := snap.Memories()[:5]
	texts, done := Texts(few)
	defer done()
	for i, got := range texts {
		if want := few[i].Text(); got != want || (got == "") != (i == 3) {
			t.Fatalf("%d says %.20q, among others %.20q", i, want, got)
		}
	}
	for i, m := range snap.Memories() {
		if got := m.Content().Get("details").Str; i != 3 && got != text(i) || i == 3 && got != "" {
			t.Fatalf("%d says %.20q", i, got)
		}
	}
}

// TestTextsAreHeld reads more than is remembered where there is room for none: until they are
// done with, nothing is read again.
func TestTextsAreHeld(t *testing.T) {
	w := newReusing(t, true)
	if _, ok := uncounted(w).(pieceReader); !ok {
		t.Skip("SKIPPED: no part of a file can be read here")
	}
	const n = 400
	var records []string
	for i := range n {
		records = append(records, record(fmt.Sprintf("m%d", i), fmt.Sprint("text ", i)))
	}
	w.write(t, "global/list.json", "["+strings.Join(records, ",\n")+"]")
	snap := w.load(t, true)
	root := &pieceCounter{readCounter: readCounter{FS: uncounted(w)}}
	src := &source{root: root, room: &room{}, bodies: make([]bodySlot, n)}
	ms := snap.Memories()
	for _, m := range ms {
		m.body, m.src = nil, src
	}
	texts, done := Texts(ms)
	reads := root.reads.Load() + root.calls.Load()
	for i, m := range ms {
		if m.Fingerprint() == "" || !strings.Contains(texts[i], m.Content().Get("details").Str) {
			t.Errorf("%s says %q", m.ID, texts[i])
		}
	}
	if again := root.reads.Load() + root.calls.Load() - reads; again > 0 {
		t.Errorf("%d reads more, of what was read", again)
	}
	done()
	for i := range src.bodies {
		if src.bodies[i].Load() != nil {
			t.Fatalf("%d is held, and there is no room for it", i)
		}
	}
}

// TestSummaries compares the lines of many with those of each alone, whatever the order: of
// collections that are read in pieces, of files, of one that has changed and one that has gone.
func TestSummaries(t *testing.T) {
	w := newReusing(t, true)
	for k := range 3 {
		var records []string
		for i := range 300 {
			records = append(records, record(fmt.Sprintf("m%d_%d", k, i), fmt.Sprintf("text %d of %d", i, k)))
		}
		w.write(t, fmt.Sprintf("agents/a%d/list.json", k), "["+strings.Join(records, ",\n")+"]")
		w.write(t, fmt.Sprintf("global/one%d.json", k), record(fmt.Sprintf("one%d", k), fmt.Sprint("alone ", k)))
	}
	ms := slices.Clone(w.load(t, true).Memories())
	w.write(t, "agents/a1/list.json", "["+record("m1_7", "another text")+"]")
	if err := w.store.root.Remove("global/one2.json"); err != nil {
		t.Fatal(err)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
	told := 0
	for i, line := range Summaries(ms) {
		if want, _ := ms[i].Summary(); line != want {
			t.Errorf("%s: %q among others, %q alone", ms[i].ID, line, want)
		}
		if line != "" {
			told++
		}
	}
	if told != 602 {
		t.Errorf("%d lines, want those of two collections and two files", told)
	}
}
