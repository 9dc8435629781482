package rules

import (
	"encoding/binary"
	"hash/fnv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// DeriveVersion changes when Derive gives something else for the same bytes, or
// other bytes for the same thing.
const DeriveVersion = 6

// Flags in the second byte of Derive.
const (
	flagBlank    = 1 << iota
	flagPlain    // its title is not a name that others cite it by
	flagReplaces // its text has words of replacing,
	flagChanges  // or of another change
)

// Derive appends what the rules ask of one memory's text, so that a plan need not read all
// texts: whether it says anything, whether others may cite it by its title, and whether it may tell of a
// change; of a
// procedural memory a hash of its statement; of an episodic one the length of its details.
// These are 2 to 12 bytes.
func Derive(to []byte, m *memory.Memory) []byte {
	flags := byte(0)
	if m.Blank() {
		flags |= flagBlank
	}
	if supersession.Plain(title(m)) {
		flags |= flagPlain
	}
	replaces, changes := supersession.Speaks(written(m))
	if replaces {
		flags |= flagReplaces
	}
	if changes {
		flags |= flagChanges
	}
	to = append(to, DeriveVersion, flags)
	switch m.Type {
	case memory.Procedural:
		to = binary.LittleEndian.AppendUint64(to, hash64(statement(m)))
	case memory.Episodic:
		to = binary.AppendUvarint(to, uint64(utf8.RuneCountInString(details(m))))
	}
	return to
}

// written is the text of a memory, as its record writes it where that needs no escapes.
func written(m *memory.Memory) string {
	if raw := m.Content().Raw; !strings.Contains(raw, `\`) {
		return raw
	}
	return m.Text()
}

// derived is what Derive tells.
type derived struct {
	blank, plain      bool
	replaces, changes bool
	statement         uint64
	detailsLength     int
}

// derivedOf reads what was derived of a memory. Without it, or if it is damaged, it is
// derived now.
func derivedOf(m *memory.Memory) derived {
	d, ok := readDerived(m.Type, m.Derived())
	if !ok {
		d, _ = readDerived(m.Type, Derive(nil, m))
	}
	return d
}

func readDerived(kind string, b []byte) (d derived, ok bool) {
	if len(b) < 2 || b[0] != DeriveVersion {
		return d, false
	}
	has := func(flag byte) bool { return b[1]&flag != 0 }
	d.blank, d.plain, d.replaces, d.changes = has(flagBlank), has(flagPlain), has(flagReplaces), has(flagChanges)
	b = b[2:]
	switch kind {
	case memory.Procedural:
		if len(b) < 8 {
			return d, false
		}
		d.statement, b = binary.LittleEndian.Uint64(b), b[8:]
	case memory.Episodic:
		n, size := binary.Uvarint(b)
		if size <= 0 || n > jsonedit.MaxSize {
			return d, false
		}
		d.detailsLength, b = int(n), b[size:]
	}
	return d, len(b) == 0
}

// saysAnything reports whether a memory says anything: else there is nothing to compare.
func saysAnything(m *memory.Memory) bool { return !derivedOf(m).blank }

// StatementHash is a hash of what a procedural memory says, whatever its case and spaces. Two memories that say the same have the same
// one; others may have, too, once in 2⁶⁴.
func StatementHash(m *memory.Memory) uint64 { return derivedOf(m).statement }

// detailsLength is how many characters the details of an episodic memory have.
func detailsLength(m *memory.Memory) int {
	if m.Type != memory.Episodic {
		return utf8.RuneCountInString(details(m))
	}
	return derivedOf(m).detailsLength
}

// details is the text of content.details that counts.
func details(m *memory.Memory) string {
	switch d := m.Field("details"); {
	case d.Type == gjson.String:
		return d.Str
	case d.IsObject() || d.IsArray():
		return string(jsonedit.Compact([]byte(d.Raw)))
	}
	return ""
}

// nameHashes are the hashes of names by which memories cite each other.
func nameHashes(names []string) []uint64 {
	hashes := make([]uint64, len(names))
	for i, name := range names {
		hashes[i] = hash64(name)
	}
	return hashes
}

// title is what a memory is called, by its content or next to it; "" when neither
// says.
func title(m *memory.Memory) string {
	if v := m.Field("title"); v.Type == gjson.String && strings.TrimSpace(v.Str) != "" {
		return v.Str
	}
	if strings.TrimSpace(m.Title()) != "" {
		return m.Title()
	}
	return ""
}

// statement is what a memory says, whatever its case and spaces.
func statement(m *memory.Memory) string {
	return strings.Join(strings.Fields(strings.ToLower(m.Text())), " ")
}

// hash64 is the 64-bit FNV-1a hash of a text. It is the same on all machines.
func hash64(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	return h.Sum64()
}
