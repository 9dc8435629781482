package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/hostindex"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/internal/mdedit"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
	"github.com/memoryd/memoryd/pkg/workspace/internal/tx"
)

// notes is what an adopted folder of Markdown notes adds to a workspace. Names of notes are relative to the folder, those of our
// documents to its hidden directory; see noteDisk.
type notes struct {
	root     durable.FS
	layout   layout.Layout
	manifest note.Manifest
	now      func() time.Time

	mu     sync.Mutex
	folder *note.Folder // as the overlay was when it was read last
	sum    string       // of the overlay
	seen   map[string]seenNote
}

var _ tx.Notes = (*notes)(nil)

// adopted opens the folder that a directory was adopted for; nil for any other directory.
func adopted(root durable.FS, dir string) (durable.FS, *notes, error) {
	doc, _, err := root.Read(note.ManifestFile, jsonedit.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return root, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	m, l, err := note.ReadManifest(doc)
	if err != nil {
		return nil, nil, err
	}
	parent, name := durable.Parent(dir)
	base, _, err := durable.Open(parent)
	if err != nil {
		return nil, nil, err
	}
	n := &notes{root: &noteDisk{base, name}, layout: l, manifest: m, now: time.Now}
	return n.root, n, root.Close()
}

// reader is how the catalogue reads notes; nil where there is no adopted folder.
func (n *notes) reader() func(string, []byte, durable.Info) (*memory.Memory, error) {
	if n == nil {
		return nil
	}
	var mu sync.Mutex
	var at durable.Info
	var f *note.Folder
	overlay := func() (*note.Folder, error) { // as [notes.overlay], but a file that is the same isn't read for each note
		mu.Lock()
		defer mu.Unlock()
		info, err := n.root.Stat(note.OverlayFile)
		if err == nil && f != nil && !info.ChangeTime.IsZero() && info.ID == at.ID && info.Size == at.Size && info.ChangeTime.Equal(at.ChangeTime) {
			return f, nil
		}
		if f, err = n.overlay(); err == nil {
			at = info
		}
		return f, err
	}
	return func(name string, data []byte, info durable.Info) (*memory.Memory, error) {
		return n.read(overlay, name, data, info)
	}
}

// host is n for transactions; nil where there is no adopted folder.
func (n *notes) host() tx.Notes {
	if n == nil {
		return nil
	}
	return n
}

// overlay reads the overlay.
func (n *notes) overlay() (*note.Folder, error) {
	doc, _, err := n.root.Read(note.OverlayFile, jsonedit.MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil && notThere(err):
		return nil, tx.Leave(err) // a run moves it away, when it writes the overlay
	case err != nil:
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if sum := note.Sum(doc); n.folder == nil || sum != n.sum {
		lines, err := note.ReadOverlay(doc)
		if err != nil {
			return nil, tx.Leave(fmt.Errorf("%s: %w", note.OverlayFile, err))
		}
		n.folder, n.sum = n.folderOf(lines), sum
	}
	return n.folder, nil
}

// scope is that of the notes.
func (n *notes) scope() (kind, id string) {
	if n.manifest.Project != "" {
		return "project", n.manifest.Project
	}
	return "global", ""
}

func (n *notes) folderOf(lines []note.Line) *note.Folder {
	kind, id := n.scope()
	return note.NewFolder(n.layout, kind, id, lines)
}

// isNote reports whether a file is a note by its name: not the index of the host, and no instructions for agents.
func (n *notes) isNote(name string) bool {
	if note.Archived(name) {
		return true
	}
	return strings.HasSuffix(name, ".md") && name != n.layout.Index && !layout.Instructions(name)
}

// line is what the overlay says, or would say, of a note.
func (n *notes) line(f *note.Folder, name string, data []byte, modified time.Time) note.Line {
	return f.Line(name, data, modified, func(at string) bool {
		_, err := n.root.Stat(at)
		return err == nil
	})
}

// read makes a memory of a note, for the catalogue; nil for a file that is none.
func (n *notes) read(overlay func() (*note.Folder, error), name string, data []byte, info durable.Info) (*memory.Memory, error) {
	if !n.isNote(name) || hostindex.IsPage(name, data) {
		return nil, nil
	}
	f, err := overlay()
	if err != nil {
		return nil, err
	}
	line := n.line(f, name, data, info.ModTime)
	m, err := ofNote(f, line, name, data)
	if err == nil && !note.Archived(name) && mdedit.Check(data) == nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.seen == nil {
			n.seen = map[string]seenNote{}
		}
		n.seen[name] = seenNote{m.Digest(), inIndex(line, m, data)}
	}
	return m, err
}

// seenNote is a note as the index needs it, as it was when it was read last.
type seenNote struct {
	digest memory.Digest
	note   hostindex.Note
}

// inIndex is a note as the index needs it.
func inIndex(line note.Line, m *memory.Memory, data []byte) hostindex.Note {
	title, hook, group := note.Entry(m.File, data)
	return hostindex.Note{
		Path: m.File, Title: title, Hook: hook, Group: group,
		Updated: m.Newest(), Used: m.LastAccessed, Pinned: m.PinMark, Dropped: line.Listed,
	}
}

func ofNote(f *note.Folder, line note.Line, name string, data []byte) (*memory.Memory, error) {
	raw, err := f.Record(line, data)
	if err != nil {
		return nil, err
	}
	return memory.OfNote(raw, memory.Ref{File: name}, memory.DigestOf(data)), nil
}

// Records implements [tx.Notes].
func (n *notes) Records(name string, data []byte, changes []note.Change) ([]*memory.Memory, error) {
	if !n.isNote(name) || hostindex.IsPage(name, data) || data == nil {
		return nil, nil
	}
	doc, _, err := n.root.Read(note.OverlayFile, jsonedit.MaxSize)
	if err != nil && !notThere(err) {
		return nil, err
	}
	lines, err := note.ReadOverlay(note.PatchOverlay(doc, changes))
	if err != nil {
		return nil, err
	}
	f := n.folderOf(lines)
	line := n.line(f, name, data, time.Time{})
	if i := slices.IndexFunc(lines, func(l note.Line) bool { return l.Archived && l.Path == name }); i >= 0 && !slices.ContainsFunc(lines, func(l note.Line) bool { return !l.Archived && l.Path == name }) {
		line = lines[i] // a side of a run that archived it
	}
	m, err := ofNote(f, line, name, data)
	if err != nil {
		return nil, nil // not a memory
	}
	return []*memory.Memory{m}, nil
}

// Index implements [tx.Notes].
func (n *notes) Index() string {
	if !n.layout.Ours || n.layout.Level != layout.Tend {
		return ""
	}
	return n.layout.Index
}

// hostFolder is the index of the host with its pages and notes, as they are on the disk.
// Moved are the notes that go, and coming those that are about to be made.
func (n *notes) hostFolder(moved map[string]string, coming map[string][]byte) (hostindex.Folder, error) {
	l := n.layout
	h := hostindex.Folder{Name: l.Index, Lines: l.Lines, Units: l.Units, Pages: map[string][]byte{}, Moved: moved, At: n.now()}
	names, err := n.files()
	if err != nil {
		return h, err
	}
	names = append(names, slices.Sorted(maps.Keys(coming))...)
	for _, name := range names {
		if err := n.into(&h, name, coming[name]); err != nil {
			return h, err
		}
	}
	return h, nil
}

// into adds a file to a folder: its index, a page, or a note that may be written. Coming is what it is about to be, nil for what it is.
func (n *notes) into(h *hostindex.Folder, name string, coming []byte) error {
	data, info, err := n.root.Read(name, jsonedit.MaxSize)
	if coming != nil {
		data, info, err = coming, durable.Info{ModTime: h.At}, nil
	}
	if notThere(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	switch _, gone := h.Moved[name]; {
	case name == h.Name:
		h.Index = data
	case hostindex.IsPage(name, data):
		h.Pages[name] = data
	case gone, !n.isNote(name), mdedit.Check(data) != nil:
	default:
		f, err := n.overlay()
		if err != nil {
			return err
		}
		line := n.line(f, name, data, info.ModTime)
		if m, err := ofNote(f, line, name, data); err == nil {
			h.Notes = append(h.Notes, inIndex(line, m, data))
		}
	}
	return nil
}

// folderIn is [notes.hostFolder] of a snapshot: what was read for that isn't read again.
func (n *notes) folderIn(snap *memory.Snapshot) (hostindex.Folder, error) {
	l := n.layout
	h := hostindex.Folder{Name: l.Index, Lines: l.Lines, Units: l.Units, Pages: map[string][]byte{}, At: n.now()}
	names, err := n.files()
	if err != nil {
		return h, err
	}
	live := map[string]memory.Digest{}
	for _, m := range snap.Memories() {
		live[m.File] = m.Digest()
	}
	n.mu.Lock()
	seen := n.seen
	n.seen = nil
	n.mu.Unlock()
	for _, name := range names {
		if s, ok := seen[name]; ok && s.digest == live[name] {
			h.Notes = append(h.Notes, s.note)
		} else if err := n.into(&h, name, nil); err != nil {
			return h, err
		}
	}
	return h, nil
}

// notThere reports whether reading a file failed because it is gone meanwhile, or can't be a note.
func notThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, durable.ErrLink) || errors.Is(err, durable.ErrTooLarge)
}

