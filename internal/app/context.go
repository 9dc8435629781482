package app

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/worktree"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/graph"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/tokens"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
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
		if snap.Outdated(m) {
			continue // its cluster says something else by now
		}
		if n++; briefing.Eligible(m, score, least) && copies[0] == m { // the copy in the widest scope stands for the others
			candidate := briefing.NewCandidate(m, score)
			for _, id := range rules.Newer(snap, m) {
				if newer := snap.Live(id); newer != nil {
					candidate.Newer = append(candidate.Newer, recall.Newer{ID: id, Written: newer.Newest().In(request.Zone)}.String())
				}
			}
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
		request.Touches = topicOf(who.Query).touches
		may := func(m *memory.Memory) bool { return !m.Archived && matters(m, retention.Of(m, snap.At, settings)) }
		found, seems, err := relevanceOf(n, func(m *memory.Memory) bool { return may(m) && !had(m) }, index, at, who.Query)
		if err != nil {
			return briefing.Block{}, request, err
		}
		for i := range all {
			if newer := seems[all[i].Memory]; len(all[i].Newer) == 0 && len(newer) > 0 {
				all[i].Newer = newer
			}
		}
		for i := range all {
			all[i].Relevance = found[all[i].Memory]
			for _, id := range all[i].Copies {
				all[i].Relevance = max(all[i].Relevance, found[snap.Live(id)])
			}
		}
		if before > 0 {
			if found, _, err = relevanceOf(n+before, may, index, at, who.Query); err != nil {
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
		factor := settings.Context.StartFactor(len(all))
		request.Tokens = int(float64(request.Tokens) * factor)
		if request.Grows {
			request.Chars = int(float64(request.Chars) * factor)
		}
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
			return m.Scope.Kind == "project" && sameScope(m.Scope.ID, project)
		}) {
			return project, true
		}
	}
	return names[0], false
}

