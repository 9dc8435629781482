package workspace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/hostindex"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/internal/mdedit"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// Survey is what is known of a folder of Markdown notes.
type Survey struct {
	Dir     string       `json:"dir"`
	Layout  string       `json:"layout"`
	Host    string       `json:"host"`
	Why     string       `json:"why"` // it is taken for that
	Level   layout.Level `json:"level"`
	Adopted bool         `json:"adopted"`
	Notes   int          `json:"notes"`
	Index   string       `json:"index,omitempty"`
	Lines   int          `json:"lines,omitempty"`   // of the index
	Units   int          `json:"units,omitempty"`   // UTF-16 units
	Share   int          `json:"share,omitempty"`   // of the cap, in per cent
	Hidden  []string     `json:"hidden,omitempty"`  // notes that the index lists beyond what the host loads
	Orphans []string     `json:"orphans,omitempty"` // notes that the index doesn't lead to
	Dead    []string     `json:"dead,omitempty"`    // targets of links of the index that aren't there
	Copies  int          `json:"copies"`            // notes whose text another one has, too
	Unseen  []string     `json:"unseen,omitempty"`  // notes that the host doesn't list, by its own rules
	Refused []string     `json:"refused,omitempty"` // files that are left alone, and why
	Other   string       `json:"other,omitempty"`   // an adopted folder that this one lies in, or the first that lies in this one

	manifest note.Manifest
	lines    []note.Line
}

// Look surveys a folder of Markdown notes; as is the layout, "" for the one that it seems to have. It writes nothing. The error is
// [fs.ErrNotExist] where there is no such folder.
func Look(dir, as string, at time.Time) (*FileStore, *Survey, error) {
	base, real, err := durable.Open(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("look at %s: %w", dir, err)
	}
	n := &notes{root: &noteDisk{base, note.OwnDir}, now: func() time.Time { return at }}
	files, infos, refused, err := n.markdown()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("look at %s: %w", dir, err), base.Close())
	}
	s := &Survey{Dir: real, Refused: refused}
	l, why := layout.Recognise(durable.Slashes(real), files)
	if as != "" {
		named, ok := layout.Named(as)
		if !ok {
			return nil, nil, errors.Join(fmt.Errorf("layout %q: write one of %s", as, strings.Join(layout.Names(), ", ")), base.Close())
		}
		l, why = named, "it was named"
	}
	n.layout = l
	s.Layout, s.Host, s.Why, s.Level = l.Name, l.Host, why, l.Level
	s.manifest = note.Manifest{Version: 1, Layout: l.Name, Level: l.Level, Adopted: at.UTC().Truncate(time.Second), Project: project(durable.Slashes(real))}
	times := map[time.Time]int{}
	for _, info := range infos {
		times[info.ModTime.Truncate(time.Second)]++
	}
	checkout := slices.ContainsFunc(slices.Collect(maps.Values(times)), func(k int) bool { return len(infos) > 3 && 10*k >= 8*len(infos) })
	n.manifest = s.manifest
	n.folder, n.sum = n.folderOf(nil), note.Sum(nil)
	alone := map[string]bool{}
	for i, f := range files {
		alone[f.Name] = mdedit.Check(f.Text) != nil
		s.manifest.Files = append(s.manifest.Files, note.AdoptedFile{Path: f.Name, Sum: note.Sum(f.Text), Mode: infos[i].Mode, Modified: infos[i].ModTime.UTC()})
		if !n.isNote(f.Name) || hostindex.IsPage(f.Name, f.Text) {
			continue
		}
		s.Notes++
		modified := infos[i].ModTime
		if checkout { // the times of all files are that of the checkout
			modified = at
		}
		line := n.folder.Line(f.Name, f.Text, modified, nil)
		line.Arrived = timestamp.Format(at)
		s.lines = append(s.lines, line)
		if l.TypeKey && !layout.HostType(note.Group(f.Text)) {
			s.Unseen = append(s.Unseen, f.Name)
		}
	}
	n.folder = n.folderOf(s.lines)
	n.manifest = s.manifest
	if err := s.index(n, alone); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("look at %s: %w", dir, err), base.Close())
	}
	bodies := map[string]int{}
	for _, f := range files {
		if body := note.Body(f.Text); n.isNote(f.Name) && body != "" {
			if bodies[body]++; bodies[body] > 1 {
				s.Copies++
			}
		}
	}
	_, err = n.root.Stat(note.ManifestFile)
	s.Adopted = err == nil
	s.Other = otherAdopted(base, real, files)
	store := newStore(n.root, durable.Within(real, note.OwnDir))
	store.notes, store.NoCache = n, true
	return store, s, nil
}

