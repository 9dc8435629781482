// Package creating makes workspaces.
package creating

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/op/firstrun"
	"github.com/memoryd/memoryd/internal/op/repair"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Dir is where to make a workspace if nobody says where: the directory itself if it is one, else "memory" in it; ".memory"
// instead, if that is something else, such as a package of a program. Then other is a file of that.
func Dir(from paths.Dir) (dir, other string) {
	if discover.HasSettings(string(from)) {
		return string(from), ""
	}
	dir = from.Resolve("memory")
	if other = otherThings(dir); other != "" {
		return from.Resolve(discover.HiddenName), other
	}
	return dir, ""
}

// otherThings names a file of a directory without memories which belongs to something else, such as a program; "" for none.
func otherThings(dir string) (name string) {
	if discover.HasSettings(dir) || discover.HasRooms(dir) || discover.HasIndex(dir) || !discover.IsDir(dir) {
		return ""
	}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what can't be read says nothing
		case strings.HasPrefix(d.Name(), ".") && file != dir:
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.Type().IsRegular() && !slices.Contains([]string{".json", ".jsonl", ".md", ".markdown", ".mdc", ".txt"}, strings.ToLower(filepath.Ext(file))):
			name = filepath.Base(file)
			return filepath.SkipAll
		}
		return nil
	})
	if err != nil {
		return ""
	}
	return name
}

// Made is a workspace that was made.
type Made struct {
	Store   *workspace.FileStore // nil if it was one already
	Created []string             // files and directories
	Held    int                  // memories that were there already
	Broken  bool                 // some files there have problems
}

// Make makes a directory a workspace, with the settings of a preset. One that is a workspace stays as it is. In one that has memories it
// only writes settings, by which the memories count as arrived now.
func Make(dir, preset string, at time.Time) (*Made, error) {
	settings := config.Template(preset)
	if settings == nil {
		return nil, fmt.Errorf("no settings for the preset %q", preset)
	}
	made := &Made{Created: []string{}}
	if discover.HasSettings(dir) {
		return made, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	store, err := workspace.Open(dir)
	if err != nil {
		return nil, err
	}
	made.Store = store
	snap, err := store.Load(at)
	if err != nil {
		return made, err
	}
	made.Held, made.Broken = len(snap.Memories())+len(snap.Archived()), len(snap.Problems) > 0
	if made.Held > 0 {
		settings = bytes.Replace(settings, []byte("# arrived = \"\"\n"), fmt.Appendf(nil, "arrived = %q\n", timestamp.Format(at)), 1)
	} else if made.Created, err = makeDirs(dir); err != nil {
		return made, err
	}
	if err := workspace.Create(dir, settings); err != nil {
		return made, err
	}
	made.Created = append(made.Created, memory.ConfigFile)
	return made, nil
}

// makeDirs makes the directories that a new workspace has, and lists those that
// were missing.
func makeDirs(dir string) (made []string, err error) {
	for _, name := range []string{"global", memory.ArchiveDir, memory.OpsDir} {
		err := os.Mkdir(filepath.Join(dir, name), 0o755)
		switch {
		case err == nil:
			made = append(made, name+"/")
		case !os.IsExist(err):
			return made, err
		}
	}
	return made, nil
}

// Look checks a workspace that was just made, and says what the first run would do.
func Look(store *workspace.FileStore, snap *memory.Snapshot, request rules.Request, clock func() time.Time) (*document.InitCheck, error) {
	problems, err := repair.Problems(store, snap)
	if err != nil {
		return nil, err
	}
	_ = repair.SaveCheck(store, snap.At, problems) // a hint for status
	files := map[string]bool{}
	for _, p := range problems {
		files[p.File] = true
	}
	found := &document.InitCheck{Files: len(files)}
	found.Errors, found.Warnings = document.CountProblems(problems)
	found.First, err = firstrun.Plan(snap, request, clock)
	return found, err
}

// Text says what the check found.
func Text(f *document.InitCheck) string {
	if f.Errors+f.Warnings == 0 {
		return "memory check found no problems."
	}
	return fmt.Sprintf("memory check found %s and %s in %s. To see them: memory check", app.Quantity(f.Errors, "error"), app.Quantity(f.Warnings, "warning"), app.Quantity(f.Files, "file"))
}
