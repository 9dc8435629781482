package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Config is the settings of a workspace with the origin of each.
type Config struct {
	Settings
	set assignments
}

// A Value is one setting for people to read.
type Value struct {
	Key    string // "archive.idle_after"; of a schedule "schedules." and its name, of a team "teams." and the agents
	Value  string // as Override takes it
	Origin string // "default", "preset careful", "layers.enabled", "memory.toml:12", "environment MEMORY_RUN_LIMIT", "flag --max"
	Doc    string // what it is for
}

// Values returns every setting and the tables of models in the order of the template, then the
// schedules and the teams by name.
func (c *Config) Values() []Value {
	preset := presets[c.Preset]
	var values []Value
	rows := c.Settings.table()
	for i, row := range rows {
		origin := "default"
		if a, ok := c.set[row.key]; ok {
			origin = a.origin
		} else if _, ok := preset[row.key]; ok {
			origin = "preset " + c.Preset
		} else if _, ok := layersTriggers[row.key]; ok && c.Layers.Enabled {
			origin = "layers.enabled"
		}
		values = append(values, Value{row.key, row.text(), origin, row.doc})
		if strings.HasPrefix(row.key, modelPrefix) && (i+1 == len(rows) || !strings.HasPrefix(rows[i+1].key, modelPrefix)) {
			values = append(values, c.modelTables()...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Schedules)) {
		key := schedulePrefix + name
		values = append(values, Value{key, c.Schedules[name].text(), c.set[key].origin, "A time at which to consolidate besides: when, and, if it says so, until nothing is left to do, or only in a scope."})
	}
	for _, agents := range slices.Sorted(maps.Keys(c.Teams)) {
		key := "teams." + agents
		values = append(values, Value{key, c.Teams[agents], c.set[key].origin, "The team of these agents."})
	}
	return values
}

// modelTables returns the tables of [model] by name.
func (c *Config) modelTables() (values []Value) {
	tables := c.Model.tables()
	for _, key := range slices.Sorted(maps.Keys(tables)) {
		values = append(values, Value{key, tables[key], c.set[key].origin, modelDoc(key)})
	}
	return values
}

// Override sets a setting to the value in text; origin says who wants it, such as
// "flag --max". Numbers, durations and words are written as in
// memory.toml but without quotes; a list has commas between its words, or is a
// TOML array. "teams.DEV-001" sets the team of an agent, "schedules.nightly" a
// schedule, by when it is or by an inline table; "model.NAME" a server,
// "model.scopes" and "model.prices" those, by an inline table.
//
// The rules for values are those of Parse, but for the sum of the retention
// weights, which takes several calls to change. After an error c is unchanged.
func (c *Config) Override(key, text, origin string) error {
	set := c.set.clone()
	if err := set.override(key, text, origin); err != nil {
		return err
	}
	c.Settings, c.set = set.resolve(), set
	return nil
}

// Environ overrides settings from variables in the form of os.Environ:
// MEMORY_<SECTION>_<KEY>, such as MEMORY_RUN_LIMIT=20, and MEMORY_PRESET. Empty
// ones count as absent. One that names a section but no setting of it is an
// error; other variables are ignored. Schedules and teams have no variables.
//
// All problems are reported, joined; after an error c is unchanged.
func (c *Config) Environ(environ []string) error {
	set := c.set.clone()
	var problems []error
	for _, variable := range slices.Sorted(slices.Values(environ)) {
		name, text, _ := strings.Cut(variable, "=")
		rest, ok := strings.CutPrefix(name, "MEMORY_")
		if !ok || text == "" {
			continue
		}
		key, ok := variableKey(rest)
		if !ok {
			continue
		}
		if err := set.override(key, text, "environment "+name); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	settings := set.resolve()
	if problem := settings.Retention.unbalanced(); problem != "" {
		return errors.New("environment: " + problem)
	}
	c.Settings, c.set = settings, set
	return nil
}

// variableKey turns RUN_LIMIT into run.limit; not ok if no section begins so.
func variableKey(name string) (key string, ok bool) {
	name = strings.ToLower(name)
	if name == "preset" {
		return name, true
	}
	section, key, found := strings.Cut(name, "_")
	if !found || named(section) || sectionNames(canonical(section)) == nil {
		return "", false
	}
	return section + "." + key, true
}

// assignments are the values that were set explicitly, by key. Every value was
// accepted by the setting's own rules.
type assignments map[string]assignment

type assignment struct {
	value  any // as the TOML decoder gives it; of a team a string, of a schedule a Schedule
	origin string
}

// clone is a copy that can be added to, also of none.
func (set assignments) clone() assignments {
	all := assignments{}
	maps.Copy(all, set)
	return all
}

func (set assignments) override(key, text, origin string) error {
	if agents, ok := strings.CutPrefix(key, "teams."); ok {
		if problem := checkTeam(agents, text); problem != "" {
			return fmt.Errorf("%s: %s", origin, problem)
		}
		for other := range set {
			if strings.EqualFold(other, key) {
				delete(set, other)
			}
		}
		set[key] = assignment{text, origin}
		return nil
	}
	if name, ok := strings.CutPrefix(key, schedulePrefix); ok {
		return set.overrideSchedule(name, text, origin)
	}
	key = canonicalKey(key)
	if isModelTable(key) {
		return set.overrideModelTable(key, text, origin)
	}
	scratch := Default()
	row, ok := scratch.find(key)
	if !ok {
		return fmt.Errorf("%s: %s", origin, unknownKey(key))
	}
	v := row.parse(text)
	if advice := row.set(v); advice != "" {
		return fmt.Errorf("%s: %s is %s: %s", origin, key, show(v), advice)
	}
	set[key] = assignment{v, origin}
	return nil
}

// resolve lays the defaults, the preset and the assignments over each other.
func (set assignments) resolve() Settings {
	s := Default()
	if a, ok := set["preset"]; ok {
		s.Preset, _ = a.value.(string)
	}
	preset := presets[s.Preset]
	for _, row := range s.table() {
		if a, ok := set[row.key]; ok {
			row.set(a.value)
		} else if text, ok := preset[row.key]; ok {
			row.set(row.parse(text))
		}
	}
	if s.Layers.Enabled {
		for _, row := range s.table() {
			text, ok := layersTriggers[row.key]
			if _, given := set[row.key]; ok && !given {
				row.set(row.parse(text))
			}
		}
	}
	for key, a := range set {
		if agents, ok := strings.CutPrefix(key, "teams."); ok {
			s.Teams[agents], _ = a.value.(string)
		}
		if name, ok := strings.CutPrefix(key, schedulePrefix); ok {
			s.Schedules[name], _ = a.value.(Schedule)
		}
		s.Model.setTable(key, a.value)
	}
	return s
}
