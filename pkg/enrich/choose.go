package enrich

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/refine"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
)

// Chooser may take the place of the rules where they choose: a model, say, that is shown numbered sentences and answers with numbers. An error
// that is a [provider.Error] is not a failure of the run: the rules choose. With a [provider.BudgetError] nothing more is asked.
type Chooser interface {
	// Choose is asked about a cluster as the rules found it, and about the sentences of its members. [ErrUnsent]: it may not be asked.
	Choose(ctx context.Context, c Cluster, sentences []Sentence) (Choice, error)
	// Updates is asked whether newer memories make older ones untrue.
	Updates(ctx context.Context, pairs []refine.Candidate) ([]refine.Update, refine.Report, error)
	// Usage is what asking has taken so far, and who has answered.
	Usage() oplog.ModelUse
}

func usage(c Chooser) (requests, tokens int) {
	if c == nil {
		return 0, 0
	}
	use := c.Usage()
	return use.Requests, use.TokensIn + use.TokensOut
}

// sum adds up what the models were asked and what they answered in this run.
func (p *planner) sum() *oplog.ModelUse {
	if p.Chooser == nil {
		return nil
	}
	use := p.Chooser.Usage()
	use.Deferred, use.Degraded = p.out.Deferred, p.out.Degraded
	return &use
}

// ErrUnsent: the memories may be sent to no model that there is.
var ErrUnsent = errors.New("these memories may be sent to no model")

// Sentence is a sentence of members of a cluster.
type Sentence struct {
	Text string
	From []string // ids of the members that it stands in
}

// Choice is what a chooser says of a cluster. What it says of other ids and numbers than it was given counts for nothing.
type Choice struct {
	Strangers         []string        // members that are about something else
	Summary, Insights []int           // numbers of sentences, from 0
	Wording           *Wording        // the same in words of its own; nil: the sentences as they stand
	Edges             []edgefile.Edge // between members: with type, confidence and a sentence of one of them
	By, Key           string          // who says so, and the key of the request
}

// Wording is a summary in free words. Each text cites the sentences that it says again.
type Wording struct {
	Title             string
	Summary, Insights []Worded
}

// Worded is a text, and the numbers of the sentences that it says again.
type Worded struct {
	Text string
	From []int
}

// Judged is what choosers have said in earlier runs, of memories that say what they said then. The zero value is nothing.
type Judged struct {
	Cluster func(members []*memory.Memory) (leftOut []string, ok bool)
	Pair    func(older, newer *memory.Memory) bool
}

// VerdictCluster is the verdict in the log by which a cluster counts as judged.
const VerdictCluster = "cluster"

// Digests are those by which a cluster counts as judged.
func Digests(members []*memory.Memory) map[string]string {
	all := map[string]string{}
	for _, m := range members {
		all[m.ID] = m.ContentDigest()
	}
	return all
}

// settled is what summaries know of clusters: by the ids of all that the rules found together.
type settled map[string]memory.Cluster

// settledOf reads summaries. One that the rules have written alone knows of no stranger.
func settledOf(told map[string]*memory.Memory) settled {
	all := settled{}
	for _, m := range told {
		if c := memory.ClusterOf(m); c.By != byRules || len(c.LeftOut) > 0 {
			all[setKey(c.IDs(), memory.Cluster{Members: c.LeftOut}.IDs())] = c
		}
	}
	return all
}

func setKey(lists ...[]string) string {
	return strings.Join(slices.Sorted(slices.Values(slices.Concat(lists...))), "\n")
}

// of tells which of some memories were left out, if a summary of a chooser is about just these, as they are.
func (s settled) of(members []*memory.Memory) (strangers []string, ok bool) {
	c, ok := s[setKey(ids(members))]
	if !ok || !same(slices.Concat(c.Members, c.LeftOut), members) {
		return nil, false
	}
	return memory.Cluster{Members: c.LeftOut}.IDs(), true
}

// leaveOut takes strangers out of a cluster.
func (c *Cluster) leaveOut(strangers []string) {
	var members []*memory.Memory
	for _, m := range c.Members {
		if slices.Contains(strangers, m.ID) {
			c.leftOut = append(c.leftOut, m)
		} else {
			members = append(members, m)
		}
	}
	if c.Members = members; len(members) > 0 && !slices.Contains(members, c.Centre) {
		c.Centre = members[0]
	}
}

// belong takes those out of a cluster who don't belong to it, as the chooser says or has said.
func (p *planner) belong(c Cluster) Cluster {
	if p.Judged.Cluster != nil {
		if strangers, ok := p.Judged.Cluster(c.Members); ok {
			c.leaveOut(strangers)
			return c
		}
	}
	if p.Chooser == nil || !p.coversAny(c.Members) {
		return c
	}
	if p.choose(&c); c.choice != nil {
		p.asked = append(p.asked, c)
		c.leaveOut(c.choice.Strangers)
	}
	return c
}

// choose asks the chooser about a cluster.
func (p *planner) choose(c *Cluster) {
	if c.failed = true; p.err != nil {
		return
	}
	if p.spent {
		p.out.Deferred++
		return
	}
	read := readMembers(*c, p.Settings.Triggers.Days())
	choice, err := p.Chooser.Choose(p.ctx, *c, read.sentences)
	switch {
	case errors.Is(err, ErrUnsent):
	case err != nil:
		p.degrade(fmt.Sprintf("the cluster %q", c.name()), err)
	default:
		c.choice, c.read, c.failed = &choice, read, false
	}
}

