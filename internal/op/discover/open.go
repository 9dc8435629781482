package discover

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/gitsync"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Open opens the workspace in a directory, as its settings and those of the environment say. They are nil where those of the
// environment can't be read: [Settings] reports that.
func Open(dir string, env []string) (*workspace.FileStore, *config.Config, error) {
	store, err := workspace.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	store.Derive = app.Deriver // else the cache isn't one for us
	conf := &config.Config{Settings: config.Default()}
	if text, err := store.Read(memory.ConfigFile); err == nil {
		if parsed, err := config.Parse(memory.ConfigFile, text); err == nil {
			conf = parsed
		}
	}
	if conf.Environ(env) != nil {
		return store, nil, nil
	}
	store.Keep, store.AllowNetwork, store.NoCache = conf.History.Keep, conf.Files.AllowNetwork, !conf.Files.Cache
	store.SessionIdle = conf.Triggers.SessionIdle.Clock()
	return store, conf, nil
}

// Settings reads the settings of memory.toml, then of the environment, then those that override sets.
func Settings(store *workspace.FileStore, env []string, override func(*config.Config) error) (*config.Config, error) {
	text, err := store.Read(memory.ConfigFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	conf, err := config.Parse(memory.ConfigFile, text)
	if err != nil {
		return nil, err
	}
	if err := conf.Environ(env); err != nil {
		return nil, err
	}
	if override != nil {
		if err := override(conf); err != nil {
			return nil, err
		}
	}
	if conf.Promote.Via == config.ViaBranch && !gitsync.Inside(store.Dir()) {
		conf.Promote.Via = config.ViaNowhere // nobody would carry a proposal: the rule does nothing, and says so
	}
	return conf, nil
}

// SettingsIn are the settings of a workspace before it is opened; nil where they can't be read.
func SettingsIn(dir string, env []string) *config.Config {
	text, err := os.ReadFile(filepath.Join(dir, memory.ConfigFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	conf, err := config.Parse(memory.ConfigFile, text)
	if err != nil || conf.Environ(env) != nil {
		return nil
	}
	return conf
}
