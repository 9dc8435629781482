package tx

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/hostindex"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// Notes is what an adopted folder of Markdown notes adds to a workspace.
type Notes interface {
	// Records are the memories of a file that is a note, as they are with some changes of the overlay. An error is that of reading the overlay.
	Records(name string, data []byte, changes []note.Change) ([]*memory.Memory, error)
	// Texts are the texts of the host as they are to be, by name, where they differ from what is there: its index and the pages of
	// that. Nil is a page to be removed. Moved are the notes that go, and those that say the same, coming those
	// that are about to be made. It refuses, see [Leave], what would leave a note without a way to it.
	Texts(moved map[string]string, coming map[string][]byte) (map[string][]byte, error)
	// Linking names the notes with links to one that goes.
	Linking(moved map[string]string) ([]string, error)
	// Retarget is a note whose links to notes that go lead to those that say the same.
	Retarget(name string, doc []byte, moved map[string]string) ([]byte, error)
	// Index is the name of the host's index; "" for none that is written.
	Index() string
}

// recordsIn are the memories of a file; notes may be nil. The error is [index.ErrReading] where the overlay can't be read.
func recordsIn(notes Notes, name string, data []byte, changes []note.Change) ([]*memory.Memory, error) {
	if notes != nil && note.Is(name) {
		records, err := notes.Records(name, data, changes)
		if err != nil {
			return nil, fmt.Errorf("%w %s: %w", index.ErrReading, note.OverlayFile, err)
		}
		return records, nil
	}
	return memory.ParseRecords(name, data)
}

// overlayOf are the changes of the overlay by actions that happen.
func overlayOf(j *journal.Run, dead map[int]string) (all []note.Change) {
	for i := range j.Actions {
		if _, gone := dead[j.Actions[i].Group]; !gone {
			all = append(all, j.Actions[i].Overlay...)
		}
	}
	return all
}

// movedBy are the notes that go by actions that happen.
func movedBy(j *journal.Run, dead map[int]string) map[string]string {
	moved := map[string]string{}
	for i := range j.Actions {
		if _, gone := dead[j.Actions[i].Group]; !gone {
			maps.Copy(moved, j.Actions[i].Moved)
		}
	}
	return moved
}

// hostTexts lists the texts of the host that a run will patch. A run that would leave a note without a way to it is refused.
func hostTexts(c *commit, j *journal.Run) error {
	if c.notes == nil {
		return nil
	}
	touches := slices.ContainsFunc(j.Actions, func(a journal.Action) bool { return a.Action.Type == oplog.Tend }) ||
		slices.ContainsFunc(j.Files, func(f journal.Change) bool { return note.Is(f.Path) })
	if !touches || c.undoOf != "" { // see textsBack
		return nil
	}
	return computedTexts(c, j)
}

// computedTexts lists the texts of the host that differ once a run has happened.
func computedTexts(c *commit, j *journal.Run) error {
	moved := movedBy(j, nil)
	coming := map[string][]byte{}
	for i := range j.Files {
		if f := &j.Files[i]; f.Base == durable.Absent && strings.HasSuffix(f.Path, ".md") {
			coming[f.Path] = f.After
		}
	}
	texts, err := c.notes.Texts(moved, coming)
	if err != nil {
		return err
	}
	linking, err := c.notes.Linking(moved)
	if err != nil {
		return err
	}
	changed := map[string]bool{} // by the run itself
	for i := range j.Files {
		changed[j.Files[i].Path] = j.Files[i].Next == durable.Absent
	}
	for _, name := range linking {
		if !changed[name] {
			texts[name] = []byte{}
		}
	}
	return addTexts(c.root, j, slices.Sorted(maps.Keys(texts)))
}

// addTexts adds texts to those that a run patches.
func addTexts(root durable.FS, j *journal.Run, names []string) error {
	for _, name := range names {
		if slices.ContainsFunc(j.Texts, func(t journal.Patched) bool { return t.Path == name }) {
			continue
		}
		base, err := durable.Hash(root, name)
		if err != nil {
			return err
		}
		j.Texts = append(j.Texts, journal.Patched{Path: name, Base: base})
	}
	return nil
}

// errAgain: the pages that an index would name aren't what they were computed from.
var errAgain = errors.New("computed again")

// patchTexts patches the texts of the host: pages, the index that names them, pages that go, then notes with links.
func patchTexts(r *run) error {
	if r.notes == nil || len(r.j.Texts) == 0 {
		return nil
	}
	var err error
	for range 3 { // somebody may write the index meanwhile
		if err = textsOnce(r); !errors.Is(err, errAgain) {
			break
		}
	}
	if errors.Is(err, errAgain) {
		r.warn("%s is being written by somebody else: the next run brings it up to date", r.notes.Index())
		return nil
	}
	return err
}

