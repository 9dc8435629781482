package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/filechange"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

func configCommand() *command {
	return &command{
		args:    "[get] [KEY…] | set KEY VALUE [options]",
		purpose: "show the settings in force, and where each comes from; change one",
		detail: `A setting comes from an option, else from the environment (MEMORY_RUN_LIMIT for
run.limit), else from memory.toml, else from the preset, else it is the default.
With KEYs, or sections such as triggers, it also says what they are for. With
--verbose it does so for all. "set KEY VALUE" changes memory.toml, and keeps its
other lines and comments.`,
		page:    "settings.md",
		example: "memory config triggers run.limit",
		most:    -1,
		flags: []urfave.Flag{
			consentFlag(), maxFlag(), dryRunFlag(),
			pauseFlag(),
		},
		text: true, run: runConfig, words: configWords,
	}
}

func runConfig(c *call) error {
	keys := c.args
	switch {
	case len(keys) > 0 && keys[0] == "set":
		if len(keys) != 3 {
			return fail.WithHint(fail.Usagef("set takes a key and a value, not %s", app.Quantity(len(keys)-1, "argument")), "memory config set run.limit 20")
		}
		return setConfig(c, keys[1], keys[2])
	case len(keys) > 0 && keys[0] == "get":
		if keys = keys[1:]; len(keys) == 0 {
			return fail.WithHint(fail.Usagef("get: the key is missing"), "memory config get run.limit; \"memory config\" lists all settings")
		}
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	values := conf.Values()
	if len(keys) > 0 {
		if values, err = named(values, keys); err != nil {
			return err
		}
	}
	if c.JSON {
		doc := document.Settings{Settings: []document.Setting{}}
		for _, v := range values {
			doc.Settings = append(doc.Settings, document.Setting(v))
		}
		return c.PrintJSON(doc)
	}
	t := &term.Table{Paint: func(_, column int, text string) string {
		if column == 2 {
			return c.Style.Dim(text)
		}
		return text
	}}
	for _, v := range values {
		if len(keys) > 0 || c.Verbose {
			c.Printf("%s = %s  %s\n    %s\n", term.Printable(v.Key), term.Printable(cmp.Or(v.Value, `""`)), c.Style.Dim(term.Printable(v.Origin)), v.Doc)
			continue
		}
		t.Row(v.Key, cmp.Or(v.Value, `""`), v.Origin)
	}
	c.Printf("%s", t.Format("", c.Style))
	return nil
}

// named are the settings of these keys and sections.
func named(values []config.Value, names []string) (found []config.Value, err error) {
	for _, name := range names {
		before := len(found)
		for _, v := range values {
			if v.Key == name || strings.HasPrefix(v.Key, name+".") {
				found = append(found, v)
			}
		}
		if len(found) == before {
			hint := `"memory config" lists them`
			var keys []string
			for _, v := range values {
				keys = append(keys, v.Key)
			}
			if near := app.Closest(name, keys); near != "" {
				hint = "did you mean " + near + "?"
			}
			return nil, fail.WithHint(fail.Errorf(fail.ExitNotFound, "unknown setting %q", name), hint)
		}
	}
	return found, nil
}

// configWords are what an argument may be, for completion.
func configWords(c *call) []string {
	switch {
	case len(c.args) == 0:
		return append([]string{"get", "set"}, configKeys(c)...)
	case c.args[0] == "set" && len(c.args) > 1:
		return nil
	}
	return configKeys(c)
}

// configKeys are the keys of all settings, and their sections.
func configKeys(*call) (keys []string) {
	conf, err := config.Parse(memory.ConfigFile, nil)
	if err != nil { // there is nothing to be wrong with
		return nil
	}
	for _, v := range conf.Values() {
		if section, _, ok := strings.Cut(v.Key, "."); ok && !slices.Contains(keys, section) {
			keys = append(keys, section)
		}
		keys = append(keys, v.Key)
	}
	return keys
}

// setConfig changes a setting in memory.toml; its other lines stay as they are, comments too.
func setConfig(c *call, key, value string) error {
	if _, err := c.open(); err != nil { // finds the workspace
		return err
	}
	name := filepath.Join(c.store.Dir(), memory.ConfigFile)
	before, err := filechange.Read(name)
	if err != nil {
		return err
	}
	after, err := setSetting(before, key, value)
	if err != nil {
		return err
	}
	if string(after) == string(before) {
		c.Say("%s is %s already\n", term.Printable(key), term.Printable(value))
		return nil
	}
	if c.dryRun() {
		c.Say("would set %s = %s in %s; nothing was written\n", term.Printable(key), term.Printable(value), term.Printable(c.brief(name)))
		return nil
	}
	change := &filechange.Change{File: name, Before: before, After: after}
	if err := change.Replace(); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	c.Say("%s = %s in %s\n", term.Printable(key), term.Printable(value), term.Printable(c.brief(name)))
	return nil
}

// setSetting is the text of a memory.toml with a setting of another value. Nothing else that it says changes.
func setSetting(text []byte, key, value string) ([]byte, error) {
	before, err := config.Parse(memory.ConfigFile, text)
	if err != nil {
		return nil, err
	}
	section, _, _ := strings.Cut(key, ".")
	if section != "schedules" && section != "teams" { // these have any names
		if _, err := named(before.Values(), []string{key}); err != nil {
			return nil, err
		}
	}
	after, err := config.Set(memory.ConfigFile, text, key, value)
	if err != nil {
		return nil, fail.Usagef("%s: %w", key, err)
	}
	return after, nil
}
