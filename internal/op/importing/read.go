package importing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/notefiles"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/internal/repository"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
)

// ReadOptions say what is read.
type ReadOptions struct {
	Path   string         // a file or a directory
	Dir    paths.Dir      // where relative paths begin
	Format foreign.Format // "": it is detected
	Store  string         // by which name the store is known; "": by its directory
	Home   string         // the workspace into which it is imported: its own files are left out
	At     time.Time      // now
	Note   func(text string)
}

// Source is what was read of a foreign store.
type Source struct {
	Records []foreign.Record
	Misfits []foreign.Misfit // what was not read
}

// Read reads a foreign store.
func Read(ctx context.Context, o ReadOptions) (*Source, error) {
	dir, err := filepath.EvalSymlinks(o.Dir.Resolve(o.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notefiles.NotFound(o.Path)
	} else if err != nil {
		return nil, fmt.Errorf("read %s: %w", o.Path, err)
	}
	r := reader{ReadOptions: o, root: dir, own: ownFiles{dir: o.Home}, changed: map[string]time.Time{}}
	if o.Format == "" {
		if r.other.ignored, err = repository.Ignored(ctx, dir); err != nil {
			return nil, err
		}
	}
	wanted := endings(o.Format, filepath.Base(dir))
	err = notefiles.Read(ctx, dir, notefiles.Options{
		Dir: o.Dir, Note: o.Note, Skip: r.leaves,
		Want: func(file string) bool { return r.wants(file, wanted) },
	}, r.add)
	if err = errors.Join(err, r.failed); err != nil {
		return nil, err
	}
	if err := r.sayLeftOut(); err != nil {
		return nil, err
	}
	if r.single {
		dir = filepath.Dir(dir)
	}
	store := o.Store
	if store == "" {
		store = filepath.ToSlash(dir)
	}
	source := new(Source)
	source.Records, source.Misfits = foreign.Read(o.Format, store, filepath.Base(dir), r.files)
	source.Misfits = append(source.Misfits, r.undated(source.Records)...)
	return source, nil
}

// reader reads the files of a store.
type reader struct {
	ReadOptions
	root    string
	single  bool // the root is a file
	files   []foreign.File
	changed map[string]time.Time // when each file was
	failed  error
	own     ownFiles
	other   unlikeMemories
}

func (r *reader) leaves(dir string) bool {
	rel, _ := paths.Below(r.root, dir)
	return r.Format == "" && r.other.leaves(rel)
}

func (r *reader) wants(file string, wanted []string) bool {
	r.single = file == r.root
	if hidden := strings.HasPrefix(filepath.Base(file), "."); !r.single && (hidden || wanted != nil && !slices.Contains(wanted, strings.ToLower(filepath.Ext(file)))) {
		return false
	}
	if r.own.holds(file) {
		return false
	}
	rel, _ := paths.Below(r.root, file)
	return r.single || !r.other.ignores(rel)
}

func (r *reader) add(file string, text []byte, info fs.FileInfo) {
	rel, err := filepath.Rel(r.root, file)
	if r.single {
		rel, err = filepath.Base(file), nil
	}
	r.failed = errors.Join(r.failed, err)
	f := foreign.File{Name: filepath.ToSlash(rel), Text: text}
	if !r.single && r.Format == "" && !foreign.Remembers(filepath.Base(r.root), f) {
		r.other.files++
		return
	}
	r.files = append(r.files, f)
	r.changed[f.Name] = info.ModTime()
}

// sayLeftOut notes which files were left out; that nothing is left is an error.
func (r *reader) sayLeftOut() error {
	home := r.Dir.Short(r.Home)
	if r.own.skipped > 0 && len(r.files) == 0 {
		return fail.WithHint(fail.Usagef("%s: all that is there belongs to the workspace %s: its memories need no import", r.Path, home),
			"--workspace names the workspace to import into, if that is another one")
	}
	if r.own.skipped > 0 {
		r.Note(fmt.Sprintf("%s of the workspace %s itself left out", app.Quantity(r.own.skipped, "file"), home))
	}
	if text := r.other.String(); text != "" {
		r.Note("left out: " + text + "; --format FORMAT reads them")
	}
	if r.own.others > 0 {
		r.Note(app.Quantity(r.own.others, "file") + " of other workspaces left out: indexes, logs and what is archived there")
	}
	if len(r.files) == 0 {
		return fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s: no file there that could hold memories", r.Path), "--format names the format")
	}
	return nil
}

// unlikeMemories are the files in a directory that nobody has written to be remembered, as far as that can be told.
type unlikeMemories struct {
	ignored map[string]bool // what git ignores there: files, and directories as a whole
	skipped int             // how much of that
	dirs    []string        // directories of generated files and of other people's code
	files   int             // of JSON without a memory
}

// leaves reports whether a directory is left out, and notes it.
func (u *unlikeMemories) leaves(dir string) bool {
	if name := path.Base(dir); slices.Contains([]string{"node_modules", "vendor", "dist"}, name) {
		if !slices.Contains(u.dirs, name) {
			u.dirs = append(u.dirs, name)
		}
		return true
	}
	return u.ignores(dir)
}

// ignores reports whether git ignores a file or directory, and counts it.
func (u *unlikeMemories) ignores(name string) bool {
	if u.ignored[name] {
		u.skipped++
	}
	return u.ignored[name]
}

// String is a few words about what is left out; "" for nothing.
func (u *unlikeMemories) String() string {
	var parts []string
	if len(u.dirs) > 0 {
		parts = append(parts, strings.Join(u.dirs, ", "))
	}
	if u.skipped > 0 {
		parts = append(parts, app.Quantity(u.skipped, "path")+" that git ignores")
	}
	if u.files > 0 {
		parts = append(parts, app.Quantity(u.files, "JSON file")+" without an id or a text")
	}
	return strings.Join(parts, ", ")
}

// ownFiles finds the files that the workspace into which something is imported has already, and those of other workspaces that
// are no memories of theirs: indexes, logs, what they have archived.
type ownFiles struct {
	dir     string
	skipped int             // files of the workspace itself
	others  int             // those of other workspaces
	roots   map[string]bool // directories of which it is known whether they are workspaces
}

// notLive are the directories of a workspace that hold no live memories.
var notLive = []string{memory.OpsDir, memory.ArchiveDir, memory.SchemasDir}

func (o *ownFiles) holds(file string) bool {
	if in, ok := paths.Below(o.dir, file); ok {
		if first, _, _ := strings.Cut(in, "/"); slices.Contains(notLive, first) || in == memory.ConfigFile || strings.EqualFold(filepath.Ext(file), ".json") {
			o.skipped++
			return true
		}
		return false
	}
	other := slices.Contains([]string{memory.IndexFile, memory.EdgesFile, memory.ProfileFile, memory.ConfigFile}, filepath.Base(file))
	for dir := filepath.Dir(file); !other && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		other = slices.Contains(notLive, filepath.Base(dir)) && o.isRoot(filepath.Dir(dir))
	}
	if other {
		o.others++
	}
	return other
}

