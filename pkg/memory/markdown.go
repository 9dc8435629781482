package memory

import (
	"errors"

	"github.com/memoryd/memoryd/pkg/note"
)

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

// NoteText is the text below the front matter of the note that is made of a record.
func NoteText(record []byte) string { return note.Text(record) }

// Folder is what the rules know of an adopted folder of notes besides its memories.
type Folder struct {
	// Scope and Agent are the scope and the author that notes have which don't say it.
	Scope Scope
	Agent string
	// Mentioned are the ids of notes that the host's index names in its prose: they are not archived, and merged only by a person.
	Mentioned map[string]bool
	// Listed are the ids of notes that have an entry in the index.
	Listed map[string]bool
	// Loaded are the ids of notes that the part of the index names which Loader, a host, gives its agents; Picks tells that it gives them
	// notes that fit a prompt, too.
	Loaded map[string]bool
	Loader string
	Picks  bool
	// Evidence reports whether it is known which notes are read: without it none counts as unused.
	Evidence bool
	// Body gives what makes notes copies of each other: their text below the front matter.
	Body func(*Memory) string
	// Index says what the index of the host needs once some notes have gone, see [MovedNotes], apart from the fact that these leave it; "" for
	// nothing. It is nil where nobody writes the index.
	Index func(moved map[string]string) string
}

// MovedNotes are the files of live notes that go by actions, and for each the file that says the same; "" for none.
func MovedNotes(actions []Action) (moved map[string]string) {
	for i := range actions {
		a := &actions[i]
		for j := range a.Ops {
			op := &a.Ops[j]
			if op.Kind != Move || !op.IsNote() || !note.Archived(op.To.File) || note.Archived(op.Ref.File) {
				continue
			}
			if moved == nil {
				moved = map[string]string{}
			}
			moved[op.Ref.File] = ""
			for k := range a.Ops {
				if other := &a.Ops[k]; other.ID == a.ResultID && other.Kind == Put {
					moved[op.Ref.File] = other.Ref.File
				}
			}
		}
	}
	return moved
}

// ErrNoWorking: a working memory was to be saved among the notes of a host.
var ErrNoWorking = errors.New("a host's folder of notes holds no working memories: save what lasts, or keep them in another workspace")

// draft is a draft as a note of the folder: of its scope and author, and of a kind that the host knows.
func (f *Folder) draft(d Draft) (Draft, error) {
	if d.Type == Working {
		return d, ErrNoWorking
	}
	d.Scope, d.CreatedBy, d.Subtype = f.Scope, f.Agent, note.Word(d.Type, d.Subtype)
	d.Type = note.Kind(d.Subtype)
	return d, nil
}