func textsOnce(r *run) error {
	moved, index := movedBy(r.j, r.dead), r.notes.Index()
	texts, err := r.notes.Texts(moved, nil)
	if errors.Is(err, errLeave) {
		r.warn("%v: it stays as it is", err)
		texts, err = map[string][]byte{}, nil
	}
	if err != nil {
		return err
	}
	order := func(t journal.Patched) int {
		next, ours := texts[t.Path]
		switch {
		case t.Path == index:
			return 1
		case ours && next == nil:
			return 2
		case ours:
			return 0
		}
		return 3
	}
	places := make([]int, len(r.j.Texts))
	for k := range places {
		places[k] = k
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(order(r.j.Texts[a]), order(r.j.Texts[b])) })
	for _, k := range places {
		name := r.j.Texts[k].Path
		changed, err := r.patch(&patch{label: journal.TextLabel(k), name: name, keepTime: name != index, of: func(doc []byte) ([]byte, error) {
			return textOf(r, name, doc, moved)
		}})
		switch {
		case errors.Is(err, errLeave), odd(err):
			r.warn("%s stays as it is: %s", name, durable.Cause(err))
		case err != nil:
			return err
		case changed:
			r.changed = append(r.changed, name)
		}
	}
	return nil
}

// textOf is a text of the host as it is to be.
func textOf(r *run, name string, doc []byte, moved map[string]string) ([]byte, error) {
	page := strings.HasPrefix(path.Base(name), "more-") // a page, or a note that has such a name
	if name != r.notes.Index() && !page {
		if doc == nil {
			return nil, nil
		}
		return r.notes.Retarget(name, doc, moved)
	}
	texts, err := r.notes.Texts(moved, nil)
	if err != nil {
		return nil, err
	}
	if name == r.notes.Index() {
		for other, next := range texts {
			if other != name && next != nil {
				return nil, errAgain
			}
		}
	}
	if next, ok := texts[name]; ok {
		return next, nil
	}
	return doc, nil
}

// textsBack adds the texts of the host that a run has patched to those that its undo patches. Where the index isn't put back byte for byte,
// since somebody has written it, it is computed, and may need other pages.
func textsBack(c *commit, past pastRun, j *journal.Run) error {
	var names []string
	for _, t := range past.j.Texts {
		names = append(names, t.Path)
	}
	if err := addTexts(c.root, j, names); err != nil {
		return err
	}
	if c.notes == nil || !slices.Contains(names, c.notes.Index()) || slices.ContainsFunc(j.Exact, func(e journal.Exact) bool { return e.Path == c.notes.Index() }) {
		return nil
	}
	if err := computedTexts(c, j); !errors.Is(err, errLeave) {
		return err
	}
	return nil
}

// overlayPatch is the patch of the overlay; nil where no line changes. A note counts as listed from this run on only if the index or a
// page has its entry by now: somebody else may have been faster in writing them, and then the next run adds it.
func overlayPatch(r *run) *patch {
	changes := overlayOf(r.j, r.dead)
	if r.notes == nil || len(changes) == 0 {
		return nil
	}
	return &patch{label: journal.LabelOverlay, name: note.OverlayFile, of: func(doc []byte) ([]byte, error) {
		now, err := trulyListed(r, changes)
		if err != nil {
			return nil, err
		}
		return note.PatchOverlay(doc, now), nil
	}}
}

// trulyListed are changes of the overlay of which those that make a note a listed one hold.
func trulyListed(r *run, changes []note.Change) ([]note.Change, error) {
	lines := map[int]note.Line{}
	h := hostindex.Folder{Name: r.notes.Index(), Pages: map[string][]byte{}}
	for i, c := range changes {
		var was, now note.Line
		_ = json.Unmarshal([]byte(c.Was), &was) // "" for a line that is new or goes
		_ = json.Unmarshal([]byte(c.Now), &now)
		if now.Listed && !was.Listed && !now.Archived {
			lines[i] = now
			h.Notes = append(h.Notes, hostindex.Note{Path: now.Path})
		}
	}
	if len(lines) == 0 || h.Name == "" {
		return changes, nil
	}
	for _, t := range r.j.Texts {
		doc, _, err := r.read(t.Path)
		switch {
		case odd(err):
		case err != nil:
			return nil, err
		case t.Path == h.Name:
			h.Index = doc
		case hostindex.IsPage(t.Path, doc):
			h.Pages[t.Path] = doc
		}
	}
	listed := h.Listed()
	changes = slices.Clone(changes)
	for i, line := range lines {
		line.Listed = listed[line.Path]
		changes[i].Now = line.JSON()
	}
	return changes, nil
}
