package enrich

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/memoryd/memoryd/pkg/cluster"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Reasons in the log and in reports.
const (
	ReasonGone   = "cluster_gone"    // the cluster of a summary is gone
	ReasonEdited = "edited"          // somebody has edited a summary
	ReasonMoved  = "members_changed" // the members of a summary have changed
	ReasonChosen = "chosen"          // a model has chosen what a summary says
)

// byRules is who chose the sentences of a summary where nobody else did.
const byRules = "rules"

// summarise keeps a summary for each cluster.
func (p *planner) summarise(e *Event) {
	if len(p.out.Clusters) == 0 {
		var quiet Event
		p.cluster(&quiet)
	}
	files := p.NewFiles()
	for _, c := range p.out.Clusters {
		e.Seen++
		action, err := p.keep(c, files)
		switch {
		case err != nil:
			e.Skipped++
			p.out.Plan.Skipped = append(p.out.Plan.Skipped, memory.Skip{MemoryID: c.ID, Rule: memory.RuleCluster, Reason: rules.ReasonBroken, Detail: err.Error()})
		case action != nil:
			e.Made++
			p.out.Plan.Actions = append(p.out.Plan.Actions, *action)
		case c.State != Current:
			e.Skipped++
		}
	}
}

// keep is what becomes of a cluster's summary; nil for nothing.
func (p *planner) keep(c Cluster, files *memory.NewFiles) (*memory.Action, error) {
	if c.State == New {
		return p.write(c)
	}
	if c.State == Current && sameConfidence(c) && (!c.picked() || Edited(c.Summary) || p.untouchable(c.Summary)) {
		return nil, nil
	}
	if reason, detail := p.held(c.Summary); reason != "" {
		p.out.Stale = append(p.out.Stale, Stale{c.ID, reason, detail})
		return nil, nil
	}
	if c.State == Gone {
		return &memory.Action{
			Action: oplog.Action{
				Type: oplog.Archive, Rule: memory.RuleCluster, MemoryID: c.ID, From: c.Summary.Ref.String(), Reason: ReasonGone,
				Detail: fmt.Sprintf("of its %d memories %d are left together", len(memory.ClusterOf(c.Summary).Members), len(c.Members)),
			},
			Ops: []memory.Op{files.Archive(c.Summary, nil)},
		}, nil
	}
	return p.rewrite(c)
}

// held says why a summary that is out of date stays as it is; "" where it may be changed.
func (p *planner) held(m *memory.Memory) (reason, detail string) {
	if reason, detail := rules.Untouchable(m, p.Settings.Exclude); reason != "" {
		return reason, detail
	}
	if Edited(m) {
		return ReasonEdited, "its text was edited: it is kept as it is"
	}
	return "", ""
}

// Edited reports whether somebody has changed the text of a summary since it was written.
func Edited(m *memory.Memory) bool {
	return memory.ClusterOf(m).Written != digest([]byte(m.Content().Raw))
}

// digest is that of a content, however it is laid out.
func digest(content []byte) string { return string(memory.DigestOf(jsonedit.Compact(content))) }

// write makes the summary of a new cluster.
func (p *planner) write(c Cluster) (*memory.Action, error) {
	content, by := p.content(&c)
	a, err := memory.New(p.Snapshot, memory.Draft{
		ID: c.ID, Type: memory.Semantic, Subtype: memory.ClusterSummary, Scope: c.Scope, Tags: tags(c), CreatedBy: "SYSTEM", Content: content,
	})
	if err != nil {
		return nil, err
	}
	edits := []jsonedit.Edit{jsonedit.Set(p.provenance(c, content, by), "cluster")}
	if confidence, ok := confidence(c.Members); ok {
		edits = append(edits, jsonedit.Set(confidence, "confidence"))
	}
	if reach := p.reach(c); reach != "" {
		edits = append(edits, jsonedit.Set(jsonedit.Quote(reach), "model"))
	}
	if a.Ops[0].Raw, err = jsonedit.Apply(a.Ops[0].Raw, edits...); err != nil {
		return nil, err
	}
	a.Action = oplog.Action{
		Type: oplog.Cluster, Rule: memory.RuleCluster, MemoryIDs: ids(c.Members), ResultID: c.ID, To: a.Ops[0].To.File,
		Coherence: oplog.Score(c.Coherence), Digests: digests(c),
	}
	return &a, nil
}

// rewrite brings a summary up to date. Its tags, and what somebody else has put next to its content, stay.
func (p *planner) rewrite(c Cluster) (*memory.Action, error) {
	content, by := p.content(&c)
	edits := []jsonedit.Edit{
		jsonedit.Set(content, "content"), jsonedit.Set(p.provenance(c, content, by), "cluster"),
		jsonedit.Set(jsonedit.Quote(timestamp.Format(p.At)), "updated_at"),
	}
	if confidence, ok := confidence(c.Members); ok {
		edits = append(edits, jsonedit.Set(confidence, "confidence"))
	} else {
		edits = append(edits, jsonedit.Delete("confidence"))
	}
	if reach := p.reach(c); reach != "" && c.Summary.Model() != memory.ModelNever {
		edits = append(edits, jsonedit.Set(jsonedit.Quote(reach), "model"))
	}
	raw, err := c.Summary.Edit(edits...)
	if err != nil {
		return nil, err
	}
	reason, detail := ReasonMoved, difference(memory.ClusterOf(c.Summary), c.Members)
	if c.State == Current && by != byRules {
		reason, detail = ReasonChosen, by+" has chosen what it says"
	}
	return &memory.Action{
		Action: oplog.Action{
			Type: oplog.Edit, Rule: memory.RuleCluster, MemoryID: c.ID, From: c.Summary.Ref.String(), Reason: reason,
			Detail: detail, Coherence: oplog.Score(c.Coherence), Digests: digests(c),
		},
		Ops: []memory.Op{{Kind: memory.Put, ID: c.ID, Ref: c.Summary.Ref, Base: c.Summary.Digest(), Raw: raw}},
	}, nil
}

