package enrich

import (
	"fmt"
	"slices"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/graph"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/similarity"
)

// tier reports which memories have changed their tier since the last run.
func (p *planner) tier(e *Event) {
	for _, m := range p.Memories() {
		if !p.covers(m) {
			continue
		}
		e.Seen++
		if p.LastRun.IsZero() || m.Newest().After(p.LastRun) {
			continue
		}
		was, is := retention.Of(m, p.LastRun, p.Settings).Tier, retention.Of(m, p.At, p.Settings).Tier
		if was != is {
			p.out.Transitions = append(p.out.Transitions, Transition{m.ID, was.String(), is.String()})
		}
	}
	e.Made = len(p.out.Transitions)
}

// supersede takes over what the rule "supersede" asks.
func (p *planner) supersede(e *Event) {
	plan := rules.Plan(p.Snapshot, rules.Request{Settings: only(p.Settings), Scope: p.Scope, LogHead: p.LogHead, Memo: p.Memo})
	for _, a := range plan.Actions {
		if a.Rule != rules.RuleSupersede {
			continue
		}
		e.Seen += len(a.Pairs)
		if !slices.ContainsFunc(a.MemoryIDs, func(id string) bool { m := p.Live(id); return m != nil && p.covers(m) }) {
			continue
		}
		e.Made += len(a.Pairs)
		p.out.Plan.Actions = append(p.out.Plan.Actions, a)
	}
	e.Skipped = len(plan.Skipped)
	p.out.Plan.Skipped = append(p.out.Plan.Skipped, plan.Skipped...)
	p.updates()
}

// only are the settings with all rules off but "supersede".
func only(s config.Settings) config.Settings {
	s.Rules.Only(rules.RuleSupersede)
	return s
}

// edge counts the edges, asks about contradictions, and takes those that the chooser states.
func (p *planner) edge(e *Event) {
	g := p.graph()
	for _, found := range g.Edges {
		from, to := p.Live(found.From), p.Live(found.To)
		if from == nil || to == nil || !p.covers(from) && !p.covers(to) {
			continue
		}
		e.Seen++
		p.out.Edges[found.Type]++
		if found.Type == edgefile.Contradicts {
			p.contradiction(e, from, to, found)
		}
	}
	if p.Chooser == nil {
		return
	}
	p.all()
	for _, c := range p.asked {
		for _, s := range c.choice.Edges {
			p.state(e, &c, s)
		}
	}
	p.logAsked()
}

// contradiction asks a person about two memories of which one says that it contradicts the other.
func (p *planner) contradiction(e *Event, from, to *memory.Memory, found graph.Edge) {
	older, newer := from, to
	if to.Newest().Before(from.Newest()) {
		older, newer = to, from
	}
	evidence := found.Quote
	if evidence == "" {
		evidence = found.Name.String()
	}
	p.question(e, older, newer, rules.ReasonDistinct, from.ID+" says that it contradicts "+to.ID, evidence)
}

// question asks a person about two memories, unless they were asked before, or what differs was removed since.
func (p *planner) question(e *Event, older, newer *memory.Memory, reason, detail, evidence string) {
	asked := slices.ContainsFunc(p.out.Plan.Actions, func(a memory.Action) bool {
		return slices.ContainsFunc(a.Pairs, func(q review.Pair) bool { return review.Key(q.A, q.B) == review.Key(older.ID, newer.ID) })
	})
	switch {
	case asked, p.Review.Pending(older, newer), p.Review.DecidedKeepBoth(older, newer), p.MergeUndone(older, newer), p.untouchable(older), p.untouchable(newer):
		e.Skipped++
		return
	}
	tags, content := similarity.Tags(older.Tags, newer.Tags), similarity.Content(similarity.Prepare(older.Text()), similarity.Prepare(newer.Text()))
	p.out.Plan.Actions = append(p.out.Plan.Actions, memory.Action{
		Action: oplog.Action{
			Type: oplog.Review, Rule: memory.RuleEdge, MemoryIDs: []string{older.ID, newer.ID}, Reason: reason,
			Detail: detail, Differences: []string{evidence}, TagOverlap: oplog.Score(tags), ContentSimilarity: oplog.Score(content),
			Digests: map[string]string{older.ID: string(older.Digest()), newer.ID: string(newer.Digest())},
		},
		Pairs: []review.Pair{memory.NewPair(older, newer, reason, []string{evidence}, *oplog.Score(tags), *oplog.Score(content))},
	})
	e.Made++
}

func (p *planner) untouchable(m *memory.Memory) bool {
	reason, _ := rules.Untouchable(m, p.Settings.Exclude)
	return reason != ""
}

// minConfidence is how sure a chooser must be of an edge.
const minConfidence = .7

// state takes an edge that the chooser states between two members of a cluster, with a sentence of one of them. Whether one contradicts
// or supersedes the other, a person is asked too; only what is newer, and of the same type, supersedes.
func (p *planner) state(e *Event, c *Cluster, s edgefile.Edge) {
	at := func(id string) int {
		return slices.IndexFunc(c.Members, func(m *memory.Memory) bool { return m.ID == id })
	}
	f, t := at(s.From), at(s.To)
	if f < 0 || t < 0 || f == t || s.Confidence < minConfidence || s.Confidence > 1 || !slices.Contains(edgefile.Types(), s.Type) ||
		!slices.ContainsFunc(c.read.sentences, func(q Sentence) bool {
			return q.Text == s.Quote && (slices.Contains(q.From, s.From) || slices.Contains(q.From, s.To))
		}) {
		e.Skipped++
		return
	}
	from, to := c.Members[f], c.Members[t]
	if s.Type == edgefile.Supersedes && (from.Type != to.Type || !from.Newest().After(to.Newest())) {
		e.Skipped++
		return
	}
	s.By = c.choice.By
	if !p.link(s, from, to) {
		e.Skipped++
		return
	}
	e.Made++
	switch s.Type {
	case edgefile.Contradicts:
		p.contradiction(e, from, to, graph.Edge{Name: s.Name, Quote: s.Quote})
	case edgefile.Supersedes:
		p.question(e, to, from, rules.ReasonSupersede, "a model takes "+to.ID+" for superseded by "+from.ID, s.Quote)
	}
}

// link plans an edge that a model states. One that stands, or that somebody refused, is passed over.
func (p *planner) link(s edgefile.Edge, from, to *memory.Memory) bool {
	g := p.graph()
	_, stands := g.Find(s.Name)
	if stands || slices.ContainsFunc(g.Rejected, func(r edgefile.Edge) bool { return r.Name == s.Name }) ||
		slices.ContainsFunc(p.out.Plan.Actions, func(a memory.Action) bool {
			return slices.ContainsFunc(a.Edges, func(x edgefile.Change) bool { return x.Name == s.Name })
		}) {
		return false
	}
	s.Rejected, s.Digests = false, graph.Digests(from, to)
	change := edgefile.Change{File: graph.File(from), Name: s.Name, Now: s.JSON()}
	for _, old := range g.Old {
		if old.Name == s.Name {
			change.File, change.Was = old.File, old.Raw
		}
	}
	p.out.Plan.Actions = append(p.out.Plan.Actions, memory.Action{
		Action: oplog.Action{
			Type: oplog.Link, Rule: memory.RuleEdge, MemoryIDs: []string{s.From, s.To}, From: s.From, To: s.To, Relation: s.Type, By: s.By, Reason: s.Reason,
			Detail: fmt.Sprintf("%s, confidence %.2f", s.Name, s.Confidence),
		},
		Edges: []edgefile.Change{change},
	})
	return true
}
