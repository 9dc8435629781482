package document

import (
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

// Explanation says what the rules make of a memory, or how it came into the archive.
type Explanation struct {
	ID         string            `json:"id"`
	File       string            `json:"file"`
	JSONPath   string            `json:"json_path,omitempty"`
	Exclusions []rules.Condition `json:"exclusions,omitzero" jsonschema:"what keeps all rules from changing it; met: it does not apply"`
	Rules      []rules.Verdict   `json:"rules,omitzero"`
	Similar    []rules.Neighbour `json:"similar,omitzero" jsonschema:"the memories most like it"`
	Archived   *Archived         `json:"archived,omitempty" jsonschema:"of a memory in the archive"`
}

// Archived says where an archived memory came from, and why. All of it is absent where nothing tells.
type Archived struct {
	From   string `json:"from,omitempty" jsonschema:"where it had stood: a file, or file#pointer"`
	At     string `json:"at,omitempty"`
	Reason string `json:"reason,omitempty"`
	RunID  string `json:"run_id,omitempty"`
}

// NewExplanation describes what the rules make of a memory.
func NewExplanation(m *memory.Memory, x rules.Explanation) Explanation {
	return Explanation{ID: m.ID, File: m.File, JSONPath: m.Pointer(), Exclusions: x.Exclusions, Rules: x.Verdicts, Similar: x.Neighbours}
}

// NewArchived describes how a memory came into the archive.
func NewArchived(snap *memory.Snapshot, m *memory.Memory) Explanation {
	doc := Explanation{ID: m.ID, File: m.File, JSONPath: m.Pointer(), Archived: &Archived{}}
	if o, ok := memory.OriginOf(m, snap.Indexes); ok {
		doc.Archived = &Archived{o.Ref.String(), stamp(o.ArchivedAt), o.Reason, o.RunID}
	}
	return doc
}
