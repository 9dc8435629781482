package ops

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/sessionfile"
)

// maxSessionFile bounds what is read of a file to learn of a session.
const maxSessionFile = 1 << 20

// SessionFiles returns the files by which sessions are known, by name; besides the
// places for them, the files in also. What a file of up to 1 MiB says is read if it
// was written since then, or if it is one of also. A file that is gone, or can't be
// read, is none.
func (o *Ops) SessionFiles(agents, also []string, since time.Time) ([]sessionfile.File, error) {
	wanted := map[string]bool{}
	dirs := map[string][]string{}
	for _, file := range also {
		if !wanted[file] {
			wanted[file] = true
			dirs[path.Dir(file)] = append(dirs[path.Dir(file)], path.Base(file))
		}
	}
	add := func(dir string, entries []durable.Entry) (below []string) {
		for _, e := range entries {
			switch {
			case strings.HasPrefix(e.Name, "."):
			case e.Kind == durable.Dir:
				below = append(below, path.Join(dir, e.Name))
			case e.Kind == durable.Regular && path.Ext(e.Name) == ".json" && !wanted[path.Join(dir, e.Name)]:
				dirs[dir] = append(dirs[dir], e.Name)
			}
		}
		return below
	}
	for _, dir := range []string{"sessions", "working"} {
		entries, err := o.root.ReadDir(dir)
		if err != nil && !gone(err) {
			return nil, err
		}
		for _, below := range add(dir, entries) {
			if entries, err = o.root.ReadDir(below); err != nil && !gone(err) {
				return nil, err
			}
			add(below, entries)
		}
	}
	for _, agent := range agents {
		if file := path.Join("agents", agent, sessionfile.WorkingMemory); !wanted[file] {
			dirs[path.Dir(file)] = append(dirs[path.Dir(file)], sessionfile.WorkingMemory)
		}
	}
	var all []sessionfile.File
	for dir, names := range dirs {
		seen := func(i int, info durable.Info) bool {
			name := path.Join(dir, names[i])
			if info.Size <= maxSessionFile && (wanted[name] || info.ModTime.After(since)) {
				return false
			}
			all = append(all, sessionfile.File{Name: name, Touched: info.ModTime})
			return true
		}
		err := o.root.ReadFiles(dir, names, maxSessionFile, seen, func(i int, data []byte, info durable.Info, err error) {
			if err != nil {
				return // a problem of the snapshot
			}
			name := path.Join(dir, names[i])
			f := sessionfile.File{Name: name, Touched: info.ModTime}
			if f.Records, f.Broken = sessionfile.Read(name, data); !f.Broken && memoryOfSession(name, data) {
				f.Records = nil
			}
			all = append(all, f)
		})
		if err != nil && !gone(err) {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b sessionfile.File) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// memoryOfSession tells a memory that stands in a session's directory: what it calls done
// is its own affair.
func memoryOfSession(name string, data []byte) bool {
	if path.Dir(name) == "sessions" || !strings.HasPrefix(name, "sessions/") {
		return false
	}
	start, end := jsonedit.Span(data)
	return memory.IsRecord(gjson.ParseBytes(data[start:end]))
}

// gone reports whether an error means that nothing is there to be read.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, durable.ErrLink) }