func (o *ownFiles) isRoot(dir string) bool {
	is, known := o.roots[dir]
	if !known {
		if o.roots == nil {
			o.roots = map[string]bool{}
		}
		is = discover.HasSettings(dir) || discover.HasLog(dir)
		o.roots[dir] = is
	}
	return is
}

// undated lists times that can't be read. A record without another time gets that of its file, if that was changed more than a day ago: a
// copy made for the import is younger. Else it has none. So does one that tells no time at all, but that is as old as the import then.
func (r *reader) undated(records []foreign.Record) (misfits []foreign.Misfit) {
	silent := 0
	for i := range records {
		record := &records[i]
		what, dated := "can't be read as a time: "+strings.Join(record.Undated, ", "), !record.CreatedAt.IsZero() || !record.UpdatedAt.IsZero()
		at := r.changed[record.Source.File]
		switch old := r.At.Sub(at) > 24*time.Hour; {
		case dated || record.Complete() || record.Own != nil && (record.States("created_at") || record.States("updated_at")):
		case old:
			record.CreatedAt, record.FileTime = at.UTC().Truncate(time.Second), true
			what += "; the memory has the time of its file"
			if len(record.Undated) == 0 {
				silent++
			}
		default:
			what += "; the memory has no time"
		}
		if len(record.Undated) > 0 {
			misfits = append(misfits, foreign.Misfit{Place: record.Place(), What: what})
		}
	}
	if silent > 0 {
		r.Note(app.Quantity(silent, "record") + " without a time: dated by the time of the file")
	}
	return misfits
}

// endings are those of the files that are read in a directory of a name; nil for all.
func endings(format foreign.Format, name string) []string {
	switch format.Base() {
	case foreign.Tool:
		return nil
	case foreign.Graph, foreign.Lines:
		return []string{".jsonl", ".ndjson", ".json"}
	case foreign.Document:
		return []string{".json"}
	case foreign.Markdown, foreign.Claude:
		return []string{".md", ".markdown", ".mdc"}
	}
	if name == "memories" {
		return nil
	}
	return notefiles.Endings
}
