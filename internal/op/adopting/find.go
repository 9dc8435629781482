package adopting

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/note"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Folder is a folder of notes that was found.
type Folder struct {
	*workspace.Survey
	Review  int               `json:"review"`             // pairs that wait for a person
	LastRun *document.LastRun `json:"last_run,omitempty"` // nil where no run was made
	Error   string            `json:"error,omitempty"`    // why it can't be read; then nothing else is known but its directory
}

// Find surveys the folders of notes that hosts keep in their homes and in the project of a directory, by their names. It writes nothing.
func Find(home layout.Home, dir string, at time.Time) (all []Folder) {
	var dirs []string
	for _, pattern := range layout.InHome(home) {
		dirs = append(dirs, matching(pattern)...)
	}
	for ; ; dir = filepath.Dir(dir) {
		for _, folder := range layout.For(filepath.ToSlash(dir), home) {
			dirs = append(dirs, filepath.FromSlash(folder))
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	seen := map[string]bool{}
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || seen[real] || !holdsNotes(real) {
			continue
		}
		seen[real] = true
		all = append(all, look(real, at))
	}
	slices.SortFunc(all, func(a, b Folder) int { return strings.Compare(a.Dir, b.Dir) })
	return all
}

// Pointer says how to adopt the folder in which a host keeps the notes of the project in a directory; "" where there is none, or it was
// adopted.
func Pointer(home layout.Home, dir string, brief func(string) string) string {
	for _, folder := range layout.For(filepath.ToSlash(dir), home) {
		folder = filepath.FromSlash(folder)
		if _, err := os.Stat(filepath.Join(folder, "MEMORY.md")); err == nil && asAdopted(folder) == "" {
			return fmt.Sprintf("A host keeps notes of this project in %s. To tend them in place: memory adopt %s\n", term.Printable(brief(folder)), term.Printable(brief(folder)))
		}
	}
	return ""
}

// matching are the directories that a pattern fits, whose parts are names or hold "*" for any characters.
func matching(pattern string) []string {
	dirs := []string{""}
	for part := range strings.SplitSeq(pattern, "/") {
		var next []string
		for _, dir := range dirs {
			if !strings.Contains(part, "*") {
				next = append(next, dir+part+"/")
				continue
			}
			entries, _ := os.ReadDir(filepath.FromSlash(dir)) // what can't be read has none
			for _, e := range entries {
				if ok, err := filepath.Match(part, e.Name()); ok && err == nil {
					next = append(next, dir+e.Name()+"/")
				}
			}
		}
		dirs = next
	}
	for i := range dirs {
		dirs[i] = filepath.Clean(filepath.FromSlash(dirs[i]))
	}
	return dirs
}

// holdsNotes reports whether a directory is one with Markdown files, and no workspace of another kind.
func holdsNotes(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && strings.HasSuffix(e.Name(), ".md") })
}

// look surveys one folder and, where it was adopted, its workspace.
func look(dir string, at time.Time) Folder {
	f := Folder{Survey: &workspace.Survey{Dir: dir}}
	store, survey, err := workspace.Look(dir, asAdopted(dir), at)
	if err == nil {
		f.Survey = survey
		err = store.Close()
	}
	if err == nil && survey.Adopted {
		err = ofWorkspace(&f, at)
	}
	if err != nil {
		f.Error = err.Error()
	}
	return f
}

// asAdopted is the layout as which a folder was adopted; "" where it wasn't, or nobody knows.
func asAdopted(dir string) string {
	doc, err := os.ReadFile(filepath.Join(dir, note.OwnDir, note.ManifestFile))
	if err != nil {
		return ""
	}
	_, l, err := note.ReadManifest(doc)
	if err != nil {
		return ""
	}
	return l.Name
}

func ofWorkspace(f *Folder, at time.Time) error {
	s, err := workspace.Open(filepath.Join(f.Dir, note.OwnDir))
	if err != nil {
		return err
	}
	snap, err := s.Load(at)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	f.Review = len(snap.Open())
	log, err := s.Log().Read()
	if last := app.NewestRun(log); last != nil {
		f.LastRun = &document.LastRun{RunID: last.RunID, At: last.Timestamp, Trigger: last.Trigger, Stats: last.Stats}
	}
	return errors.Join(err, s.Close())
}
