package document

import (
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// Saved says what became of a memory.
type Saved struct {
	Status string `json:"status"`    // saved, merged, flagged
	ID     string `json:"id"`        // where it is to be found from now on
	File   string `json:"file_path"` // of that memory; a place in a collection has #/… behind it

	// merged: "same", it says the same; "less", the other says all of it and more, nothing was written; "more", it says all that the
	// other did and more, and the other one has its text now.
	Says              rules.Saying `json:"says,omitempty"`
	With              string       `json:"with,omitempty"`     // flagged: the memory that it is like, or corrects
	PairID            string       `json:"pair_id,omitempty"`  // flagged: for "memory review"
	PairIDs           []string     `json:"pair_ids,omitempty"` // flagged: all of them, if there are several
	Reason            string       `json:"reason,omitempty"`   // flagged: supersede, similar, distinct_facts, or what forbids a merge
	Detail            string       `json:"detail,omitempty"`   // the same as a sentence
	Differences       []string     `json:"differences,omitempty"`
	TagOverlap        *float64     `json:"tag_overlap,omitempty"`
	ContentSimilarity *float64     `json:"content_similarity,omitempty"`

	Redacted []secrets.Finding `json:"redacted,omitempty"`
	RunID    string            `json:"run_id,omitempty"` // for "memory undo"; "" where nothing was written
	Warnings []string          `json:"-"`
}

// ImportItem is what becomes of one record of a foreign store.
type ImportItem struct {
	Place    string            `json:"place"`
	Status   string            `json:"status"`
	ID       string            `json:"id,omitempty"`
	Says     rules.Saying      `json:"says,omitempty"`    // equal, merged: see [Saved]
	With     string            `json:"with,omitempty"`    // equal, merged: the memory that says so; imported: the one that it is flagged with
	PairID   string            `json:"pair_id,omitempty"` // imported, but flagged: for "memory review"
	Reason   string            `json:"reason,omitempty"`
	Redacted []secrets.Finding `json:"redacted,omitempty"`
	Gained   []string          `json:"gained,omitempty"` // equal, merged: the members that the memory has now, or has others of
}

// FirstRun is what the next run would do to memories that have just come in, and what no run changes.
type FirstRun struct {
	Would     oplog.Stats    `json:"would"`
	Expired   int            `json:"expired"`   // of those that it would archive: their ttl has passed
	Unchanged map[string]int `json:"unchanged"` // memories by the reason for which no rule changes them
}
