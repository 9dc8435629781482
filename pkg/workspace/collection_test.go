package workspace

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
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

// TestCollectedBodies asks for the bytes of records in collections that were not kept:
// where they are what they were they are found, at their place or at another, and not
// else; what is kept of the files is bounded.
func TestCollectedBodies(t *testing.T) {
	element := func(file, i int, text string) string {
		return fmt.Sprintf(`{"id":"m%d-%d","type":"semantic","title":"T","content":{"details":%q}}`, file, i, text)
	}
	const files, each = 600, 4
	long := strings.Repeat("long ", 2000) // 40 KB a file: 24 MB, more than is kept
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
	root := &readCounter{FS: disk}
	store := newStore(root, "w")
	store.room.left.Store(0)
	snap, err := store.Load(time.Now())
	if err != nil || snap.Len() != files*each {
		t.Fatalf("%d memories, %v", snap.Len(), err)
	}
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
