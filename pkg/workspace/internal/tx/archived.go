package tx

import (
	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
)

// noteArchived remembers what the archive's index shall say of a moved record.
func (c *commit) noteArchived(a *memory.Action, op memory.Op, record []byte) {
	if c.extra == nil {
		c.extra, c.places = map[string][]indexfile.Field{}, map[*memory.Action]map[string]string{}
		c.archived = map[*memory.Action]map[string]string{}
	}
	from, id := op.Ref.String(), op.ID
	if v, ok := jsonedit.Get(op.Raw, "id"); ok { // a conflict copy gets an id of its own
		id = text.Composed(v.Str)
	}
	c.extra[id] = index.ArchivedFields(from, c.tx.Plan.At, &a.Action, c.runID)
	if c.places[a] == nil {
		c.places[a] = map[string]string{}
	}
	c.places[a][id] = from
	if c.machine != "" {
		if c.archived[a] == nil {
			c.archived[a] = map[string]string{}
		}
		c.archived[a][id] = string(memory.ParseRecord(record, op.To).EditDigest())
	}
}

// asLogged is the action as the log tells it: with the places that archived memories
// came from, so that the archive's index can be rebuilt.
func (c *commit) asLogged(a *memory.Action) oplog.Action {
	out := a.Action
	if out.Type != oplog.Summarize && out.Type != oplog.Judge {
		out.Digests = nil // a plan needs them; in the log only a kept original does, and a verdict
	}
	if out.Type == oplog.Archive {
		out.From = c.places[a][a.MemoryID]
	} else {
		out.Places = c.places[a]
	}
	out.Archived = c.archived[a]
	return out
}
