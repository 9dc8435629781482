package indexfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Drift is one place where an index disagrees with the files.
type Drift struct {
	ID      string
	Message string
}

// Gone is the message of a drift: an entry is about a memory that no file has.
const Gone = "the index lists it, but it isn't there"

// Want is what an index is to list.
type Want struct {
	// Lines are of the memories that belong to the index, in their order. Of several
	// with one id the last counts.
	Lines []Line
	// Only restricts the update to the entries of these ids; nil: all entries.
	Only map[string]bool
	// Extra are members that entries get besides, by id.
	Extra map[string][]Field
}

// Updated is what an index becomes.
type Updated struct {
	Doc    []byte  // the very bytes of before when there is nothing to change
	Drifts []Drift // where the index differed from the files
}

// Update is [File.Update] of the document of an index; nil stands for none. An index that
// isn't there is begun if there is something to list. A foreign one stays as it is.
func Update(name string, doc []byte, want Want, now time.Time) (Updated, error) {
	var f *File
	var err error
	switch {
	case doc != nil:
		f, err = Parse(name, doc)
	case len(want.Lines) == 0:
		return Updated{}, nil
	default:
		f, err = New(name, now)
	}
	if err != nil {
		return Updated{}, fmt.Errorf("is not valid JSON: %w", err)
	}
	if f.Foreign {
		return Updated{Doc: doc}, nil
	}
	return f.Update(want, now)
}

// Update computes the document as the wanted lines demand it; what they don't concern
// stays byte for byte. An entry with a content of its own is never removed. Lines for a
// foreign file are an error.
func (f *File) Update(want Want, now time.Time) (Updated, error) {
	lines := make(map[string]*Line, len(want.Lines))
	for i := range want.Lines {
		if l := &want.Lines[i]; want.Only == nil || want.Only[l.ID] {
			lines[l.ID] = l
		}
	}
	if f.members == nil {
		if len(lines) > 0 {
			return Updated{}, errors.New("it has no list of memories")
		}
		return Updated{Doc: f.doc}, nil
	}
	edit, drifts, err := f.compare(lines, want)
	if err != nil {
		return Updated{}, err
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
	more, err := f.derived(changes, edit)
	if err != nil {
		return Updated{}, err
	}
	if len(drifts) == 0 {
		drifts = more // else they only follow from the entries
	}
	if !changes.Any() {
		return Updated{f.doc, drifts}, nil
	}
	if _, ok := f.members.Get("last_updated"); ok {
		if err := changes.Set("last_updated", jsonedit.Quote(timestamp.Format(now))); err != nil {
			return Updated{}, err
		}
	}
	doc, _, err := changes.Bytes()
	return Updated{doc, drifts}, err
}

// compare finds the entries to set, to remove and to insert.
func (f *File) compare(lines map[string]*Line, want Want) (edit jsonedit.ArrayEdit, drifts []Drift, err error) {
	edit = jsonedit.ArrayEdit{Set: map[int][]byte{}, Remove: map[int]bool{}}
	listed := make(map[string]bool, len(lines))
	for i, e := range f.entries {
		if want.Only != nil && !want.Only[e.ID] {
			continue
		}
		line := lines[e.ID]
		if line == nil && e.Holds {
			drifts = append(drifts, Drift{e.ID, "the entry itself holds content that no file has: save it as a file of its own"})
			continue
		}
		if line == nil || listed[e.ID] {
			edit.Remove[i] = true
			drifts = append(drifts, Drift{e.ID, Gone})
			continue
		}
		listed[e.ID] = true
		raw, drift, err := f.update(e.Raw, *line, want.Extra[e.ID])
		if err != nil {
			return edit, nil, err
		}
		if drift != "" {
			drifts = append(drifts, Drift{e.ID, drift})
		}
		if raw != nil {
			edit.Set[i] = raw
		}
	}
	for i := range want.Lines {
		id := want.Lines[i].ID
		if lines[id] == nil || listed[id] {
			continue
		}
		listed[id] = true
		edit.Insert = append(edit.Insert, jsonedit.Insertion{Before: len(f.entries), Raw: f.newEntry(*lines[id], want.Extra[id])})
		drifts = append(drifts, Drift{id, "not in the index"})
	}
	return edit, drifts, nil
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
