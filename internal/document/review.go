package document

import (
	"cmp"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
)

// Review lists pairs that wait for a decision, or says what was decided.
type Review struct {
	Pairs   []Pair   `json:"pairs,omitzero"`
	Decided []string `json:"decided,omitempty" jsonschema:"ids of pairs"`
	Settled []string `json:"settled,omitempty" jsonschema:"pairs that no longer wait, since another decision has changed a memory in them"`
	RunIDs  []string `json:"run_ids,omitempty" jsonschema:"of the decisions, for undo"`
	Notes   []string `json:"notes,omitempty"`
	Page             // pairs that wait, or those of the group
}

// Pair is two memories that a person has to decide about.
type Pair struct {
	ID                string        `json:"id"`
	Group             string        `json:"group,omitempty" jsonschema:"of pairs that differ in the same way"`
	Alike             int           `json:"alike,omitempty" jsonschema:"pairs in the group"`
	MemoryIDs         [2]string     `json:"memory_ids" jsonschema:"the older first"`
	Reason            string        `json:"reason" jsonschema:"distinct_facts, both_edited, supersede, similar or another"`
	Differences       []string      `json:"differences"`
	TagOverlap        *float64      `json:"tag_overlap,omitempty" jsonschema:"0 to 1; absent where nobody compared the two"`
	ContentSimilarity *float64      `json:"content_similarity,omitempty" jsonschema:"likewise"`
	RunID             string        `json:"run_id,omitempty" jsonschema:"that flagged it"`
	FlaggedAt         string        `json:"flagged_at,omitempty" jsonschema:"absent where nothing says since when it waits"`
	Model             *oplog.Action `json:"model,omitempty" jsonschema:"what a model said about it"`
	Older             *Memory       `json:"older,omitempty" jsonschema:"with its text, where the texts were requested"`
	Newer             *Memory       `json:"newer,omitempty"`
}

// NewPair describes a pair.
func NewPair(snap *memory.Snapshot, p review.Pair) Pair {
	doc := Pair{ID: p.ID(), MemoryIDs: [2]string{p.A, p.B}, Reason: p.Reason, Differences: append([]string{}, p.Differences...), RunID: p.RunID, FlaggedAt: stamp(snap.WaitsSince(p))}
	if p.Compared() {
		doc.TagOverlap, doc.ContentSimilarity = &p.TagOverlap, &p.ContentSimilarity
	}
	return doc
}

// AddTexts adds the two memories: so many characters of each text, all of them with 0.
func (d *Pair) AddTexts(snap *memory.Snapshot, p review.Pair, settings config.Settings, most int) {
	older, newer := snap.Sides(p)
	for _, side := range []struct {
		doc **Memory
		m   *memory.Memory
	}{{&d.Older, older}, {&d.Newer, newer}} {
		doc, text := NewMemory(side.m, snap.At, settings), side.m.Text()
		doc.Fill(side.m, text, 0, cmp.Or(most, len(text)))
		*side.doc = &doc
	}
}
