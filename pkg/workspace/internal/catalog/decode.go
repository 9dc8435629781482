package catalog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// ErrStale is the error of a saved catalogue that can't be used: it is damaged, of another
// version, or of another workspace. It is made again.
var ErrStale = errors.New("saved catalogue can't be used")

// Decode reads what [Catalog.Encode] has saved with the same key: the files, for a [Disk.Scan]
// to compare with. The records of its memories
// are read from root. It never panics, whatever the data.
func Decode(data []byte, key string, root durable.FS) (*Catalog, error) {
	const sumSize = len(memory.Checksum{})
	body := len(data) - sumSize
	if body < len(magic) || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: it is of another version", ErrStale)
	}
	if xxh3.Hash128(data[:body]).Bytes() != memory.Checksum(data[body:]) {
		return nil, fmt.Errorf("%w: its checksum is wrong", ErrStale)
	}
	d := &decoder{in: string(data[len(magic):body]), source: newSource(root)}
	if d.text() != key || d.err != nil {
		return nil, fmt.Errorf("%w: it is of another workspace or program", ErrStale)
	}
	c := d.catalog()
	if d.err == nil && len(d.in) > 0 {
		d.fail("bytes behind its end")
	}
	if d.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStale, d.err)
	}
	return c, nil
}

// decoder reads the stream. After an error it gives zero values.
type decoder struct {
	in      string
	err     error
	source  *source
	words   []string
	commons []*memory.Interned
	slab    []memory.Memory // for the next ones
	files   []File
	texts   []string
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = errors.New(what)
	}
	d.in = ""
}

func (d *decoder) take(n int) string {
	if n < 0 || n > len(d.in) {
		d.fail("cut short")
		return ""
	}
	s := d.in[:n]
	d.in = d.in[n:]
	return s
}

