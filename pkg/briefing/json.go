package briefing

import (
	"encoding/json"
	"strings"

	"github.com/memoryd/memoryd/pkg/retention"
)

type memoryDoc struct {
	ID        string  `json:"id"`
	Tier      string  `json:"tier"`
	Score     float64 `json:"score"`
	Created   string  `json:"created,omitempty"`
	Updated   string  `json:"updated,omitempty"`
	Members   int     `json:"members,omitempty"`
	Shortened bool    `json:"shortened,omitempty"`
	Summary   string  `json:"summary,omitempty"`
	Content   string  `json:"content"`

	Copies []string `json:"copies,omitempty"`
}

type groupDoc struct {
	Type     string      `json:"type"`
	Memories []memoryDoc `json:"memories"`
}

func jsonEntry(e entry) memoryDoc {
	doc := memoryDoc{
		ID: cleanLine(e.id, 200), Tier: e.tier.String(), Score: float64(int(e.score*100+0.5)) / 100,
		Created: e.created, Updated: e.updated, Copies: strings.Fields(e.copies), Shortened: e.cut, Summary: e.summary, Content: e.text,
	}
	if e.members > 1 {
		doc.Members = e.members
	}
	return doc
}

func writeJSON(r Request, entries []entry, used int) string {
	type budget struct {
		Used      int `json:"used"`
		Available int `json:"available"`
	}
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
		Budget      budget      `json:"token_budget"`
		Memories    []groupDoc  `json:"memories"`
		Summaries   []memoryDoc `json:"summaries"`
		Status      status      `json:"status"`
	}{
		version(entries), stamp(r.At), note, cleanLine(r.Project, 300), cleanLine(r.Agent, 100), budget{used, r.Tokens},
		[]groupDoc{}, []memoryDoc{}, status{r.Status.lastRun(), r.Status.Total, map[string]int{}},
	}
	for _, t := range retention.Tiers() {
		doc.Status.Tiers[t.String()] = r.Status.tier(t)
	}
	memories, sums := split(entries)
	for _, group := range groups(memories) {
		g := groupDoc{Type: group[0].group}
		for _, e := range group {
			g.Memories = append(g.Memories, jsonEntry(e))
		}
		doc.Memories = append(doc.Memories, g)
	}
	for _, e := range sums {
		doc.Summaries = append(doc.Summaries, jsonEntry(e))
	}
	text, _ := json.Marshal(doc) // strings and numbers always marshal
	return string(text) + "\n"
}
