package indexfile

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Drift is one place where an index disagrees with the files.
type Drift struct {
	ID      string
	Message string
}

// Owned are the memories that an index is to list, in their order.
type Owned struct {
	Len  int
	ID   func(i int) string
	Line func(i int) (Line, error) // an error ends the update
	// Agrees tells that an entry is known to say what the line would; nil: of none.
	Agrees func(i int) bool
}

// Updated is what an index is to become.
type Updated struct {
	Doc    []byte          // where there is nothing to change, the text as it was
	Drifts []Drift         // in what it differs from the files
	Kept   []jsonedit.Kept // what Doc has of the text as it was; nil where that is unknown
}

// Update computes the file as the owned memories demand it, leaving everything else in
// it as it is. only restricts the work to entries of certain ids (nil: all). extras are
// members to add to entries, by id. An entry with a content of its own is never removed,
// and the memories of a foreign file can't be listed: that is an error.
func (f *File) Update(to Owned, only map[string]bool, extras map[string][]Field, now time.Time) (Updated, error) {
	want := make(map[string]int, to.Len) // of several with an id, the last one
	for i := range to.Len {
		if id := to.ID(i); only == nil || only[id] {
			want[id] = i
		}
	}
	var drifts []Drift
	edit := jsonedit.ArrayEdit{Set: map[int][]byte{}, Remove: map[int]bool{}}
	seen, moved := make(map[string]bool, len(want)), false
	for i, e := range f.entries {
		if only != nil && !only[e.ID] {
			continue
		}
		m, wanted := want[e.ID]
		if !wanted && e.Holds {
			drifts = append(drifts, Drift{e.ID, "the entry itself holds content that no file has: save it as a file of its own"})
			continue
		}
		if !wanted || seen[e.ID] {
			edit.Remove[i] = true
			drifts = append(drifts, Drift{e.ID, "the index lists it, but it isn't there"})
			continue
		}
		seen[e.ID] = true
		if to.Agrees != nil && len(extras[e.ID]) == 0 && to.Agrees(m) {
			continue
		}
		line, err := to.Line(m)
		if err != nil {
			return Updated{}, err
		}
		raw, drift, elsewhere, err := f.update(e.Raw, line, extras[e.ID])
		if err != nil {
			return Updated{}, err
		}
		if drift != "" {
			drifts = append(drifts, Drift{e.ID, drift})
		}
		if raw != nil {
			edit.Set[i], moved = raw, moved || elsewhere
		}
	}
	for i := range to.Len {
		id := to.ID(i)
		m, wanted := want[id]
		if !wanted || seen[id] {
			continue
		}
		seen[id] = true
		line, err := to.Line(m)
		if err != nil {
			return Updated{}, err
		}
		edit.Insert = append(edit.Insert, jsonedit.Insertion{Before: len(f.entries), Raw: f.newEntry(line, extras[id])})
		drifts = append(drifts, Drift{id, "not in the index"})
	}
	if f.members == nil {
		if len(drifts) > 0 {
			return Updated{}, errors.New("it has no list of memories")
		}
		return Updated{Doc: f.doc}, nil
	}
	changes := f.members.Edit()
	if len(edit.Set)+len(edit.Remove)+len(edit.Insert) > 0 {
		span := func(i int) (start, end int) {
			return int(f.at[i]), int(f.at[i]) + len(f.entries[i].Raw)
		}
		if err := changes.EditArray(f.listKey, len(f.entries), span, edit); err != nil {
			return Updated{}, err
		}
	}
	if moved = moved || len(edit.Remove)+len(edit.Insert) > 0; moved || !f.agreed {
		more, err := f.derived(changes, edit)
		if err != nil {
			return Updated{}, err
		}
		if len(drifts) == 0 {
			drifts = more // else they only follow from the entries
		}
	}
	if !changes.Any() {
		return Updated{f.doc, drifts, []jsonedit.Kept{{Len: len(f.doc)}}}, nil
	}
	if _, ok := f.members.Get("last_updated"); ok {
		if err := changes.Set("last_updated", jsonedit.Quote(timestamp.Format(now))); err != nil {
			return Updated{}, err
		}
	}
	doc, kept, err := changes.Bytes()
	return Updated{doc, drifts, kept}, err
}

// New is an empty index in our form.
func New(name string, now time.Time) (*File, error) {
	doc, err := json.MarshalIndent(struct {
		Version     string   `json:"version"`
		LastUpdated string   `json:"last_updated"`
		EntryCount  int      `json:"entry_count"`
		Entries     []string `json:"entries"`
		TagIndex    struct{} `json:"tag_index"`
		TypeIndex   struct{} `json:"type_index"`
	}{Version: "1.0.0", LastUpdated: timestamp.Format(now), Entries: []string{}}, "", "  ")
	if err != nil {
		return nil, err
	}
	return Parse(name, append(doc, '\n'))
}