// degrade notes why the rules choose. An error that is not about asking ends the run.
func (p *planner) degrade(about string, err error) {
	var model *provider.Error
	var budget *provider.BudgetError
	switch {
	case errors.As(err, &budget):
		p.spent = true
		p.out.Deferred++
	case !errors.As(err, &model):
		p.err = err
		return
	}
	p.out.Degraded = append(p.out.Degraded, about+": "+err.Error())
}

// logAsked notes what was asked about clusters, so that it isn't asked again.
func (p *planner) logAsked() {
	for _, c := range p.asked {
		p.out.Plan.Actions = append(p.out.Plan.Actions, memory.Action{Action: oplog.Action{
			Type: oplog.Judge, Rule: memory.RuleCluster, MemoryIDs: ids(c.Members), LeftOut: slices.Sorted(slices.Values(c.choice.Strangers)),
			Verdict: VerdictCluster, By: c.choice.By, Key: c.choice.Key, Digests: Digests(c.Members),
		}})
	}
}

// chosen is what a chooser picked for a summary: no text where a number is unknown or stands twice, or nothing was picked. Sentences of
// those that were left out are passed over.
func (c *Cluster) chosen() (title, said string, insights []insight) {
	for _, list := range [][]int{c.choice.Summary, c.choice.Insights} {
		met := map[int]bool{}
		for _, n := range list {
			if n < 0 || n >= len(c.read.sentences) || met[n] {
				return "", "", nil
			}
			met[n] = true
		}
	}
	if c.choice.Wording != nil {
		return c.worded()
	}
	var parts []string
	words := 0
	for _, n := range slices.Sorted(slices.Values(c.choice.Summary)) {
		s := c.read.sentences[n]
		if len(c.staying(s.From)) == 0 {
			continue
		}
		if words += len(strings.Fields(s.Text)); words > summaryWords && len(parts) > 0 {
			break
		}
		parts = append(parts, s.Text)
	}
	for _, n := range c.choice.Insights {
		if from := c.staying(c.read.sentences[n].From); len(from) > 0 && len(insights) < maxInsights {
			insights = append(insights, insight{c.read.sentences[n].Text, from})
		}
	}
	return c.name(), strings.Join(parts, " "), insights
}

// picked reports whether the chooser has said in this run what the summary is to say.
func (c *Cluster) picked() bool {
	if c.choice == nil {
		return false
	}
	_, said, _ := c.chosen()
	return said != ""
}

// staying are those ids that are of members.
func (c *Cluster) staying(all []string) (of []string) {
	for _, id := range all {
		if slices.ContainsFunc(c.Members, func(m *memory.Memory) bool { return m.ID == id }) {
			of = append(of, id)
		}
	}
	return of
}

// updates asks whether the newer memories of questions make the older ones untrue, of those that wait and those of the plan.
func (p *planner) updates() {
	if p.Chooser == nil || p.err != nil {
		return
	}
	pairs := p.superseding()
	if p.spent {
		p.out.Deferred += len(pairs)
		return
	}
	if len(pairs) == 0 {
		return
	}
	said, report, err := p.Chooser.Updates(p.ctx, pairs)
	if err != nil {
		p.err = err
		return
	}
	p.spent = report.Deferred > 0
	p.out.Deferred += report.Deferred
	p.out.Degraded = append(p.out.Degraded, report.Degraded...)
	for i := range said {
		u := &said[i]
		p.out.Plan.Actions = append(p.out.Plan.Actions, memory.Action{Action: oplog.Action{
			Type: oplog.Judge, Rule: rules.RuleSupersede, MemoryIDs: []string{u.Older.ID, u.Newer.ID}, Verdict: u.Verdict, Reason: u.Reason,
			Confidence: &u.Confidence, Quotes: u.Quotes, By: u.By, Key: u.Key, Digests: refine.Digests(u.Older, u.Newer),
		}})
		if u.Verdict == rules.VerdictFull && u.Confidence >= minConfidence && len(u.Quotes) > 0 {
			p.link(edgefile.Edge{
				Name:       edgefile.Name{From: u.Newer.ID, Type: edgefile.Supersedes, To: u.Older.ID},
				Confidence: u.Confidence, By: u.By, Reason: u.Reason, Quote: u.Quotes[len(u.Quotes)-1],
			}, u.Newer, u.Older)
		}
	}
}

// superseding lists the pairs that are asked about because the newer seems to make the older untrue, but for those that were judged.
func (p *planner) superseding() (pairs []refine.Candidate) {
	take := func(q review.Pair) {
		older, newer := p.Live(q.A), p.Live(q.B)
		switch {
		case older == nil || newer == nil || q.Reason != rules.ReasonSupersede || !p.covers(older) && !p.covers(newer),
			older.Type != newer.Type || older.Scope != newer.Scope,
			p.Judged.Pair != nil && p.Judged.Pair(older, newer),
			slices.ContainsFunc(pairs, func(c refine.Candidate) bool { return c.A == older && c.B == newer }):
		default:
			pairs = append(pairs, refine.Candidate{A: older, B: newer, Waits: true, Evidence: q.Differences})
		}
	}
	for _, q := range p.Open() {
		take(q)
	}
	for i := range p.out.Plan.Actions {
		for _, q := range p.out.Plan.Actions[i].Pairs {
			take(q)
		}
	}
	return pairs
}