func (d *decoder) unsigned() (n uint64) {
	for shift := 0; shift < 64; shift += 7 {
		if len(d.in) == 0 {
			d.fail("cut short")
			return 0
		}
		c := d.in[0]
		d.in = d.in[1:]
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
	d.fail("a number that is too long")
	return 0
}

// number is one that is not negative, and no larger than max.
func (d *decoder) number(max int) int {
	n := d.unsigned()
	if n > uint64(max) {
		d.fail("a number that is too large")
		return 0
	}
	return int(n)
}

// count is how many of something follow, each of which takes a byte at least.
func (d *decoder) count() int { return d.number(len(d.in)) }

func (d *decoder) signed() int64 {
	n := d.unsigned()
	return int64(n>>1) ^ -int64(n&1)
}

func (d *decoder) fixed() uint64 {
	if s := d.take(8); s != "" {
		return binary.LittleEndian.Uint64([]byte(s))
	}
	return 0
}

func (d *decoder) text() string { return d.take(d.count()) }
func (d *decoder) flag() bool   { return d.number(1) == 1 }

func (d *decoder) checksum() (sum memory.Checksum) {
	copy(sum[:], d.take(len(sum)))
	return sum
}

func (d *decoder) word() string {
	n := d.number(len(d.words))
	if n == len(d.words) && d.err == nil {
		d.words = append(d.words, d.text())
	}
	if d.err != nil {
		return ""
	}
	return d.words[n]
}

func (d *decoder) list() []string {
	n := d.count()
	if n == 0 {
		return nil
	}
	if n > len(d.texts) {
		d.texts = make([]string, max(n, 4096))
	}
	list := d.texts[:n:n]
	d.texts = d.texts[n:]
	for i := range list {
		list[i] = d.word()
	}
	return list
}

func (d *decoder) problems() (all []memory.Problem) {
	for range d.count() {
		p := memory.Problem{File: d.text(), Place: d.text(), ID: d.text(), Severity: d.text(), Message: d.text(), Hint: d.text(), Unread: d.flag()}
		if d.err != nil {
			return nil
		}
		all = append(all, p)
	}
	return all
}

func (d *decoder) catalog() *Catalog {
	c := &Catalog{}
	n := d.count()
	c.Files = make([]*File, 0, min(n, 1<<20))
	for range n {
		f := d.file()
		if d.err != nil || len(c.Files) > 0 && f.Name <= c.Files[len(c.Files)-1].Name {
			d.fail("files out of order")
			return nil
		}
		c.Files = append(c.Files, f)
	}
	return c
}

func (d *decoder) file() *File {
	if len(d.files) == 0 {
		d.files = make([]File, 1024)
	}
	f := &d.files[0]
	d.files = d.files[1:]
	f.Name, f.Kind = d.text(), Kind(d.number(int(ForeignIndex)))
	f.Stamp = Stamp{d.fixed(), d.fixed(), d.signed(), int64(d.fixed()), int64(d.fixed())}
	if f.Kind != Records {
		f.Sum = d.checksum()
		return f
	}
	f.Arrays, f.Team, f.Problems = d.list(), d.word(), d.problems()
	n := d.count()
	if n == 0 {
		return f
	}
	f.Memories = make([]*memory.Memory, 0, min(n, 1024))
	for range n {
		m := d.memory(f.Name)
		if d.err != nil {
			return f
		}
		f.Memories = append(f.Memories, m)
	}
	return f
}

func (d *decoder) memory(file string) *memory.Memory {
	if len(d.slab) == 0 {
		d.slab = make([]memory.Memory, 256)
	}
	m := &d.slab[0]
	d.slab = d.slab[1:]
	flags := d.number(2*isBlank - 1)
	m.File, m.ID = file, d.text()
	known := memory.Known{Checksum: d.checksum(), Blank: flags&isBlank != 0, Source: d.source}
	if derived := d.text(); derived != "" {
		known.Derived = []byte(derived)
	}
	n := d.number(len(d.commons))
	if n == len(d.commons) && d.err == nil {
		d.commons = append(d.commons, d.common())
	}
	if d.err != nil {
		return m
	}
	m.Interned = d.commons[n]
	m.Tags = d.list()
	known.Offset, known.Size = d.number(math.MaxInt32), d.number(math.MaxInt32)
	m.AccessCount = d.signed()
	if flags&hasArray != 0 {
		if m.Array = d.list(); m.Array == nil {
			m.Array = []string{}
		}
		m.Index = d.number(math.MaxInt32)
	}
	if flags&hasLinks != 0 {
		m.Links = &memory.Links{Supersedes: d.list(), SupersededBy: d.list(), PromotedTo: d.list(), PromotedFrom: d.list()}
	}
	for _, t := range [...]struct {
		flag int
		to   *time.Time
	}{{hasCreated, &m.CreatedAt}, {hasUpdated, &m.UpdatedAt}, {hasAccessed, &m.LastAccessed}, {hasArrived, &m.Arrived}} {
		if flags&t.flag != 0 {
			*t.to = d.time()
		}
	}
	for _, v := range [...]struct {
		flag int
		to   **float64
	}{{hasConfidence, &m.Confidence}, {hasImportance, &m.Importance}} {
		if flags&v.flag != 0 {
			x := math.Float64frombits(d.fixed())
			*v.to = &x
		}
	}
	m.Archived = strings.HasPrefix(file, memory.ArchiveDir+"/")
	m.Restore(known)
	return m
}

func (d *decoder) common() *memory.Interned {
	return &memory.Interned{
		Type: d.word(), Subtype: d.word(), CreatedBy: d.word(), Scope: memory.Scope{Kind: d.word(), ID: d.word()},
		Priority: d.word(), Origin: d.word(), TTL: d.word(), ReviewOn: d.word(), Locked: d.word(), Consent: d.flag(), Protected: d.flag(), PinMark: d.flag(), Conflicted: d.flag(),
	}
}

func (d *decoder) time() time.Time {
	seconds, nanos, offset := d.signed(), d.number(999_999_999), d.signed()
	if offset < -24*3600 || offset > 24*3600 {
		d.fail("a zone that is none")
		return time.Time{}
	}
	return time.Unix(seconds, int64(nanos)).In(timestamp.Zone(int(offset)))
}
