package workspace

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/memory"
)

var (
	someDirs = []string{"agents/A", "agents/A/deep", "agents/B", "global", "teams/t", "archive", "odd", "odd/er", "."}
	someIDs  = []string{"m0", "m1", "m2", "m3", "m4", "m5", "m6"}
)

// hands changes files as people do, and remembers what a watcher would tell of it.
type hands struct {
	r    *rapid.T
	disk interface {
		Put(name string, data []byte) error
		Remove(name string) error
		Files() map[string]string
	}
	told map[string]bool
}

func (h *hands) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(h.r, label)
}

func (h *hands) put(name, text string) {
	if h.disk.Put(name, []byte(text)) == nil { // else a file stands where its directory should
		h.told[name] = true
	}
}

func (h *hands) remove(name string) {
	if h.disk.Remove(name) == nil {
		h.told[name] = true
	}
}

// seen are the files in the order of their names, those of a kind only.
func (h *hands) seen(want func(name string) bool) []string {
	files := h.disk.Files()
	maps.DeleteFunc(files, func(name, _ string) bool {
		return strings.HasPrefix(name, memory.OpsDir+"/") || !strings.HasSuffix(name, ".json") || !want(name)
	})
	return slices.Sorted(maps.Keys(files))
}

// do makes one change.
func (h *hands) do() {
	index := func(name string) bool { return path.Base(name) == memory.IndexFile }
	file := func(name string) bool { return !index(name) }
	dir := h.pick("dir", someDirs...)
	text := fmt.Sprintf("text %d", rapid.IntRange(0, 99).Draw(h.r, "text"))
	switch what := h.pick("what", "edit", "add", "add", "add", "remove", "move", "break", "collection", "profile", "index", "index", "directory"); what {
	case "add":
		h.put(path.Join(dir, h.pick("file", "f0.json", "f1.json", "f2.json", "F1.json")), record(h.pick("id", someIDs...), text))
	case "collection":
		ids := rapid.SliceOfN(rapid.SampledFrom(someIDs), 0, 4).Draw(h.r, "ids")
		records := []string{}
		for _, id := range ids {
			records = append(records, record(id, text))
		}
		h.put(path.Join(dir, "c.json"), `{"entries": [`+strings.Join(records, ",")+`]}`)
	case "profile":
		h.put(path.Join(dir, memory.ProfileFile), h.pick("profile", `{"agent_id": "A", "team": "t", "entries": [`+record("m1", text)+`]}`, `{"entries": [`+record("m1", text)+`]}`, `{"agent_id": 1`))
	case "index":
		h.index(path.Join(dir, memory.IndexFile), index)
	case "directory":
		from := h.pick("from", "agents/A", "agents/A/deep", "odd/er", "teams/t")
		to := h.pick("to", "", "agents/C", "odd/new")
		for _, name := range h.seen(func(name string) bool { return strings.HasPrefix(name, from+"/") }) {
			if to != "" && h.disk.Put(to+strings.TrimPrefix(name, from), []byte(h.disk.Files()[name])) == nil {
				h.told[to] = true
			}
			if h.disk.Remove(name) == nil {
				h.told[from] = true
			}
		}
	default:
		names := h.seen(file)
		if len(names) == 0 {
			return
		}
		name := h.pick("name", names...)
		was := h.disk.Files()[name]
		switch what {
		case "edit":
			h.put(name, strings.Replace(was, `"text `, `"`+text+" ", 1))
		case "break":
			h.put(name, was[:len(was)/2])
		case "remove":
			h.remove(name)
		case "move":
			h.remove(name)
			h.put(path.Join(dir, path.Base(name)), was)
		}
	}
}

// index changes an index, or makes one.
func (h *hands) index(name string, index func(string) bool) {
	if names := h.seen(index); len(names) > 0 && rapid.Bool().Draw(h.r, "existing") {
		name = h.pick("index", names...)
	}
	was := h.disk.Files()[name]
	switch h.pick("to", "remove", "break", "foreign", "empty", "mine", "lookup", "member", "forget") {
	case "remove":
		h.remove(name)
	case "break":
		h.put(name, `{"entries": [`)
	case "foreign":
		h.put(name, `{"projects": []}`)
	case "empty":
		h.put(name, `{"entries": []}`)
	case "mine":
		h.put(name, `{"mine": 1, "last_updated": "", "memories": [{"id": "m1", "file": "f1.json", "note": "kept"}, {"id": "gone"}, {"id": "held", "content": "x"}], "memory_count": 1}`)
	case "lookup":
		h.put(name, "{\n \"entries\": [], \"entry_count\": 7, \"tag_index\": {\"x\": [\"m1\"]}, \"type_index\": {}\n}\n")
	case "member":
		h.put(name, strings.Replace(was, "{", `{"more": 1, `, 1))
	case "forget":
		h.put(name, strings.Replace(was, `"id": "m`, `"id": "n`, 1))
	}
}

// names are what a watcher tells: of some changes the directory, of some nothing new.
func (h *hands) names() []string {
	for _, name := range slices.Sorted(maps.Keys(h.told)) {
		if dir := path.Dir(name); dir != "." && rapid.IntRange(0, 5).Draw(h.r, "coarse") == 0 {
			delete(h.told, name)
			h.told[dir] = true
		}
	}
	if rapid.Bool().Draw(h.r, "idle") {
		h.told[h.pick("idle name", append(h.seen(func(string) bool { return true }), "nothing.json")...)] = true
	}
	return slices.Sorted(maps.Keys(h.told))
}

// realDisk is a directory that people change.
type realDisk struct {
	t   *testing.T
	dir string
}

func (d realDisk) Put(name string, data []byte) error {
	name = filepath.Join(d.dir, name)
	return cmp.Or(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644))
}

func (d realDisk) Remove(name string) error { return os.Remove(filepath.Join(d.dir, name)) }

func (d realDisk) Files() map[string]string {
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(d.dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(d.dir, name))
		files[name] = string(text)
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return files
}
