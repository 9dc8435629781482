package catalog

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/memoryd/memoryd/pkg/memory"
)

// magic begins a saved catalogue. It changes whenever what follows is laid out otherwise.
const magic = "memoryd catalog 6\n"

// A saved catalogue is one stream: magic, key, the files, and the XXH3 checksum
// of 128 bits of all that. Numbers are varints, texts have their length before them; a text, or
// what a memory has in common with others, that is likely to come again is numbered at its
// first appearance and given by its number from then on.
//
// Directories are left out, broken files, and files whose stamp is zero: they are read again.

// Encode saves a catalogue. It can be decoded with the same key only, which says of which
// workspace it is and what was derived of its memories.
func (c *Catalog) Encode(key string) []byte {
	e := &encoder{words: map[string]int{}, commons: map[memory.Interned]int{}}
	e.out = append(make([]byte, 0, 256*len(c.Files)+1024), magic...)
	e.text(key)
	n := 0
	for _, f := range c.Files {
		if f.saved() {
			n++
		}
	}
	e.number(n)
	for _, f := range c.Files {
		if f.saved() {
			e.file(f)
		}
	}
	sum := xxh3.Hash128(e.out).Bytes()
	return append(e.out, sum[:]...)
}

// saved reports whether a file is saved.
func (f *File) saved() bool { return f.Stamp != Stamp{} && f.Kind <= ForeignIndex }

type encoder struct {
	out     []byte
	words   map[string]int
	commons map[memory.Interned]int
}

func (e *encoder) number(n int)      { e.out = binary.AppendUvarint(e.out, uint64(n)) }
func (e *encoder) signed(n int64)    { e.out = binary.AppendVarint(e.out, n) }
func (e *encoder) fixed(n uint64)    { e.out = binary.LittleEndian.AppendUint64(e.out, n) }
func (e *encoder) text(s string)     { e.number(len(s)); e.out = append(e.out, s...) }
func (e *encoder) bytes(data []byte) { e.number(len(data)); e.out = append(e.out, data...) }

func (e *encoder) flag(on bool) {
	if on {
		e.number(1)
	} else {
		e.number(0)
	}
}

// word writes a text that is likely to come again.
func (e *encoder) word(s string) {
	if n, known := e.words[s]; known {
		e.number(n)
		return
	}
	e.number(len(e.words))
	e.words[s] = len(e.words)
	e.text(s)
}

func (e *encoder) list(words []string) {
	e.number(len(words))
	for _, w := range words {
		e.word(w)
	}
}

func (e *encoder) problems(all []memory.Problem) {
	e.number(len(all))
	for _, p := range all {
		for _, s := range []string{p.File, p.Place, p.ID, p.Severity, p.Message, p.Hint} {
			e.text(s)
		}
		e.flag(p.Unread)
	}
}

func (e *encoder) file(f *File) {
	e.text(f.Name)
	e.number(int(f.Kind))
	e.fixed(f.Stamp.Device)
	e.fixed(f.Stamp.Number)
	e.signed(f.Stamp.Size)
	e.fixed(uint64(f.Stamp.Modified))
	e.fixed(uint64(f.Stamp.Changed))
	if f.Kind != Records {
		e.out = append(e.out, f.Sum[:]...)
		return
	}
	e.list(f.Arrays)
	e.word(f.Team)
	e.problems(f.Problems)
	e.number(len(f.Memories))
	for _, m := range f.Memories {
		e.memory(m)
	}
}

// What a memory has, as flags.
const (
	hasArray = 1 << iota
	hasLinks
	hasCreated
	hasUpdated
	hasAccessed
	hasArrived
	hasConfidence
	hasImportance
	isBlank
)

func (e *encoder) memory(m *memory.Memory) {
	flags := 0
	flag := func(bit int, on bool) {
		if on {
			flags |= bit
		}
	}
	links := [...][]string{m.Supersedes, m.SupersededBy, m.PromotedTo, m.PromotedFrom}
	flag(hasArray, m.Array != nil)
	flag(hasLinks, len(links[0])+len(links[1])+len(links[2])+len(links[3]) > 0)
	flag(hasCreated, !m.CreatedAt.IsZero())
	flag(hasUpdated, !m.UpdatedAt.IsZero())
	flag(hasAccessed, !m.LastAccessed.IsZero())
	flag(hasArrived, !m.Arrived.IsZero())
	flag(hasConfidence, m.Confidence != nil)
	flag(hasImportance, m.Importance != nil)
	flag(isBlank, m.Blank())
	e.number(flags)
	e.text(m.ID)
	sum := m.Checksum()
	e.out = append(e.out, sum[:]...)
	e.bytes(m.Derived())
	if n, known := e.commons[*m.Interned]; known {
		e.number(n)
	} else {
		e.number(len(e.commons))
		e.commons[*m.Interned] = len(e.commons)
		e.common(m.Interned)
	}
	e.list(m.Tags)
	offset, size := m.Place()
	e.number(offset)
	e.number(size)
	e.signed(m.AccessCount)
	if flags&hasArray != 0 {
		e.list(m.Array)
		e.number(m.Index)
	}
	if flags&hasLinks != 0 {
		for _, l := range links {
			e.list(l)
		}
	}
	for _, t := range [...]time.Time{m.CreatedAt, m.UpdatedAt, m.LastAccessed, m.Arrived} {
		if !t.IsZero() {
			e.time(t)
		}
	}
	for _, v := range [...]*float64{m.Confidence, m.Importance} {
		if v != nil {
			e.fixed(math.Float64bits(*v))
		}
	}
}

func (e *encoder) common(c *memory.Interned) {
	for _, s := range []string{c.Type, c.Subtype, c.CreatedBy, c.Scope.Kind, c.Scope.ID, c.Priority, c.Origin, c.TTL, c.ReviewOn, c.Locked} {
		e.word(s)
	}
	e.flag(c.Consent)
	e.flag(c.Protected)
	e.flag(c.PinMark)
	e.flag(c.Conflicted)
}

func (e *encoder) time(t time.Time) {
	_, offset := t.Zone()
	e.signed(t.Unix())
	e.number(t.Nanosecond())
	e.signed(int64(offset))
}
