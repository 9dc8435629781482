package briefing

import (
	"encoding/json"
	"strings"

	"github.com/memoryd/memoryd/pkg/retention"
)

type memoryDoc struct {
	ID        string  `json:"id"`
	Scope     string  `json:"scope"`
	Type      string  `json:"type"`
	Tier      string  `json:"tier"`
	Score     float64 `json:"score"`
	Created   string  `json:"created,omitempty"`
	Updated   string  `json:"updated,omitempty"`
	Members   int     `json:"members,omitempty"`
	Shortened bool    `json:"shortened,omitempty"`
	Summary   string  `json:"summary,omitempty"`
	Content   string  `json:"content"`

	Copies []string `json:"copies,omitempty"`
	Edges  string   `json:"edges,omitempty"`

	Outdated string `json:"outdated,omitempty"`
}

func jsonEntry(e entry) memoryDoc {
	doc := memoryDoc{
		ID: cleanLine(e.id, 200), Scope: e.scope, Type: e.typ, Tier: e.tier.String(), Score: float64(int(e.score*100+0.5)) / 100,
		Created: e.created, Updated: e.updated, Copies: strings.Fields(e.copies), Edges: e.edges, Outdated: e.outdated, Shortened: e.cut, Summary: e.summary, Content: e.text,
	}
	if e.members > 1 {
		doc.Members = e.members
	}
	return doc
}

// writeJSON writes everything that is known of a block: its readers are programs.
func writeJSON(r Request, entries []entry) string {
	type status struct {
		LastConsolidation string         `json:"last_consolidation,omitempty"`
		Total             int            `json:"total_memories"`
		Tiers             map[string]int `json:"tiers"`
	}
	doc := struct {
		Version     string      `json:"version"`
		GeneratedAt string      `json:"generated_at"`
		Note        string      `json:"note"`
		Project     string      `json:"project,omitempty"`
		Agent       string      `json:"agent,omitempty"`
		Budget      int         `json:"token_budget"`
		Memories    []memoryDoc `json:"memories"`
		Status      status      `json:"status"`
	}{
		version(entries), stamp(r.At), note, cleanLine(r.Project, 300), cleanLine(r.Agent, 100), r.Tokens,
		[]memoryDoc{}, status{r.Status.lastRun(), r.Status.Total, map[string]int{}},
	}
	for _, t := range retention.Tiers() {
		doc.Status.Tiers[t.String()] = r.Status.Tiers[t]
	}
	for _, e := range entries {
		doc.Memories = append(doc.Memories, jsonEntry(e))
	}
	text, _ := json.Marshal(doc) // strings and numbers always marshal
	return string(text) + "\n"
}
