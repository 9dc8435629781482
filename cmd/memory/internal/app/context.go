package app

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/cmd/memory/internal/worktree"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Asker is who is given a context block, and what for.
type Asker struct {
	Agent   string // "" where nobody says: then memories of agents count only where all are one agent's
	Project string // a name or a path
	Session string
	Query   string // "": nothing is asked
}

// MakeBlock writes a context block for somebody. The request says how it is to be; what
// concerns the workspace and the question is filled in here, and returned. Memories that skip
// names, which the reader has already, are not given, but named if they fit the question; nil skips none.
// The index is opened only if there is a question; its error is that of
// MakeBlock.
func MakeBlock(snap *memory.Snapshot, open OpenIndex, settings config.Settings, who Asker, request briefing.Request, skip func(*memory.Memory) bool) (briefing.Block, briefing.Request, error) {
	request.At, request.Project, request.Agent = snap.At, who.Project, who.Agent
	request.Zone = settings.Triggers.Days()
	request.MaxPerGroup, request.MinRelevance = settings.Context.MaxPerGroup, settings.Context.MinRelevance
	sees := visible(snap, settings, who)
	least, err := retention.ParseTier(settings.Context.MinTier)
	if err != nil {
		return briefing.Block{}, request, fmt.Errorf("context.min_tier: %w", err)
	}
	if request.OnlyRelevant && least < retention.Archived {
		least++ // a prompt that names a memory asks for it
	}
	had := func(m *memory.Memory) bool { return skip != nil && skip(m) }
	matters := func(m *memory.Memory, score retention.Score) bool { return score.Tier <= least && sees(m) }
	request.Status = briefing.Status{LastRun: snap.LastRun, Total: len(snap.Memories()), Tiers: map[retention.Tier]int{}}
	var all []briefing.Candidate
	n, before := 0, 0 // how many may be given, and how many were
	for _, m := range snap.Memories() {
		score := retention.Of(m, snap.At, settings)
		request.Status.Tiers[score.Tier]++
		if !matters(m, score) {
			continue
		}
		copies := memory.Copies(m, snap.Live, func(other *memory.Memory) bool {
			score := retention.Of(other, snap.At, settings)
			return matters(other, score) && briefing.Eligible(other, score, least)
		})
		if slices.ContainsFunc(copies, had) {
			before++
			continue
		}
		if n++; briefing.Eligible(m, score, least) && copies[0] == m { // the copy in the widest scope stands for the others
			candidate := briefing.NewCandidate(m, score)
			for _, other := range copies[1:] {
				candidate.Copies = append(candidate.Copies, other.ID)
			}
			all = append(all, candidate)
		}
	}
	var again []string
	if request.Asked = strings.TrimSpace(who.Query) != ""; request.Asked && n+before > 0 {
		index, err := open(snap)
		if err != nil {
			return briefing.Block{}, request, err
		}
		at, err := InZone(snap.At, settings)
		if err != nil {
			return briefing.Block{}, request, err
		}
		may := func(m *memory.Memory) bool { return !m.Archived && matters(m, retention.Of(m, snap.At, settings)) }
		found, err := relevanceOf(n, func(m *memory.Memory) bool { return may(m) && !had(m) }, index, at, who.Query)
		if err != nil {
			return briefing.Block{}, request, err
		}
		for i := range all {
			all[i].Relevance = found[all[i].Memory]
			for _, id := range all[i].Copies {
				all[i].Relevance = max(all[i].Relevance, found[snap.Live(id)])
			}
		}
		if before > 0 {
			if found, err = relevanceOf(n+before, may, index, at, who.Query); err != nil {
				return briefing.Block{}, request, err
			}
			for m, relevance := range found {
				if had(m) && relevance >= request.MinRelevance {
					again = append(again, m.ID)
				}
			}
		}
	}
	if !request.OnlyRelevant && request.Tokens == settings.Context.TokenBudget {
		request.Tokens = settings.Context.StartBudget(len(all))
	}
	all = withSummaries(all, settings.Context, request.OnlyRelevant)
	withEdges(all, snap, settings.Context.Edges)
	if request.Outdated != nil {
		for i := range all {
			all[i].Outdated = request.Outdated(all[i].Memory)
		}
	}
	block := briefing.Pick(all, request)
	block.Again = again
	return block, request, nil
}

// projectOf is the project of a workspace that a name or directory is of; known is false where no memory is of one. A directory is of
// the project that it, or the nearest directory above it in its repository, has the name of.
func projectOf(snap *memory.Snapshot, told string) (project string, known bool) {
	names := []string{path.Base(filepath.ToSlash(told))}
	if filepath.IsAbs(told) {
		names = worktree.Names(told)
	}
	for _, project := range names {
		if slices.ContainsFunc(snap.Memories(), func(m *memory.Memory) bool {
			return m.Scope.Kind == "project" && text.SameName(m.Scope.ID, project)
		}) {
			return project, true
		}
	}
	return names[0], false
}

// visible tells which memories somebody may see. Those of agents are for them alone.
func visible(snap *memory.Snapshot, settings config.Settings, who Asker) func(*memory.Memory) bool {
	team := teamOf(snap, settings, who.Agent)
	var agents []string // that have memories of their own
	for _, m := range snap.Memories() {
		if m.Scope.Kind == "agent" && len(agents) < 2 && !slices.ContainsFunc(agents, func(a string) bool { return text.SameName(a, m.Scope.ID) }) {
			agents = append(agents, m.Scope.ID)
		}
	}
	project, known := projectOf(snap, who.Project)
	return func(m *memory.Memory) bool {
		switch m.Scope.Kind {
		case "session":
			return who.Session != "" && text.SameName(m.Scope.ID, who.Session)
		case "agent":
			return who.Agent == "" && len(agents) < 2 || text.SameName(m.Scope.ID, who.Agent)
		case "team":
			return team == "" || text.SameName(m.Scope.ID, team)
		case "project":
			return !known || text.SameName(m.Scope.ID, project)
		}
		return true
	}
}

// teamOf is the team of an agent, "" when it isn't known.
func teamOf(snap *memory.Snapshot, settings config.Settings, agent string) string {
	if agent == "" {
		return ""
	}
	team, ok := settings.Team(agent)
	if !ok {
		team = snap.Teams[text.FoldName(agent)]
	}
	if team == "" {
		team, _ = config.PrefixTeam(agent)
	}
	return team
}

// Receipts of blocks are lines of a file below ops/.
const (
	ReceiptsFile = memory.OpsDir + "/" + receiptsFile

	receiptsFile = "receipts.jsonl"
	maxReceipts  = 1 << 20 // bytes of it, and of the older one beside it
)

// KeepReceipt adds a receipt to those of a workspace.
func KeepReceipt(store *workspace.FileStore, r briefing.Receipt) error {
	line, err := r.Line()
	if err != nil {
		return err
	}
	return store.Ops().Jot(receiptsFile, line, maxReceipts)
}

// Receipts reads the receipts of a workspace, the oldest first.
func Receipts(store *workspace.FileStore) ([]briefing.Receipt, error) {
	var all []briefing.Receipt
	for _, name := range []string{receiptsFile + ".old", receiptsFile} {
		text, err := readOptional(store, memory.OpsDir+"/"+name)
		if err != nil {
			return nil, err
		}
		all = append(all, briefing.ParseReceipts(text)...)
	}
	return all, nil
}