// files are the names of the Markdown files of the folder, but for those in hidden directories.
func (n *notes) files() ([]string, error) {
	return n.below(".", 0)
}

func (n *notes) below(dir string, depth int) (all []string, err error) {
	entries, err := n.root.ReadDir(dir)
	if err != nil || depth > catalog.MaxDepth {
		return nil, err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name)
		switch {
		case strings.HasPrefix(e.Name, "."), ours(name) && name != memory.ArchiveDir:
		case e.Kind == durable.Regular && strings.HasSuffix(name, ".md"):
			all = append(all, name)
		case e.Kind == durable.Dir:
			more, err := n.below(name, depth+1)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	return all, nil
}

// Texts implements [tx.Notes].
func (n *notes) Texts(moved map[string]string, coming map[string][]byte) (map[string][]byte, error) {
	texts, _, err := n.tend(moved, coming)
	return texts, err
}

func (n *notes) tend(moved map[string]string, coming map[string][]byte) (map[string][]byte, hostindex.Report, error) {
	if n.Index() == "" {
		return map[string][]byte{}, hostindex.Report{}, nil
	}
	before, err := n.hostFolder(moved, coming)
	if err != nil {
		return nil, hostindex.Report{}, err
	}
	return n.tendFolder(before)
}

func (n *notes) tendFolder(before hostindex.Folder) (map[string][]byte, hostindex.Report, error) {
	texts := map[string][]byte{}
	if n.Index() == "" || before.Index == nil {
		return texts, hostindex.Report{}, nil
	}
	out, err := hostindex.Tend(before)
	if err != nil {
		return texts, hostindex.Report{}, tx.Leave(err)
	}
	if out.Empty() && len(before.Moved) == 0 && string(out.Index) == string(before.Index) {
		return texts, out.Report, nil
	}
	after := before
	after.Index, after.Pages, after.Moved = out.Index, map[string][]byte{}, nil
	for name, page := range out.Pages {
		if page != nil {
			after.Pages[name] = page
		}
		if string(page) != string(before.Pages[name]) {
			texts[name] = page
		}
	}
	if string(out.Index) != string(before.Index) {
		texts[n.layout.Index] = out.Index
	}
	if err := hostindex.Prove(&before, &after); err != nil {
		return nil, out.Report, tx.Leave(err)
	}
	return texts, out.Report, nil
}

// Linking implements [tx.Notes].
func (n *notes) Linking(moved map[string]string) (all []string, err error) {
	if len(moved) == 0 || n.layout.Level != layout.Tend {
		return nil, nil
	}
	names, err := n.files()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, gone := moved[name]; gone || !n.isNote(name) {
			continue
		}
		data, _, err := n.root.Read(name, jsonedit.MaxSize)
		if err != nil && !notThere(err) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err != nil || hostindex.IsPage(name, data) {
			continue
		}
		next, err := retarget(name, data, names, moved)
		if err == nil && string(next) != string(data) { // else it stays as it is
			all = append(all, name)
		}
	}
	return all, nil
}