// Elsewhere tells which memories are of another project than the one that a name or directory is of. Nil: none is, or nobody knows where the work is
// done, as outside of any repository.
func Elsewhere(snap *memory.Snapshot, place string) func(*memory.Memory) bool {
	project, known := projectOf(snap, place)
	if place == "" || snap.Folder != nil || !known && !worktree.Inside(place) {
		return nil
	}
	return func(m *memory.Memory) bool {
		return m.Scope.Kind == "project" && !(known && sameScope(m.Scope.ID, project))
	}
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
		if snap.Folder != nil {
			return true // all of its notes are of one project
		}
		switch m.Scope.Kind {
		case "session":
			return who.Session != "" && text.SameName(m.Scope.ID, who.Session)
		case "agent":
			return who.Agent == "" && len(agents) < 2 || text.SameName(m.Scope.ID, who.Agent)
		case "team":
			return team == "" || text.SameName(m.Scope.ID, team)
		case "project": // never another one's, whether this one is known or not
			return known && sameScope(m.Scope.ID, project)
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

// BlockSession is a session of a host that is given memories unasked.
type BlockSession struct {
	ID, Host, Project string
	Scope             string      // the session whose memories it sees, if that isn't called as its ID
	Words             OpenIndex   // nil: the index of the workspace's cache
	Agent             string      // "" where nobody says who works in it
	Starts            bool        // it has nothing of ours yet
	Resumes           bool        // it starts once more, with its context as it was
	Prompt            string      // "" at the start of a session
	Late              func() bool // whether the caller has stopped waiting
}

// maxNewTexts is how many texts that are new to the index of words are read while a host
// waits.
const maxNewTexts = 2000

// GiveBlock writes the context block of a session, "" for none, and a receipt of it: at the
// start of the session what matters most, when it goes on what is new or has changed since, beside a prompt what is relevant
// to it. A memory that is in the session's context as it is now is not given again. What is relevant to a
// prompt counts as read in its session, whether it is given now or was before; what a start is given
// counts as given. If the receipt can't be written, the block is returned with the error. If the index of
// words has to be made first, the error is
// [recall.ErrTooMuch] and nothing is given.
func GiveBlock(store *workspace.FileStore, settings config.Settings, at time.Time, to BlockSession) (string, error) {
	if !settings.Context.Inject || !to.Starts && to.Prompt != "" && !topicOf(to.Prompt).asks() {
		return "", nil // not wanted, or a prompt such as "ok" or "run the tests"
	}
	snap, err := store.Load(at.UTC().Truncate(time.Second))
	if err != nil {
		return "", err
	}
	request := briefing.Request{Format: briefing.XML, Tokens: settings.Context.TokenBudget, Chars: settings.Context.MaxChars}
	event := briefing.AtStart
	request.OnlyOrder = to.Starts
	skip := func(*memory.Memory) bool { return false }
	if !to.Starts {
		receipts, err := Receipts(store)
		if err != nil {
			return "", err
		}
		given, last := briefing.GivenTo(to.ID, receipts)
		switch {
		case !to.Resumes:
			event, request.Tokens, request.OnlyRelevant = briefing.AtPrompt, settings.Context.PromptTokens, true
			skip = func(m *memory.Memory) bool {
				at, ok := given[m.ID]
				return ok && !m.UpdatedAt.After(at)
			}
		case !last.IsZero(): // else it has nothing yet: it was begun without us
			event = briefing.AtResume
			skip = func(m *memory.Memory) bool { return !m.UpdatedAt.After(last) && !m.CreatedAt.After(last) }
		}
	}
	if f := snap.Folder; f != nil && f.Loader == to.Host {
		if f.Picks && event == briefing.AtPrompt {
			return "", nil
		}
		if event != briefing.AtPrompt {
			skip = beyondIndex(snap, &request, settings, event == briefing.AtStart, skip)
		}
	}
	words := to.Words
	if words == nil {
		words = func(snap *memory.Snapshot) (*recall.Searcher, error) {
			return recall.Open(store.Cache(), snap, maxNewTexts)
		}
	}
	request.Outdated = ReadMarks(store).Of
	block, request, err := MakeBlock(snap, words, settings, Asker{Agent: to.Agent, Project: to.Project, Session: cmp.Or(to.Scope, to.ID), Query: to.Prompt}, request, skip)
	if err != nil || to.Late() {
		return "", err
	}
	note, used, use := store.Ops().NoteGiven, block.IDs(), ops.Use{At: snap.At, Session: to.ID, From: event}
	if event == briefing.AtPrompt {
		note, used = store.Ops().NoteRead, append(used, block.Again...)
	}
	noted := note(use, used...)
	if block.Text == "" {
		return "", noted
	}
	receipt := briefing.ReceiptOf(block, request, event)
	receipt.Session, receipt.Host = to.ID, to.Host
	return block.Text, errors.Join(noted, KeepReceipt(store, receipt))
}

// What a session is given whose host gives it the index of the folder: so many lines, about notes that were written or read so lately.
const (
	beyondLines = 5
	beyondDays  = 30
)

// beyondIndex limits what a session is given to what the host's index doesn't show it: notes in use beyond the part that the host loads
// and, where notices are wanted, how many questions wait for the person.
func beyondIndex(snap *memory.Snapshot, request *briefing.Request, settings config.Settings, notices bool, skip func(*memory.Memory) bool) func(*memory.Memory) bool {
	request.Most, request.Tokens = beyondLines, settings.Context.PromptTokens
	if n := len(snap.Review.Pairs); notices && n > 0 {
		request.Most--
		request.Notice = Quantity(n, "pair") + " of notes for the person to decide about: memory review"
	}
	since := snap.At.AddDate(0, 0, -beyondDays)
	return func(m *memory.Memory) bool {
		return skip(m) || snap.Folder.Loaded[m.ID] || m.Newest().Before(since) && m.LastAccessed.Before(since)
	}
}

// withSummaries gives the summaries of clusters instead of their members, but for pinned ones, as far as the settings have room for them; the other
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
	covered := map[string]bool{}
	left := c.SummaryTokens
	for n, x := range summaries {
		size := tokens.Estimate(x.Memory.Text())
		if n >= c.Summaries || size > left {
			break
		}
		left -= size
		for _, id := range memory.ClusterOf(x.Memory).IDs() {
			covered[id] = true
		}
		rest = append(rest, x)
	}
	return slices.DeleteFunc(rest, func(x briefing.Candidate) bool { return covered[x.Memory.ID] && !x.Memory.Pinned() })
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
