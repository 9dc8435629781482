package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/fail"
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
			consentFlag(), limitFlag("as \"consolidate --limit `N`\" would have it"),
			&urfave.StringFlag{Name: "pause", Usage: "as \"consolidate --pause `DURATION`\" would have it"},
		},
		runLimit: true,
		run:      runConfig, words: configWords,
	}
}

func runConfig(c *call) error {
	keys := c.args
	switch {
	case len(keys) > 0 && keys[0] == "set":
		if len(keys) != 3 {
			return fail.WithHint(fail.Usagef("set takes a key and a value, not %s", quantity(len(keys)-1, "argument")), "memory config set run.limit 20")
		}
		return c.setConfig(keys[1], keys[2])
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
	t := &term.Table{Paint: func(_, column int, text string) string {
		if column == 2 {
			return c.style.Dim(text)
		}
		return text
	}}
	for _, v := range values {
		if len(keys) > 0 || c.verbose {
			c.printf("%s = %s  %s\n    %s\n", term.Printable(v.Key), term.Printable(or(v.Value, `""`)), c.style.Dim(term.Printable(v.Origin)), v.Doc)
			continue
		}
		t.Row(v.Key, or(v.Value, `""`), v.Origin)
	}
	c.printf("%s", t.Format("", c.style))
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
			if near := closest(name, keys); near != "" {
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
func (c *call) setConfig(key, value string) error {
	if _, err := c.open(); err != nil { // finds the workspace
		return err
	}
	name := filepath.Join(c.store.Dir(), memory.ConfigFile)
	before, err := readOptional(name)
	if err != nil {
		return err
	}
	after, err := setSetting(before, key, value)
	if err != nil {
		return err
	}
	if string(after) == string(before) {
		c.say("%s is %s already\n", term.Printable(key), term.Printable(value))
		return nil
	}
	change := &fileChange{File: name, before: before, after: after}
	if err := change.replace(); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	c.say("%s = %s in %s\n", term.Printable(key), term.Printable(value), term.Printable(c.brief(name)))
	return nil
}

// setSetting is the text of a memory.toml with a setting of another value. Nothing else that it says changes.
func setSetting(text []byte, key, value string) ([]byte, error) {
	before, err := config.Parse(memory.ConfigFile, text)
	if err != nil {
		return nil, err
	}
	section, short, ok := strings.Cut(key, ".")
	if section != "schedules" && section != "teams" { // these have any names
		if _, err := named(before.Values(), []string{key}); err != nil {
			return nil, err
		}
	}
	if !ok {
		section, short = "", key
	}
	var failed error
	for _, written := range []string{value, fmt.Sprintf("%q", value)} { // a number or a list as it is, else a string
		after := []byte(setLine(string(text), section, short, written))
		now, err := config.Parse(memory.ConfigFile, after)
		switch {
		case err == nil:
		case failed == nil || strings.Contains(failed.Error(), "not valid TOML"): // it had to be quoted
			failed = err
			continue
		default:
			continue
		}
		was, is := valuesOf(before), valuesOf(now)
		delete(was, key)
		delete(is, key)
		if !maps.Equal(was, is) {
			return nil, fmt.Errorf("%s is written in a way that can't be changed alone: edit %s by hand", key, memory.ConfigFile)
		}
		return after, nil
	}
	return nil, fail.Usagef("%s: %w", key, failed)
}

// valuesOf are the values that the file itself sets.
func valuesOf(c *config.Config) map[string]string {
	all := map[string]string{}
	for _, v := range c.Values() {
		if strings.HasPrefix(v.Origin, memory.ConfigFile) {
			all[v.Key] = v.Value
		}
	}
	return all
}

// unsetSetting is the text of a memory.toml without the line that sets a key; the same where there is none. A setting
// that is written in another way is an error.
func unsetSetting(text []byte, key string) ([]byte, error) {
	before, err := config.Parse(memory.ConfigFile, text)
	if err != nil {
		return nil, err
	}
	section, short, _ := strings.Cut(key, ".")
	sets := regexp.MustCompile(`^\s*` + regexp.QuoteMeta(short) + `\s*=`)
	here := false
	var kept []string
	for _, line := range strings.SplitAfter(string(text), "\n") {
		if m := sectionHeader().FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			here = strings.TrimSpace(m[1]) == section
		} else if here && sets.MatchString(line) {
			continue
		}
		kept = append(kept, line)
	}
	after := []byte(strings.Join(kept, ""))
	now, err := config.Parse(memory.ConfigFile, after)
	if err == nil {
		was, is := valuesOf(before), valuesOf(now)
		delete(was, key)
		if maps.Equal(was, is) {
			return after, nil
		}
	}
	return nil, fmt.Errorf("%s is written in a way that can't be taken out alone: edit %s by hand", key, memory.ConfigFile)
}

// sectionHeader matches a line that begins a section.
var sectionHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\[([^\[\]]+)\]\s*(#.*)?$`) })

// setLine puts "key = value" into a section of a TOML text: in place of the line that sets it, a comment behind it kept, else at the end of
// the section, else in a section of its own at the end.
func setLine(text, section, key, value string) string {
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	line := key + " = " + value
	sets := regexp.MustCompile(`^(\s*)` + regexp.QuoteMeta(key) + `\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]]*\]|[^#\s]+)(.*)$`)
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	here, last := section == "", -1
	if here {
		last = 0
	}
	for i, l := range lines {
		bare := strings.TrimRight(l, "\r\n")
		if m := sectionHeader().FindStringSubmatch(bare); m != nil {
			if here = strings.TrimSpace(m[1]) == section; here {
				last = i + 1
			}
			continue
		}
		if !here {
			continue
		}
		if m := sets.FindStringSubmatch(bare); m != nil {
			lines[i] = m[1] + line + m[3] + l[len(bare):]
			return strings.Join(lines, "")
		}
		if bare = strings.TrimSpace(bare); bare != "" && bare[0] != '#' { // a comment may be about what comes next
			last = i + 1
		}
	}
	if n := len(lines); n > 0 && !strings.HasSuffix(lines[n-1], "\n") {
		lines[n-1] += end
	}
	if last < 0 {
		if len(lines) > 0 {
			lines = append(lines, end)
		}
		return strings.Join(append(lines, "["+section+"]"+end, line+end), "")
	}
	return strings.Join(lines[:last], "") + line + end + strings.Join(lines[last:], "")
}