// Retarget implements [tx.Notes].
func (n *notes) Retarget(name string, doc []byte, moved map[string]string) ([]byte, error) {
	names, err := n.files()
	if err != nil {
		return nil, err
	}
	doc, err = retarget(name, doc, names, moved)
	return doc, tx.Leave(err)
}

// retarget is [notes.Retarget] with the names of the files of the folder.
func retarget(name string, doc []byte, names []string, moved map[string]string) ([]byte, error) {
	for _, from := range slices.Sorted(maps.Keys(moved)) {
		if !slices.Contains(names, from) {
			names = append(slices.Clip(names), from)
		}
	}
	return hostindex.Retarget(name, doc, names, moved)
}

// encode puts the changes of a plan into the form in which notes hold them: bytes of files and lines of the overlay. What can't be
// written so leaves the plan, and is among the refused.
func (n *notes) encode(plan *memory.Plan) (*memory.Plan, error) {
	f, err := n.overlay()
	if err != nil {
		return nil, err
	}
	out := *plan
	out.Actions, out.Refused = nil, slices.Clone(plan.Refused)
	for i := range plan.Actions {
		a, err := n.action(f, plan, plan.Actions[i], out.Actions)
		var refused *note.RefusedError
		if errors.As(err, &refused) {
			for _, id := range a.Members() {
				out.Refused = append(out.Refused, memory.Skip{MemoryID: id, Rule: a.Rule, Reason: tx.ReasonUnwritable, Detail: refused.Error()})
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		out.Actions = append(out.Actions, a)
	}
	return &out, nil
}

// changedSince is the digest of no note.
const changedSince memory.Digest = "changed since the plan was made"

// action is an action in that form; before are those of the plan that come before it.
func (n *notes) action(f *note.Folder, plan *memory.Plan, a memory.Action, before []memory.Action) (memory.Action, error) {
	a.Ops = slices.Clone(a.Ops)
	if a.Type == oplog.Tend {
		return a, n.listed(f, &a, memory.MovedNotes(before))
	}
	a.Moved = memory.MovedNotes([]memory.Action{a})
	for i := range a.Ops {
		op := &a.Ops[i]
		if op.Kind == memory.Create && !note.Is(op.To.File) {
			if a.Type != oplog.Add || n.layout.Level != layout.Tend {
				return a, &note.RefusedError{Path: op.To.File, Why: "a folder of notes takes new notes of people and agents only"}
			}
			if err := n.create(f, plan, &a, op); err != nil {
				return a, err
			}
			continue
		}
		if !op.IsNote() || op.Note != nil {
			continue
		}
		if n.layout.Level != layout.Tend && op.Kind != memory.Put {
			return a, &note.RefusedError{Path: op.Ref.File, Why: "memoryd only reads such a folder (" + n.layout.Host + ")"}
		}
		data, info, err := n.root.Read(op.Ref.File, jsonedit.MaxSize)
		if err != nil && !notThere(err) {
			return a, fmt.Errorf("%s: %w", op.Ref.File, err)
		}
		if err != nil || memory.DigestOf(data) != op.Base { // the commit skips the action, whatever the note is by then
			op.Base, op.Note = changedSince, []byte{}
			continue
		}
		was := n.line(f, op.Ref.File, data, info.ModTime)
		now := was
		if op.Raw != nil {
			if op.Note, now, err = f.Write(was, data, op.Raw, plan.Trigger == "manual" || a.Rule == memory.RuleManual, plan.At); err != nil {
				return a, err
			}
		}
		if op.Kind == memory.Move {
			if now.Archived = note.Archived(op.To.File); !now.Archived {
				now.Path = op.To.File
			}
			op.Note = changedOrNil(op.Note, data)
		}
		change := note.Change{ID: was.ID, Now: now.JSON()}
		if _, known := f.Known(was.ID); known {
			change.Was = was.JSON()
		}
		if change.Was != change.Now {
			a.Overlay = append(a.Overlay, change)
		}
	}
	return a, nil
}

// changedOrNil is what a note is to be, nil where that is what it is.
func changedOrNil(now, was []byte) []byte {
	if string(now) == string(was) {
		return nil
	}
	return now
}

// create makes a note of a new record.
func (n *notes) create(f *note.Folder, plan *memory.Plan, a *memory.Action, op *memory.Op) error {
	names, err := n.files()
	if err != nil {
		return err
	}
	var title string
	op.Note, title = note.New(op.Raw, n.nested(names))
	op.To = memory.Ref{File: note.NewName(names, note.Group(op.Note), title)}
	a.To = op.To.File
	line := note.Line{ID: op.ID, Path: op.To.File, Sum: note.Sum(op.Note), Created: timestamp.Format(plan.At), Updated: timestamp.Format(plan.At), Listed: n.Index() != ""}
	if line, err = f.Keep(line, op.Note, op.Raw); err != nil {
		return err
	}
	a.Overlay = append(a.Overlay, note.Change{ID: op.ID, Now: line.JSON()})
	return nil
}

// nested reports whether the type of most notes stands below "metadata:", by the first ones of them.
func (n *notes) nested(names []string) bool {
	const looked = 20
	of, nested := 0, 0
	for _, name := range names {
		if data, _, err := n.root.Read(name, jsonedit.MaxSize); err == nil && n.isNote(name) && of < looked {
			of++
			if note.Nested(data) {
				nested++
			}
		}
	}
	return 2*nested > of
}

// about is what the rules know of the folder besides its memories.
func (n *notes) about(snap *memory.Snapshot) *memory.Folder {
	about := &memory.Folder{Mentioned: map[string]bool{}, Listed: map[string]bool{}, Loaded: map[string]bool{}, Body: n.body, Agent: n.layout.Agent, Loader: n.layout.Loader, Picks: n.layout.Picks}
	about.Scope.Kind, about.Scope.ID = n.scope()
	if n.layout.Index == "" || n.layout.Level != layout.Tend {
		return about
	}
	h, err := n.folderIn(snap)
	if err != nil {
		snap.Problems = append(snap.Problems, memory.Problem{File: n.layout.Index, Severity: memory.Warning, Message: err.Error(), Hint: "until it can be read the index stays as it is"})
		return about
	}
	mentioned, listed, named := h.Mentioned(), h.Listed(), h.Named()
	for _, m := range snap.Memories() {
		about.Mentioned[m.ID], about.Listed[m.ID], about.Loaded[m.ID] = mentioned[m.File], listed[m.File], named[m.File]
	}
	texts, report, err := n.tendFolder(h)
	switch {
	case err != nil:
		snap.Problems = append(snap.Problems, memory.Problem{File: n.layout.Index, Severity: memory.Error, Message: err.Error(), Hint: "the index stays as it is"})
	case len(texts) > 0 || len(snap.Memories()) > 0:
		about.Index = func(moved map[string]string) string {
			if len(moved) == 0 {
				if len(texts) == 0 {
					return ""
				}
				return report.String()
			}
			left := h
			left.Moved = moved
			left.Notes = slices.DeleteFunc(slices.Clone(h.Notes), func(n hostindex.Note) bool { _, goes := moved[n.Path]; return goes })
			_, after, err := n.tendFolder(left)
			if err != nil || len(after.Added)+len(after.Folded)+len(after.Unfolded) == 0 {
				return "" // the run takes out what goes
			}
			return after.String()
		}
	}
	return about
}

// body is the text of a note below its front matter.
func (n *notes) body(m *memory.Memory) string {
	return strings.TrimSpace(m.Field("details").String())
}

// listed notes in the overlay which notes an action gives an entry: one that is gone later was taken out by somebody else.
func (n *notes) listed(f *note.Folder, a *memory.Action, moved map[string]string) error {
	_, report, err := n.tend(moved, nil)
	if err != nil {
		return err
	}
	for _, name := range report.Added {
		data, info, err := n.root.Read(name, jsonedit.MaxSize)
		if err != nil {
			continue // it is looked at again when the index is written
		}
		line := n.line(f, name, data, info.ModTime)
		change := note.Change{ID: line.ID}
		if was, known := f.Known(line.ID); known {
			change.Was = was.JSON()
		}
		line.Listed = true
		change.Now = line.JSON()
		a.Overlay = append(a.Overlay, change)
	}
	return nil
}
