package saving

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/disk"
	"github.com/memoryd/memoryd/pkg/workspace/memdisk"
)

// foldedDisk is a disk on which names are one in any case and Unicode form, as on macOS: the first spelling stays.
type foldedDisk struct{ *memdisk.Disk }

// spelt is a name as it is spelt on the disk, as far as it is there.
func (d foldedDisk) spelt(name string) string {
	out := "."
	for part := range strings.SplitSeq(name, "/") {
		entries, _ := d.Disk.ReadDir(out) // what isn't there has no spelling
		for _, e := range entries {
			if memory.FoldName(e.Name) == memory.FoldName(part) {
				part = e.Name
			}
		}
		out = path.Join(out, part)
	}
	return out
}

func (d foldedDisk) Read(name string, max int64) ([]byte, disk.Info, error) {
	return d.Disk.Read(d.spelt(name), max)
}
func (d foldedDisk) ReadFiles(dir string, names []string, max int64, known func(int, disk.Info) bool, f func(int, []byte, disk.Info, error)) error {
	return d.Disk.ReadFiles(d.spelt(dir), names, max, known, f)
}
func (d foldedDisk) Stat(name string) (disk.Info, error)       { return d.Disk.Stat(d.spelt(name)) }
func (d foldedDisk) ReadDir(name string) ([]disk.Entry, error) { return d.Disk.ReadDir(d.spelt(name)) }
func (d foldedDisk) Mkdir(name string) error                   { return d.Disk.Mkdir(d.spelt(name)) }
func (d foldedDisk) Append(name string, data []byte) error     { return d.Disk.Append(d.spelt(name), data) }
func (d foldedDisk) SyncDir(name string) error                 { return d.Disk.SyncDir(d.spelt(name)) }
func (d foldedDisk) Exchange(a, b string) error                { return d.Disk.Exchange(d.spelt(a), d.spelt(b)) }
func (d foldedDisk) Move(from, to string) error                { return d.Disk.Move(d.spelt(from), d.spelt(to)) }
func (d foldedDisk) Rename(from, to string) error              { return d.Disk.Rename(d.spelt(from), d.spelt(to)) }
func (d foldedDisk) Remove(name string) error                  { return d.Disk.Remove(d.spelt(name)) }
func (d foldedDisk) Create(name string, data []byte, mode fs.FileMode) (disk.File, error) {
	return d.Disk.Create(d.spelt(name), data, mode)
}
func (d foldedDisk) TryLock(name, holder string) (func() error, error) {
	return d.Disk.TryLock(d.spelt(name), holder)
}

// Where the file system has one directory for two spellings, there is one agent: its memories lie in one directory and one index.
func TestOneAgentWhereTheDiskFoldsNames(t *testing.T) {
	d := foldedDisk{memdisk.New()}
	store := workspace.OpenOn(d)
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for i, save := range []struct{ scope, id, text string }{
		{"agent:Dev-1", "mem_a", `"The tests need the database of March."`},
		{"agent:dev-1", "mem_b", `"Deploys go out on Tuesdays only."`},
		{"project:café", "mem_c", `"The till is by the door."`},
		{"project:" + norm.NFD.String("CAFÉ"), "mem_d", `"The window was cleaned by Ilse."`},
		{"agent:DEV-1", "MEM_A", `"Another one with the same name of its file."`},
	} {
		scope, err := memory.ParseScope(save.scope)
		if err != nil {
			t.Fatal(err)
		}
		draft := memory.Draft{ID: save.id, Type: memory.Factual, Scope: scope, CreatedBy: "D", Content: []byte(save.text)}
		if _, err := Save(t.Context(), store, config.Default(), draft, Options{At: at.Add(time.Duration(i) * time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	dirs := map[string]int{}
	for name := range d.Files() {
		if dir := path.Dir(name); strings.HasPrefix(dir, "agents/") || strings.HasPrefix(dir, "projects/") {
			dirs[dir]++
		}
	}
	if len(dirs) != 2 || dirs["agents/Dev-1"] != 4 || dirs["projects/café"] != 3 { // with the indexes
		t.Errorf("files by directory: %v", dirs)
	}
	snap, err := store.Load(at.Add(24 * time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	problems, err := store.Check(snap.At)
	if err != nil || len(problems) > 0 || len(snap.Memories()) != 5 {
		t.Errorf("%d memories, %v, %v", len(snap.Memories()), problems, err)
	}
}
