package discover

import (
	"cmp"
	"errors"
	"path/filepath"

	"github.com/memoryd/memoryd/internal/online"
	"github.com/memoryd/memoryd/internal/worktree"
)

// Notes are what is kept of projects and their hubs.
func Notes(getenv func(name string) string) (online.Notes, error) {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // which counts as none
		home := cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
		if home == "" {
			return online.Notes{}, errors.New("the environment names no home directory, which has the settings of logins: set HOME")
		}
		dir = filepath.Join(home, ".config")
	}
	return online.Notes{Settings: dir}, nil
}

// HubProject is the project of a directory whose agents use a hub; false for none, and where a workspace is named by an option or the
// environment.
func HubProject(o Options) (p online.Project, ok bool, err error) {
	if o.named() {
		return p, false, nil
	}
	notes, err := Notes(o.Getenv)
	if err != nil {
		return p, false, nil //nolint:nilerr // without a home nobody has logged in
	}
	if p, ok, err = notes.Find(o.Dir); ok || err != nil {
		return p, ok, err
	}
	if linked, is := worktree.Find(o.Dir); is {
		return notes.Find(linked.Corresponding(o.Dir))
	}
	return p, false, nil
}
