package cli

import (
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

func tagCommand() *command {
	return &command{
		args:    "ID TAG… | ID… [--add TAG] [--remove TAG]",
		purpose: "add tags to memories, or remove them",
		detail: `With one ID, the other arguments are tags to add. With --add or --remove, all
arguments are ids. Tags are compared without case.`,
		example: "memory tag mem_k3x9q0a7b2cd --add permanent --remove draft",
		flags: []urfave.Flag{
			&urfave.StringSliceFlag{Name: "add", Usage: "add `TAG`, or several with commas between them; may be repeated"},
			&urfave.StringSliceFlag{Name: "remove", Usage: "remove `TAG`; repeat the option for more"},
			allowSecretFlag(),
		},
		least: 1, most: -1, run: runTag, words: liveIDs,
	}
}

// splitTags are tags to add: commas separate them. A tag that has a comma can be listed and removed.
func splitTags(given []string) (tags []string) {
	for _, text := range given {
		for tag := range strings.SplitSeq(text, ",") {
			tags = append(tags, strings.TrimSpace(tag))
		}
	}
	return tags
}

func runTag(c *call) error {
	ids, add, remove := c.args, c.flags.StringSlice("add"), c.flags.StringSlice("remove")
	plain := len(add)+len(remove) == 0
	if plain {
		ids, add = ids[:1], ids[1:]
	}
	add = splitTags(add)
	if len(add)+len(remove) == 0 {
		return fail.WithHint(fail.Usagef("which tags?"), "usage: memory "+c.cmd.synopsis())
	}
	if slices.ContainsFunc(slices.Concat(add, remove), func(t string) bool { return strings.TrimSpace(t) == "" }) {
		return fail.Usagef("a tag is empty")
	}
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	if plain {
		for _, tag := range add {
			if len(snap.Find(tag)) > 0 {
				return fail.WithHint(fail.Usagef("%s is a memory, not a tag", tag), "to tag several memories write the tags behind --add")
			}
		}
	}
	actions, err := c.retag(snap, ids, add, remove)
	if err != nil {
		return err
	}
	if len(actions) == 0 {
		c.say("nothing to change: the tags are like that already\n")
		if c.json {
			return c.printEmpty()
		}
		return nil
	}
	return c.applyCommand(actions, func(done []oplog.Action) {
		for _, a := range done {
			c.say("%s: %s\n", term.Printable(a.MemoryID), term.Printable(a.Detail))
		}
	})
}

// retag builds an action for every memory whose tags change.
func (c *call) retag(snap *memory.Snapshot, ids, add, remove []string) (actions []memory.Action, err error) {
	asked := map[string]bool{}
	for _, id := range ids {
		m, err := one(snap, id)
		if err != nil {
			return nil, err
		}
		raw, changed, err := memory.Retag(m, add, remove, snap.At)
		if err != nil {
			return nil, err
		}
		if !changed || asked[id] {
			continue
		}
		asked[id] = true
		if _, err := c.withoutSecrets(m.Raw(), raw); err != nil {
			return nil, err
		}
		a, err := memory.Replace(m, raw, tagDetail(add, remove))
		if err != nil {
			return nil, err
		}
		actions = append(actions, a)
	}
	return actions, nil
}

func tagDetail(add, remove []string) string {
	var parts []string
	if len(add) > 0 {
		parts = append(parts, "tagged "+strings.Join(add, ", "))
	}
	if len(remove) > 0 {
		parts = append(parts, "no longer tagged "+strings.Join(remove, ", "))
	}
	return strings.Join(parts, "; ")
}

// printEmpty prints, for --json, that a command had nothing to do.
func (c *call) printEmpty() error {
	return c.printJSON(document.NewPlan(memory.Command(c.snap, c.store.Log().Head()), nil))
}
