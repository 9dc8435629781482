package cli

import (
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
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
		run: func(c *call) error {
			return c.repin("pinned", "pinned already", func(m *memory.Memory, snap *memory.Snapshot) ([]byte, bool, error) {
				if m.Pinned() {
					return m.Raw(), false, nil
				}
				return memory.Retag(m, []string{memory.PinTag}, nil, snap.At)
			})
		},
	}
}

func unpinCommand() *command {
	return &command{
		args:    "ID…",
		purpose: "take the pin off memories again",
		detail: `Removes the tag "pinned" and "pinned": true, and the ttl where it is "permanent".
Then the rules look at them as at any other.`,
		example: "memory unpin mem_k3x9q0a7b2cd",
		least:   1, most: -1, words: pinnedIDs,
		run: func(c *call) error {
			return c.repin("unpinned", "not pinned", func(m *memory.Memory, snap *memory.Snapshot) ([]byte, bool, error) {
				return memory.Unpin(m, snap.At)
			})
		},
	}
}

// repin changes the pins of the memories that are named, as one run.
func (c *call) repin(done, already string, change func(*memory.Memory, *memory.Snapshot) (raw []byte, ok bool, err error)) error {
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	var actions []memory.Action
	asked := map[string]bool{}
	for _, id := range c.args {
		m, err := one(snap, id)
		if err != nil {
			return err
		}
		raw, changed, err := change(m, snap)
		if err != nil {
			return err
		}
		if !changed || asked[m.ID] {
			continue
		}
		asked[m.ID] = true
		a, err := memory.Replace(m, raw, done)
		if err != nil {
			return err
		}
		actions = append(actions, a)
	}
	if len(actions) == 0 {
		c.say("nothing to change: %s %s\n", map[bool]string{true: "it is", false: "they are"}[len(c.args) == 1], already)
		if c.json {
			return c.printEmpty()
		}
		return nil
	}
	return c.applyCommand(actions, func(all []oplog.Action) {
		for _, a := range all {
			c.say("%s: %s\n", term.Printable(a.MemoryID), term.Printable(a.Detail))
		}
	})
}

// pinnedIDs completes the ids of pinned memories.
func pinnedIDs(c *call) []string {
	return c.ids(func(m *memory.Memory) bool { return !m.Archived && m.Pinned() })
}
