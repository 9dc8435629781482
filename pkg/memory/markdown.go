package memory

import "github.com/memoryd/memoryd/pkg/note"

// OfNote is the memory that a Markdown note makes: raw is its record as JSON, and digest that of its file.
func OfNote(raw []byte, ref Ref, digest Digest) *Memory {
	m := ParseRecord(raw, ref)
	m.note = &digest
	return m
}

// IsNote reports whether the memory is a Markdown note. Its record is derived from the file, so that what changes in it may have
// no place there; see package note.
func (m *Memory) IsNote() bool { return m.note != nil }

// IsNote reports whether the change is one of a Markdown note.
func (o *Op) IsNote() bool { return note.Is(o.Ref.File) || note.Is(o.To.File) }

// Folder is what the rules know of an adopted folder of notes besides its memories.
type Folder struct {
	// Mentioned are the ids of notes that the host's index names in its prose: they are not archived, and merged only by a person.
	Mentioned map[string]bool
	// Listed are the ids of notes that have an entry in the index.
	Listed map[string]bool
	// Evidence reports whether it is known which notes are read: without it none counts as unused.
	Evidence bool
	// Body gives what makes notes copies of each other: their text below the front matter.
	Body func(*Memory) string
	// Index says what the index of the host needs, "" for nothing.
	Index string
}
