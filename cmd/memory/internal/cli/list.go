package cli

import (
	"cmp"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
)

func listCommand() *command {
	return &command{
		args:    "[options]",
		purpose: "list memories",
		detail:  `With --quiet only the ids are printed, one per line.`,
		example: "memory list --type procedural --scope team:development --sort reads",
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "type", Usage: "only memories of `TYPE`"},
			scopeFlag("only memories of `SCOPE`, such as agent:DEV-001; a kind alone, such as agent, means all of it"),
			tagFlag(), tierFlag(),
			&urfave.BoolFlag{Name: "archived", Usage: "archived memories instead of live ones"},
			&urfave.BoolFlag{Name: "all", Usage: "live and archived memories"},
			limitFlag("list at most `N`"),
			&urfave.StringFlag{Name: "sort", Usage: "order by `WHAT`: updated, created or read (latest first), reads (most first), score (highest first), id or type", Value: "updated"},
		},
		run: runList,
	}
}

// orders are the values of --sort.
var orders = map[string]func(a, b *memory.Memory) int{
	"updated": func(a, b *memory.Memory) int { return b.Newest().Compare(a.Newest()) },
	"created": func(a, b *memory.Memory) int { return b.Born().Compare(a.Born()) },
	"read":    func(a, b *memory.Memory) int { return b.LastAccessed.Compare(a.LastAccessed) },
	"reads":   func(a, b *memory.Memory) int { return cmp.Compare(b.AccessCount, a.AccessCount) },
	"type":    func(a, b *memory.Memory) int { return cmp.Compare(a.Type, b.Type) },
	"id":      func(a, b *memory.Memory) int { return 0 },
}

func orderNames() []string {
	return []string{"updated", "created", "read", "reads", "score", "id", "type"}
}

func runList(c *call) error {
	fits, err := c.filter()
	if err != nil {
		return err
	}
	tier, err := c.tier()
	if err != nil {
		return err
	}
	order, ok := orders[c.flags.String("sort")]
	if !ok && c.flags.String("sort") == "score" {
		order, ok = func(a, b *memory.Memory) int { return cmp.Compare(c.score(b).Score, c.score(a).Score) }, true
	}
	if !ok {
		return usagef("--sort: there is no %q: write one of %s", c.flags.String("sort"), strings.Join(orderNames(), ", "))
	}
	limit, err := c.limit()
	if err != nil {
		return err
	}
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	ms := []*memory.Memory{}
	if !c.flags.Bool("archived") {
		ms = append(ms, snap.Memories()...)
	}
	if c.flags.Bool("archived") || c.flags.Bool("all") {
		ms = append(ms, snap.Archived()...)
	}
	ms = slices.DeleteFunc(ms, func(m *memory.Memory) bool {
		return !fits(m) || tier != nil && c.score(m).Tier != *tier
	})
	slices.SortStableFunc(ms, func(a, b *memory.Memory) int { return cmp.Or(order(a, b), cmp.Compare(a.ID, b.ID)) })
	found := len(ms)
	if found == 0 {
		if err := c.unknownValue(snap); err != nil {
			return err
		}
	}
	if limit > 0 {
		ms = ms[:min(limit, found)]
	}
	if c.json {
		return c.printJSON(app.NewMemoryDocuments(ms, c.at, *c.scored()))
	}
	c.printList(ms, found)
	return nil
}
