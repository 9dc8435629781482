package document

import (
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// Saved says what became of a memory.
type Saved struct {
	Status string `json:"status" jsonschema:"saved, merged, flagged"`
	ID     string `json:"id" jsonschema:"where it is to be found from now on"`
	File   string `json:"file" jsonschema:"of that memory; a place in a collection has #/… behind it"`

	Says              rules.Saying `json:"says,omitempty" jsonschema:"merged: same; less (id says all of it and more, nothing was written); more (id said part of it, or said it in other words: its text is the new one now)"`
	Reworded          bool         `json:"reworded,omitempty" jsonschema:"merged, more: what id said in other words is a variant of it now"`
	Supersedes        []string     `json:"supersedes,omitempty" jsonschema:"memories that it replaces: they point to it now"`
	With              string       `json:"with,omitempty" jsonschema:"flagged: the memory that it is like, or corrects"`
	PairID            string       `json:"pair_id,omitempty" jsonschema:"flagged: for 'memory review'"`
	PairIDs           []string     `json:"pair_ids,omitempty" jsonschema:"flagged: all of them, if there are several"`
	Reason            string       `json:"reason,omitempty" jsonschema:"flagged: supersede, similar, distinct_facts, or what forbids a merge"`
	Detail            string       `json:"detail,omitempty" jsonschema:"the same as a sentence"`
	Differences       []string     `json:"differences,omitempty"`
	TagOverlap        *float64     `json:"tag_overlap,omitempty"`
	ContentSimilarity *float64     `json:"content_similarity,omitempty"`

	Redacted []secrets.Finding `json:"redacted,omitempty"`
	RunID    string            `json:"run_id,omitempty" jsonschema:"for 'memory undo'; '' where nothing was written"`
	Notes    []string          `json:"notes,omitempty" jsonschema:"what should be known besides"`
}

// ImportItem is what becomes of one record of a foreign store.
type ImportItem struct {
	Place    string            `json:"place"`
	Status   string            `json:"status"`
	ID       string            `json:"id,omitempty"`
	Says     rules.Saying      `json:"says,omitempty" jsonschema:"equal, merged: see saved"`
	With     string            `json:"with,omitempty" jsonschema:"equal, merged: the memory that says so; imported: the one that it is flagged with"`
	PairID   string            `json:"pair_id,omitempty" jsonschema:"imported, but flagged: for 'memory review'"`
	Reason   string            `json:"reason,omitempty"`
	Redacted []secrets.Finding `json:"redacted,omitempty"`
	Gained   []string          `json:"gained,omitempty" jsonschema:"equal, merged: the members that the memory has now, or has others of"`
}

// FirstRun is what the next run would do to memories that have just come in, and what no run changes.
type FirstRun struct {
	Would     oplog.Stats    `json:"would"`
	Expired   int            `json:"expired" jsonschema:"of those that it would archive: their ttl has passed"`
	Unchanged map[string]int `json:"unchanged" jsonschema:"memories by the reason for which no rule changes them"`
}
