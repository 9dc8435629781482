package installing

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/hook"
)

// Found is a host that is used in the project, or could be.
type Found struct {
	document.FoundHost
	Title string        `json:"-"` // the host's name for people
	Work  *Installation `json:"-"` // sets it up
}

// Find finds the hosts that are used in the project or stand on the PATH, and are not set up. What can't be set up is an error, and
// doesn't keep others from it.
func Find(o Options) (found []Found, failed error) {
	all := hosts(runtime.GOOS)
	for _, name := range hook.Names() {
		where := o.signOf(all[name])
		if where == "" {
			continue
		}
		o.Host = name
		work, err := Install(o)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("set up %s: %w", name, err))
			continue
		}
		h := Found{FoundHost: document.FoundHost{Host: name, Found: where, Files: []string{}}, Title: all[name].title, Work: work}
		for _, f := range work.changes {
			if f.Changed {
				h.Files = append(h.Files, o.Dir.Short(f.File))
			}
		}
		if len(h.Files) > 0 {
			found = append(found, h)
		}
	}
	return found, failed
}

// SetUp sets hosts up. One that fails doesn't keep others from it. Done is called for each that is set up.
func SetUp(all []Found, done func(Found)) (failed error) {
	for i := range all {
		if err := all[i].Work.Apply(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("set up %s: %w", all[i].Host, err))
			continue
		}
		all[i].Installed = true
		done(all[i])
	}
	return failed
}

// signOf is what tells that a host is used in the project, or could be; "" for nothing.
func (p Place) signOf(files hostFiles) string {
	for _, mark := range files.marks {
		if _, err := os.Stat(p.Dir.Resolve(filepath.FromSlash(mark))); err == nil {
			return mark
		}
	}
	for _, program := range files.programs {
		if file := p.program(program); file != "" {
			return file
		}
	}
	return ""
}

// program is where a program stands on the PATH; "" for nowhere.
func (p Place) program(name string) string {
	endings := []string{""}
	if runtime.GOOS == "windows" {
		endings = []string{".exe", ".cmd"}
	}
	for _, dir := range filepath.SplitList(p.Getenv("PATH")) {
		for _, ending := range endings {
			file := filepath.Join(dir, name+ending)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return file
			}
		}
	}
	return ""
}
