package tx

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// Notes is what an adopted folder of Markdown notes adds to a workspace.
type Notes interface {
	// Records are the memories of a file that is a note, as they are with some changes of the overlay.
	Records(name string, data []byte, changes []note.Change) ([]*memory.Memory, error)
	// Texts are the texts of the host as they are to be, by name, where they differ from what is there: its index and the pages of
	// that. Nil is a page to be removed. Moved are the notes that go, and those that say the same, coming those
	// that are about to be made. It refuses what would leave a note without a way to it.
	Texts(moved map[string]string, coming map[string][]byte) (map[string][]byte, error)
	// Linking names the notes with links to one that goes.
	Linking(moved map[string]string) ([]string, error)
	// Retarget is a note whose links to notes that go lead to those that say the same.
	Retarget(name string, doc []byte, moved map[string]string) ([]byte, error)
	// Index is the name of the host's index; "" for none that is written.
	Index() string
}

// recordsIn are the memories of a file; notes may be nil.
func recordsIn(notes Notes, name string, data []byte, changes []note.Change) ([]*memory.Memory, error) {
	if notes != nil && note.Is(name) {
		return notes.Records(name, data, changes)
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
	if !touches || c.undoOf != "" {
		return nil
	}
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
	if err != nil {
		r.warn("%v: it stays as it is", err)
		texts = map[string][]byte{}
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
		next, err := r.notes.Retarget(name, doc, moved)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errLeave, err)
		}
		return next, nil
	}
	texts, err := r.notes.Texts(moved, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLeave, err)
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

// textsBack adds the texts of the host that a run has patched to those that its undo patches.
func textsBack(root durable.FS, past pastRun, j *journal.Run) error {
	var names []string
	for _, t := range past.j.Texts {
		names = append(names, t.Path)
	}
	return addTexts(root, j, names)
}

// overlayPatch is the patch of the overlay; nil where no line changes.
func overlayPatch(r *run) *patch {
	changes := overlayOf(r.j, r.dead)
	if r.notes == nil || len(changes) == 0 {
		return nil
	}
	return &patch{label: journal.LabelOverlay, name: note.OverlayFile, of: func(doc []byte) ([]byte, error) {
		return note.PatchOverlay(doc, changes), nil
	}}
}
