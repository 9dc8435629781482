package cli

import (
	"github.com/memoryd/memoryd/internal/op/edit"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

func pinCommand() *command {
	return &command{
		args:    "ID…",
		purpose: "keep memories from being archived, and give them first",
		detail: `Adds the tag "pinned". The rules archive and expired leave a pinned memory alone,
a merge hands the pin to the memory that stays, and blocks for agents begin with
it. "pinned": true and "ttl": "permanent" in a record pin it, too.`,
		example: "memory pin mem_k3x9q0a7b2cd",
		least:   1, most: -1, words: liveIDs,
		writes: true, run: func(c *call) error { return repin(c, edit.Pin, "pinned already") },
	}
}

func unpinCommand() *command {
	return &command{
		args:    "ID…",
		purpose: "unpin memories",
		detail: `Removes the tag "pinned" and "pinned": true, and the ttl where it is "permanent".
Then the rules look at them as at any other.`,
		example: "memory unpin mem_k3x9q0a7b2cd",
		least:   1, most: -1, words: pinnedIDs,
		writes: true, run: func(c *call) error { return repin(c, edit.Unpin, "not pinned") },
	}
}

// repin changes the pins of the memories that are named, as one run.
func repin(c *call, change func(edit.Store, config.Settings, *memory.Snapshot, []string) ([]memory.Action, error), already string) error {
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	actions, err := change(store, conf.Settings, snap, c.args)
	if err != nil {
		return err
	}
	return applyEdits(c, actions, map[bool]string{true: "it is ", false: "they are "}[len(c.args) == 1]+already)
}

// pinnedIDs completes the ids of pinned memories.
func pinnedIDs(c *call) []string {
	return idsOf(c, func(m *memory.Memory) bool { return !m.Archived && m.Pinned() })
}
