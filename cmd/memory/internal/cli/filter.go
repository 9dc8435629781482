package cli

import (
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/text"
)

func tagFlag() urfave.Flag {
	return &urfave.StringSliceFlag{Name: "tag", Usage: "only memories with `TAG`; repeat the option for several tags at once"}
}

var scopeKinds = []string{"global", "team", "agent", "project", "session"}

// filter reads the flags that choose memories.
func (c *call) filter() (func(*memory.Memory) bool, error) {
	kind, owner := c.flags.String("scope"), ""
	if strings.Contains(kind, ":") {
		scope, err := c.scope()
		if err != nil {
			return nil, err
		}
		kind, owner = scope.Kind, scope.ID
	} else if kind != "" && !slices.Contains(scopeKinds, kind) {
		_, err := c.scope() // says what may stand there
		return nil, err
	}
	return func(m *memory.Memory) bool {
		return (c.flags.String("type") == "" || strings.EqualFold(m.Type, c.flags.String("type"))) &&
			(kind == "" || m.Scope.Kind == kind) && (owner == "" || text.SameName(m.Scope.ID, owner)) &&
			!slices.ContainsFunc(c.flags.StringSlice("tag"), func(t string) bool { return !m.HasTag(strings.TrimSpace(t)) })
	}, nil
}

// unknownValue is the error about a value of --type, --scope, --agent or --tag that no memory has, live or archived, with the nearest that one has.
// Where nothing is found, it tells a slip from an empty answer.
func (c *call) unknownValue(snap *memory.Snapshot) error {
	type flag struct {
		name, value string
		of          func(*memory.Memory) []string
	}
	scope := c.flags.String("scope")
	if !strings.Contains(scope, ":") {
		scope = "" // a kind, which has been checked
	}
	asked := []flag{
		{"--type", c.flags.String("type"), func(m *memory.Memory) []string { return []string{m.Type} }},
		{"--scope", scope, func(m *memory.Memory) []string { return []string{m.Scope.String()} }},
	}
	if c.has("agent") {
		asked = append(asked, flag{"--agent", c.flags.String("agent"), func(m *memory.Memory) []string {
			if m.Scope.Kind == "agent" {
				return []string{m.Scope.ID, m.CreatedBy}
			}
			return []string{m.CreatedBy}
		}})
	}
	for _, tag := range c.flags.StringSlice("tag") {
		asked = append(asked, flag{"--tag", strings.TrimSpace(tag), func(m *memory.Memory) []string { return m.Tags }})
	}
	for _, f := range asked {
		if f.value == "" {
			continue
		}
		known := map[string]bool{}
		if f.name == "--type" {
			for _, t := range memory.Types() {
				known[t] = true
			}
		}
		for _, ms := range [][]*memory.Memory{snap.Memories(), snap.Archived()} {
			for _, m := range ms {
				for _, value := range f.of(m) {
					known[value] = true
				}
			}
		}
		var values []string
		for value := range known {
			if text.SameName(value, f.value) {
				values = nil
				break
			}
			values = append(values, value)
		}
		if values == nil {
			continue
		}
		slices.Sort(values)
		hint := "no memory has any"
		if near := closest(f.value, values); near != "" {
			hint = "did you mean " + f.name + " " + near + "?"
		} else if len(values) > 0 {
			hint = "there are " + strings.Join(values[:min(len(values), 10)], ", ")
			if len(values) > 10 {
				hint += ", …"
			}
		}
		return withHint(failf(exitNotFound, "%s: no memory has %q", f.name, f.value), hint)
	}
	return nil
}
