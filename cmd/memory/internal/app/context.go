package app

import (
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Asker is who is given a block, and what for.
type Asker struct {
	Agent   string // "" when nobody says
	Project string // a name or a path
	Session string
	Query   string // "": nothing is asked
}

// MakeBlock writes a block for somebody. request says how it is to be; what concerns the
// workspace and the question is filled in here. without lists ids that are not wanted.
// words is asked for when there is a question only; its error is that of Make.
func MakeBlock(snap *workspace.Snapshot, words OpenIndex, settings config.Settings, who Asker, request briefing.Request, without map[string]bool) (briefing.Block, briefing.Request, error) {
	request.At, request.Project, request.Agent = snap.At, who.Project, who.Agent
	request.MaxPerGroup, request.MinRelevance = settings.Context.MaxPerGroup, settings.Context.MinRelevance
	sees := sight(snap, settings, who)
	may := func(m *workspace.Memory, score retention.Score) bool {
		return score.Tier <= retention.Warm && sees(m) && !without[m.ID]
	}
	request.Asked = strings.TrimSpace(who.Query) != ""
	few := request.Asked && request.OnlyRelevant // of all candidates only those count that are found
	tiers, all, n := candidates(snap, settings, may, !few)
	request.Status = briefing.Status{LastRun: snap.LastRun, Total: snap.Len(), Tiers: tiers}
	if request.Asked && n > 0 {
		index, failed := words(snap)
		if failed != nil {
			return briefing.Block{}, request, failed
		}
		seen := func(m *workspace.Memory) bool { return !m.Archived && may(m, retention.Of(m, snap.At, settings)) }
		found, failed := relevanceOf(n, seen, index, snap.At, who.Query)
		if failed != nil {
			return briefing.Block{}, request, failed
		}
		for i := range all {
			all[i].Relevance = found[snap.Made(all[i].Place)]
		}
		if few {
			for place := range snap.Len() {
				m := snap.Made(place)
				if relevance, ok := found[m]; ok {
					if score := retention.Of(m, snap.At, settings); briefing.Eligible(m, score) {
						all = append(all, candidate(m, place, score, relevance))
					}
				}
			}
		}
	}
	return briefing.Pick(snap, all, request), request, nil
}

func candidate(m *workspace.Memory, place int, score retention.Score, relevance float64) briefing.Candidate {
	return briefing.Candidate{Place: place, Group: briefing.GroupOf(m), Tier: score.Tier, Score: score.Score, Relevance: relevance}
}

// candidates counts the live memories of each tier, and those that may be given, which it
// lists if that is wanted. It uses all cores.
func candidates(snap *workspace.Snapshot, settings config.Settings, may func(*workspace.Memory, retention.Score) bool, list bool) (tiers map[retention.Tier]int, all []briefing.Candidate, n int) {
	const batch = 4096
	type part struct {
		tiers [retention.Archived + 1]int
		all   []briefing.Candidate
		n     int
	}
	parts := make([]part, (snap.Len()+batch-1)/batch)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(parts)) {
		group.Go(func() {
			var room workspace.Room
			for i := int(next.Add(1)) - 1; i < len(parts); i = int(next.Add(1)) - 1 {
				var p part
				for at := i * batch; at < min((i+1)*batch, snap.Len()); at++ {
					m := snap.Glance(at, &room)
					score := retention.Of(m, snap.At, settings)
					p.tiers[score.Tier]++
					if !may(m, score) {
						continue
					}
					if p.n++; list && briefing.Eligible(m, score) {
						p.all = append(p.all, candidate(m, at, score, 0))
					}
				}
				parts[i] = p
			}
		})
	}
	group.Wait()
	tiers = map[retention.Tier]int{}
	for _, p := range parts {
		n += p.n
	}
	if list {
		all = make([]briefing.Candidate, 0, n)
	}
	for _, p := range parts {
		for tier, count := range p.tiers {
			tiers[retention.Tier(tier)] += count
		}
		all = append(all, p.all...)
	}
	return tiers, all, n
}

// sight tells which memories somebody may see.
func sight(snap *workspace.Snapshot, settings config.Settings, who Asker) func(*workspace.Memory) bool {
	team := teamOf(snap, settings, who.Agent)
	project := path.Base(filepath.ToSlash(who.Project))
	known := false
	var room workspace.Room
	for i := range snap.Len() {
		m := snap.Glance(i, &room)
		known = known || m.Scope.Kind == "project" && strings.EqualFold(m.Scope.ID, project)
	}
	return func(m *workspace.Memory) bool {
		switch m.Scope.Kind {
		case "session":
			return who.Session != "" && m.Scope.ID == who.Session
		case "agent":
			return who.Agent == "" || strings.EqualFold(m.Scope.ID, who.Agent)
		case "team":
			return team == "" || strings.EqualFold(m.Scope.ID, team)
		case "project":
			return !known || strings.EqualFold(m.Scope.ID, project)
		}
		return true
	}
}

// teamOf is the team of an agent, "" when it isn't known.
func teamOf(snap *workspace.Snapshot, settings config.Settings, agent string) string {
	if agent == "" {
		return ""
	}
	team, ok := settings.Team(agent)
	if !ok {
		team = snap.Teams[strings.ToLower(agent)]
	}
	if team == "" {
		team, _ = config.PrefixTeam(agent)
	}
	return team
}

// Receipts of blocks are lines of a file below ops/.
const (
	receiptsFile = "receipts.jsonl"
	maxReceipts  = 1 << 20 // bytes of it, and of the older one beside it
)

// KeepReceipt adds a receipt to those of a workspace.
func KeepReceipt(store *workspace.FileStore, r briefing.Receipt) error {
	line, err := r.Line()
	if err != nil {
		return err
	}
	return store.Jot(receiptsFile, line, maxReceipts)
}

// Receipts reads those that are kept, the oldest first.
func Receipts(store *workspace.FileStore) ([]briefing.Receipt, error) {
	var all []briefing.Receipt
	for _, name := range []string{receiptsFile + ".old", receiptsFile} {
		text, err := readOptional(store, workspace.OpsDir+"/"+name)
		if err != nil {
			return nil, err
		}
		all = append(all, briefing.ParseReceipts(text)...)
	}
	return all, nil
}

// ReadSince reports whether a memory was read after a moment, as far as it tells.
func ReadSince(m *workspace.Memory, at time.Time) bool { return m.LastAccessed.After(at) }
