package cli

import (
	urfave "github.com/urfave/cli/v2"
)

func configCommand() *command {
	return &command{
		name: "config", group: groupLook, args: "[options]",
		purpose: "show the settings in force, and where each comes from",
		detail: `A setting comes from an option, else from the environment (MEMORY_RUN_LIMIT for
run.limit), else from memory.toml, else from the preset, else it is the default.`,
		example: "memory config",
		flags: []urfave.Flag{
			consentFlag(), limitFlag("as \"consolidate --limit `N`\" would have it"),
			&urfave.StringFlag{Name: "pause", Usage: "as \"consolidate --pause `DURATION`\" would have it"},
		},
		run: runConfig,
	}
}

func runConfig(c *call) error {
	conf, err := c.settings()
	if err != nil {
		return err
	}
	type setting struct {
		Key    string `json:"key"`
		Value  string `json:"value"`
		Origin string `json:"origin"`
	}
	all := []setting{}
	t := &table{paint: func(_, column int, text string) string {
		if column == 2 {
			return c.style.dim(text)
		}
		return text
	}}
	for _, v := range conf.Values() {
		all = append(all, setting{v.Key, v.Value, v.Origin})
		t.row(v.Key, or(v.Value, `""`), v.Origin)
	}
	if c.json {
		return c.printJSON(all)
	}
	c.printf("%s", t.format("", c.style))
	return nil
}