// otherAdopted is an adopted folder that a folder lies in, or the first that lies in it; "" for none.
func otherAdopted(base durable.FS, dir string, files []layout.File) string {
	is := func(root durable.FS, name string) bool {
		_, err := root.Stat(path.Join(name, note.OwnDir, note.ManifestFile))
		return err == nil
	}
	for _, f := range files {
		for name := path.Dir(f.Name); name != "."; name = path.Dir(name) {
			if is(base, name) {
				return durable.Within(dir, name)
			}
		}
	}
	for parent, name := durable.Parent(dir); parent != dir; parent, name = durable.Parent(dir) {
		if root, _, err := durable.Open(parent); err == nil {
			found := is(root, ".")
			if err := root.Close(); found && err == nil && name != "" {
				return parent
			}
		}
		dir = parent
	}
	return ""
}

// index surveys the index of the host. Notes that are left alone get no entry, so that none is missing.
func (s *Survey) index(n *notes, alone map[string]bool) error {
	if n.layout.Index == "" {
		return nil
	}
	h, err := n.hostFolder(nil, nil)
	if err != nil || h.Index == nil {
		return err
	}
	s.Index = n.layout.Index
	s.Lines, s.Units = hostindex.Size(h.Index)
	s.Share = h.Share()
	if n.layout.Level != layout.Tend {
		return nil
	}
	reached, listed, mentioned := h.Reached(), h.Listed(), h.Mentioned()
	for i, l := range s.lines {
		s.lines[i].Listed = listed[l.Path]
		switch {
		case reached[l.Path], alone[l.Path]:
		case listed[l.Path] || mentioned[l.Path]:
			s.Hidden = append(s.Hidden, l.Path)
		default:
			s.Orphans = append(s.Orphans, l.Path)
		}
	}
	s.Dead = h.Dead()
	return nil
}

// project is the name of the project that a folder is for; "" for a home's.
func project(dir string) string {
	parts := strings.Split(dir, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, ".") && p != note.OwnDir && i > 0 {
			if p == ".claude" && i+2 < len(parts) && parts[i+1] == "projects" {
				return parts[i+2]
			}
			if i > 2 && parts[i-1] != "root" && parts[i-2] != "home" && parts[i-2] != "Users" {
				return parts[i-1]
			}
			return ""
		}
	}
	if len(parts) > 1 && (parts[len(parts)-1] == "memory" || parts[len(parts)-1] == "memories") {
		return parts[len(parts)-2]
	}
	return parts[len(parts)-1]
}

// markdown reads the Markdown files of a folder that can be read as such.
func (n *notes) markdown() (files []layout.File, infos []durable.Info, refused []string, err error) {
	names, err := n.files()
	if err != nil {
		return nil, nil, nil, err
	}
	for _, name := range names {
		data, info, err := n.root.Read(name, jsonedit.MaxSize)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			refused = append(refused, name+": "+durable.Cause(err))
			continue
		}
		if err := mdedit.Check(data); err != nil {
			refused = append(refused, name+": "+err.Error())
		}
		files, infos = append(files, layout.File{Name: name, Text: data}), append(infos, info)
	}
	return files, infos, refused, nil
}

// adoptIgnore keeps what is of this machine alone, and what is large, out of version control.
const adoptIgnore = "/ops/cache/\n/ops/runs/\n/ops/.lock\n/originals/\n"