// digests are those of the records that the action relies on.
func digests(c Cluster) map[string]string {
	all := map[string]string{}
	for _, m := range c.Members {
		all[m.ID] = string(m.Digest())
	}
	if c.Summary != nil {
		all[c.ID] = string(c.Summary.Digest())
	}
	return all
}

// difference says how the members of a summary have changed.
func difference(was memory.Cluster, now []*memory.Memory) string {
	before := map[string]string{}
	for _, m := range was.Members {
		before[m.ID] = m.Digest
	}
	came, changed := 0, 0
	for _, m := range now {
		switch old, ok := before[m.ID]; {
		case !ok:
			came++
		case old != m.ContentDigest():
			changed++
		}
		delete(before, m.ID)
	}
	return fmt.Sprintf("its memories have changed: %d came, %d went, %d say something else", came, len(before), changed)
}

// provenance says what a summary was made of.
func (p *planner) provenance(c Cluster, content []byte, by string) []byte {
	var b bytes.Buffer
	b.WriteString("{\n  \"members\": [")
	listMembers(&b, c.Members)
	b.WriteString("\n  ]")
	if len(c.leftOut) > 0 {
		b.WriteString(",\n  \"left_out\": [")
		listMembers(&b, c.leftOut)
		b.WriteString("\n  ]")
	}
	if len(c.near) > 0 {
		b.WriteString(",\n  \"near\": [")
		for i, p := range c.near {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "[%s, %s]", jsonedit.Quote(p[0]), jsonedit.Quote(p[1]))
		}
		b.WriteString("]")
	}
	fmt.Fprintf(&b, ",\n  \"coherence\": %g,\n  \"by\": %s,", *oplog.Score(c.Coherence), jsonedit.Quote(by))
	if by != byRules && c.choice != nil && c.choice.Wording != nil {
		b.WriteString("\n  \"wording\": \"free\",")
	}
	fmt.Fprintf(&b, "\n  \"written\": %q\n}", digest(content))
	return b.Bytes()
}

// listMembers writes memories with what they say now.
func listMembers(b *bytes.Buffer, all []*memory.Memory) {
	for i, m := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "\n    {\"id\": %s, \"digest\": %q}", jsonedit.Quote(m.ID), m.ContentDigest())
	}
}

// confidence is the lowest of the members, if any tells one.
func confidence(members []*memory.Memory) ([]byte, bool) {
	lowest := math.Inf(1)
	for _, m := range members {
		if m.Confidence != nil && *m.Confidence >= 0 && *m.Confidence <= 1 {
			lowest = min(lowest, *m.Confidence)
		}
	}
	if math.IsInf(lowest, 1) {
		return nil, false
	}
	return strconv.AppendFloat(nil, lowest, 'g', -1, 64), true
}

// sameConfidence reports whether a summary has the confidence of its members.
func sameConfidence(c Cluster) bool {
	want, ok := confidence(c.Members)
	if c.Summary.Confidence == nil {
		return !ok
	}
	return ok && string(strconv.AppendFloat(nil, *c.Summary.Confidence, 'g', -1, 64)) == string(want)
}

// reach is what a summary says of how far it may travel to models, "" for nothing: no farther than any member, since it has their sentences.
func (p *planner) reach(c Cluster) (reach string) {
	for _, m := range c.Members {
		switch {
		case m.Model() == memory.ModelNever, slices.ContainsFunc(p.Settings.Model.ExcludeTags, m.HasTag):
			return memory.ModelNever
		case m.Model() == memory.ModelLocal:
			reach = memory.ModelLocal
		}
	}
	return reach
}

// tags are those that most members have.
func tags(c Cluster) (common []string) {
	for _, what := range c.Common {
		if what.Kind == cluster.Tag {
			common = append(common, what.Value)
		}
	}
	slices.Sort(common)
	return common
}

// titleWords is how many words a title has at most.
const titleWords = 10

// Title names a cluster: as its summary does if it is up to date; else by the tags that most members have, and by what the member is called
// that is most like the others.
func (c Cluster) Title() string {
	if c.Summary != nil && c.State != Changed {
		line, _ := c.Summary.Summary()
		return cmp.Or(c.Summary.Field("title").Str, line)
	}
	return c.name()
}

// name is the title that a summary is to get.
func (c Cluster) name() string {
	common := tags(c)
	name := strings.TrimSpace(c.Centre.Title())
	if name == "" {
		name, _ = c.Centre.Summary()
	}
	name = strings.TrimLeft(name, "#*->+ \t") // marks of headings and lists
	words := strings.Fields(strings.Join(common[:min(len(common), 3)], ", "))
	if len(words) > 0 && name != "" {
		words[len(words)-1] += ":"
	}
	words = append(words, strings.Fields(name)...)
	if len(words) <= titleWords {
		return strings.Join(words, " ")
	}
	return strings.TrimRightFunc(strings.Join(words[:titleWords], " "), func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) }) + "…"
}

// span is the time that the members are from: the day of the first, and of the last change, in a time zone.
func span(members []*memory.Memory, zone *time.Location) (from, to string) {
	var first, last time.Time
	for _, m := range members {
		if born := m.Born(); !born.IsZero() && (first.IsZero() || born.Before(first)) {
			first = born
		}
		if newest := m.Newest(); newest.After(last) {
			last = newest
		}
	}
	return day(first, zone), day(last, zone)
}

func day(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return t.In(zone).Format(time.DateOnly)
}
