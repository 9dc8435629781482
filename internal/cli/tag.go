package cli

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/edit"
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
		least: 1, most: -1, writes: true, run: runTag, words: liveIDs,
	}
}

func runTag(c *call) error {
	ids, add, remove := c.args, c.flags.StringSlice("add"), c.flags.StringSlice("remove")
	plain := len(add)+len(remove) == 0
	if plain {
		ids, add = ids[:1], ids[1:]
	}
	add = edit.SplitTags(add)
	if len(add)+len(remove) == 0 {
		return fail.WithHint(fail.Usagef("which tags?"), "usage: memory "+c.cmd.synopsis())
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	store, snap, err := c.load()
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
	actions, err := edit.Tags(store, conf.Settings, snap, ids, add, remove, edit.Options{Secrets: secretsOf(c.flags)})
	if err != nil {
		return err
	}
	return applyEdits(c, actions, "the tags are like that already")
}

// applyEdits commits the actions of edits; already says why there are none.
func applyEdits(c *call, actions []memory.Action, already string) error {
	if len(actions) == 0 {
		c.Say("nothing to change: %s\n", already)
		if c.JSON {
			return printEmpty(c)
		}
		return nil
	}
	return applyCommand(c, actions, func(done []oplog.Action) {
		for _, a := range done {
			c.Say("%s: %s\n", term.Printable(a.MemoryID), term.Printable(a.Detail))
		}
	})
}

// printEmpty prints, for --json, that a command had nothing to do.
func printEmpty(c *call) error {
	return c.PrintJSON(document.NewPlan(memory.Command(c.snap, c.store.Log().Head()), nil))
}