// Adopt makes the hidden directory of a surveyed folder: the folder is a workspace then. It changes no note. The bytes of every file
// are stored first; what makes the directory a workspace is written last.
func Adopt(s *Survey, settings []byte) error {
	err := adopt(s, settings)
	if err != nil {
		return fmt.Errorf("adopt %s: %w", s.Dir, err)
	}
	return nil
}

func adopt(s *Survey, settings []byte) error {
	if s.Adopted {
		return errors.New("it is adopted already: nothing was written")
	}
	if s.Other != "" {
		return fmt.Errorf("%s is adopted, and notes belong to one folder: nothing was written", s.Other)
	}
	base, _, err := durable.Open(s.Dir)
	if err != nil {
		return err
	}
	defer base.Close()
	own := func(name string) string { return note.OwnDir + "/" + name }
	if _, err := base.Stat(own(memory.ConfigFile)); err == nil {
		return fmt.Errorf("%s is another workspace: move it away first", note.OwnDir)
	}
	if _, err := durable.MkdirAll(base, own(note.OriginalsDir)); err != nil {
		return err
	}
	for _, dir := range []string{memory.OpsDir, memory.ArchiveDir} {
		if _, err := durable.MkdirAll(base, own(dir)); err != nil {
			return err
		}
	}
	manifest, err := json.MarshalIndent(s.manifest, "", " ")
	if err != nil {
		return err
	}
	err = durable.ForEachParallel(len(s.manifest.Files), 8, func(i int) error {
		f := s.manifest.Files[i]
		data, _, err := base.Read(f.Path, jsonedit.MaxSize)
		if err != nil || note.Sum(data) != f.Sum {
			return cmp.Or(err, fmt.Errorf("%s was changed meanwhile: run it again", f.Path))
		}
		return put(base, own(note.OriginalsDir+"/"+f.Sum), data)
	})
	if err != nil {
		return err
	}
	var overlay bytes.Buffer
	for _, l := range note.Sorted(s.lines) {
		overlay.WriteString(l.JSON() + "\n")
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{".gitignore", []byte(adoptIgnore)}, {note.OverlayFile, overlay.Bytes()}, {note.ManifestFile, append(manifest, '\n')}, {memory.ConfigFile, settings}} {
		if err := put(base, own(f.name), f.data); err != nil {
			return err
		}
	}
	return durable.SyncDirs(base, 1, ".", note.OwnDir, own(note.OriginalsDir))
}

// put writes a file that may be there from an attempt before.
func put(root durable.FS, name string, data []byte) error {
	err := durable.WriteNew(root, name, data, 0)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if was, _, rerr := root.Read(name, jsonedit.MaxSize); rerr == nil && bytes.Equal(was, data) {
		return nil
	}
	if err := root.Remove(name); err != nil {
		return err
	}
	return durable.WriteNew(root, name, data, 0)
}

// Leaving is what giving a folder back does.
type Leaving struct {
	Restored []string `json:"restored"`        // files with the bytes, mode and time that they had
	Removed  []string `json:"removed"`         // files that memoryd made
	Left     []string `json:"left"`            // files that somebody else changed since
	Moved    string   `json:"moved,omitempty"` // where the hidden directory went
}

// Unadopt gives an adopted folder back: every file that memoryd changed or archived, and that nobody changed since, has its bytes, mode and
// time of before, pages of the index that are as written go, and the hidden directory is moved to keep. Without apply nothing is
// written.
func Unadopt(s *FileStore, keep string, apply bool) (*Leaving, error) {
	if s.notes == nil {
		return nil, fmt.Errorf("%s was not adopted", s.dir)
	}
	out, err := unadopt(s, keep, apply)
	if err != nil {
		return nil, fmt.Errorf("unadopt %s: %w", s.dir, err)
	}
	return out, nil
}

