package app

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/graph"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/tokens"
)

// withSummaries lets the summaries of clusters stand instead of their warm and colder members, as far as the settings have room for them; the other
// summaries go. Beside a prompt all of them go: what is relevant there is a memory, not what is said of several.
func withSummaries(all []briefing.Candidate, c config.Context, besidePrompt bool) []briefing.Candidate {
	var summaries []briefing.Candidate
	rest := slices.DeleteFunc(slices.Clone(all), func(x briefing.Candidate) bool {
		if !memory.IsClusterSummary(x.Memory) {
			return false
		}
		if !besidePrompt && worthGiving(x.Memory, c) {
			summaries = append(summaries, x)
		}
		return true
	})
	slices.SortFunc(summaries, func(a, b briefing.Candidate) int {
		return cmp.Or(cmp.Compare(weight(b, c), weight(a, c)), strings.Compare(a.Memory.ID, b.Memory.ID))
	})
	told := map[string]bool{}
	left := c.SummaryTokens
	for n, x := range summaries {
		size := tokens.Estimate(x.Memory.Text())
		if n >= c.Summaries || size > left {
			break
		}
		left -= size
		for _, id := range memory.ClusterOf(x.Memory).IDs() {
			told[id] = true
		}
		rest = append(rest, x)
	}
	return slices.DeleteFunc(rest, func(x briefing.Candidate) bool { return told[x.Memory.ID] && x.Tier != retention.Hot })
}

// worthGiving reports whether a summary is sure enough, and of a cluster that is close enough.
func worthGiving(m *memory.Memory, c config.Context) bool {
	return memory.ClusterOf(m).Coherence >= c.MinCoherence && (m.Confidence == nil || *m.Confidence >= c.MinConfidence)
}

// weight is by what summaries are ordered, the greatest first. Where nothing is asked no summary is more relevant than another.
func weight(x briefing.Candidate, c config.Context) float64 {
	switch c.Prioritize {
	case "recency":
		return float64(x.Memory.Newest().Unix())
	case "activation":
		return float64(x.Memory.AccessCount)
	}
	return x.Relevance
}

// withEdges puts beside each candidate the edges that people and models have stated.
func withEdges(all []briefing.Candidate, snap *memory.Snapshot, most int) {
	if most == 0 || snap.Edges == nil || len(snap.Edges()) == 0 {
		return
	}
	given := make(map[string]bool, len(all))
	for _, x := range all {
		given[x.Memory.ID] = true
	}
	kept := graph.Kept(snap)
	for i := range all {
		id := all[i].Memory.ID
		for _, e := range kept.Best(id, most, func(other string) bool { return given[other] }) {
			all[i].Edges = append(all[i].Edges, edgeText(e.Name, id))
		}
	}
}

// edgeText says an edge of a memory in a few words: "depends on mem_b", or "mem_b depends on this".
func edgeText(n edgefile.Name, id string) string {
	words := strings.ToLower(strings.ReplaceAll(n.Type, "_", " "))
	if n.From == id {
		return words + " " + n.To
	}
	return n.From + " " + words + " this"
}
