package cli

import (
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

func configCommand() *command {
	return &command{
		args:    "[KEY…] | set KEY VALUE [options]",
		purpose: "show the settings in force, and where each comes from; change one",
		detail: `A setting comes from an option, else from the environment (MEMORY_RUN_LIMIT for
run.limit), else from memory.toml, else from the preset, else it is the default.
With KEYs, or sections such as triggers, it also says what they are for. With
--verbose it does so for all. "set KEY VALUE" changes memory.toml, and keeps its
other lines and comments.`,
		example: "memory config triggers run.limit",
		most:    -1,
		flags: []urfave.Flag{
			consentFlag(), limitFlag("as \"consolidate --limit `N`\" would have it"),
			&urfave.StringFlag{Name: "pause", Usage: "as \"consolidate --pause `DURATION`\" would have it"},
		},
		runLimit: true,
		run:      runConfig, words: func(c *call) []string { return append([]string{"set"}, configKeys(c)...) },
	}
}

func runConfig(c *call) error {
	if len(c.args) > 0 && c.args[0] == "set" {
		if len(c.args) != 3 {
			return usagef("set: write a key and a value")
		}
		return c.setConfig(c.args[1], c.args[2])
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	values := conf.Values()
	if len(c.args) > 0 {
		if values, err = named(values, c.args); err != nil {
			return err
		}
	}
	if c.json {
		type setting struct {
			Key    string `json:"key"`
			Value  string `json:"value"`
			Origin string `json:"origin"`
			Doc    string `json:"doc"`
		}
		all := []setting{}
		for _, v := range values {
			all = append(all, setting(v))
		}
		return c.printJSON(all)
	}
	t := &table{paint: func(_, column int, text string) string {
		if column == 2 {
			return c.style.dim(text)
		}
		return text
	}}
	for _, v := range values {
		if len(c.args) > 0 || c.verbose {
			c.printf("%s = %s  %s\n    %s\n", printable(v.Key), printable(or(v.Value, `""`)), c.style.dim(printable(v.Origin)), v.Doc)
			continue
		}
		t.row(v.Key, or(v.Value, `""`), v.Origin)
	}
	c.printf("%s", t.format("", c.style))
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
			return nil, withHint(failf(exitNotFound, "there is no setting %q", name), `"memory config" lists them`)
		}
	}
	return found, nil
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