func unadopt(s *FileStore, keep string, apply bool) (*Leaving, error) {
	n, out := s.notes, &Leaving{Restored: []string{}, Removed: []string{}, Left: []string{}}
	if apply {
		release, err := s.writer().Lock(context.Background(), "unadopt")
		if err != nil {
			return nil, err
		}
		defer func() { _ = release() }() // the lock's file moves with the directory
	}
	written, err := readWriting(n.root)
	if err != nil {
		return nil, err
	}
	was := map[string]bool{}
	for _, f := range n.manifest.Files {
		was[f.Path] = true
		data, info, err := n.root.Read(f.Path, jsonedit.MaxSize)
		there := err == nil
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			out.Left = append(out.Left, f.Path)
			continue
		}
		sum := durable.Absent
		if there {
			sum = note.Sum(data)
		}
		own := written.own(f.Path, f.Sum)
		switch {
		case sum == f.Sum && info.ModTime.Equal(f.Modified) && info.Mode == f.Mode:
			continue
		case sum == f.Sum && len(own) == 1: // the host touched it
			continue
		case !own[sum]:
			out.Left = append(out.Left, f.Path)
			continue
		}
		out.Restored = append(out.Restored, f.Path)
		if !apply {
			continue
		}
		bytes, _, err := n.root.Read(note.OriginalsDir+"/"+f.Sum, jsonedit.MaxSize)
		if err != nil {
			return nil, err
		}
		if err := giveBack(n.root, f, bytes, sum); err != nil {
			return nil, err
		}
	}
	names, err := n.files()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, _, err := n.root.Read(name, jsonedit.MaxSize)
		if err != nil || was[name] || !hostindex.IsPage(name, data) || !written.own(name, durable.Absent)[note.Sum(data)] {
			continue
		}
		out.Removed = append(out.Removed, name)
		if apply {
			if err := n.root.Remove(name); err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(out.Restored)
	if !apply {
		return out, nil
	}
	if err := n.root.SyncDir("."); err != nil {
		return nil, err
	}
	out.Moved = keep
	return out, nil
}

// giveBack writes a file as it was when the folder was adopted; sum is what is there.
func giveBack(root durable.FS, f note.AdoptedFile, data []byte, sum string) error {
	slot := note.OriginalsDir + "/back." + f.Sum
	if err := root.Remove(slot); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := (durable.Staging{Name: slot, Data: data, Attr: durable.Attr{Mode: f.Mode, Modified: f.Modified}}).Write(root); err != nil {
		return err
	}
	if _, err := durable.MkdirAll(root, path.Dir(f.Path)); err != nil {
		return err
	}
	err := durable.CAS(root, slot, f.Path, sum, f.Sum, func(string, string) error { return nil })
	if rerr := root.Remove(slot); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
		err = cmp.Or(err, rerr)
	}
	return err
}

// writing is what runs have written to the files of a folder, from which bytes to which.
type writing map[string][]journal.Derived

// own are the digests that a file has had by runs alone, beginning with the given one: what somebody else wrote in between is not among
// them, and neither is what a run made of that. Of a file that is gone it is [durable.Absent].
func (w writing) own(name, begin string) map[string]bool {
	own := map[string]bool{begin: true}
	for grown := true; grown; {
		grown = false
		for _, d := range w[name] {
			if own[d.Base] && !own[d.Next] {
				own[d.Next], grown = true, true
			}
		}
	}
	return own
}

// readWriting reads the records of the runs in a folder.
func readWriting(root durable.FS) (writing, error) {
	names, _, err := journal.Runs(root)
	if err != nil {
		return nil, err
	}
	all := writing{}
	add := func(name, base, next string) { all[name] = append(all[name], journal.Derived{Base: base, Next: next}) }
	for _, run := range names {
		j, d := &journal.Run{}, &journal.Done{}
		if err := journal.Read(root, journal.Dir(run)+"/"+journal.File, j); err != nil {
			continue // memory check reports it; its files count as changed by others
		}
		for _, f := range j.Files {
			add(f.Path, f.Base, f.Next)
		}
		if err := journal.Read(root, journal.Dir(run)+"/"+journal.DoneFile, d); err != nil {
			continue
		}
		for _, f := range d.Derived {
			add(f.Path, f.Base, f.Next)
		}
	}
	return all, nil
}
