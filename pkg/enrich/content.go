package enrich

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/summary"
	"github.com/memoryd/memoryd/pkg/temporal"
	"github.com/memoryd/memoryd/pkg/text"
)

// Bounds of a summary.
const (
	summaryWords = 100
	insightWords = 30
	maxInsights  = 5
	maxMember    = 8 << 10 // bytes that are read of a member
)

// insight is a sentence, and the members that it stands in.
type insight struct {
	Text string   `json:"text"`
	From []string `json:"from"`
}

// content writes what the summary of a cluster says, and who chose it.
func (p *planner) content(c *Cluster) (raw []byte, by string) {
	read := readMembers(*c, p.Settings.Triggers.Days())
	if p.Chooser != nil && c.choice == nil && !c.failed {
		p.choose(c)
	}
	name, said, insights := "", "", []insight(nil)
	if c.choice != nil {
		name, said, insights = c.chosen()
		by = c.choice.By
	}
	if said == "" {
		name, by = c.name(), byRules
		said, insights = summary.Flat(read.text, name, summaryWords, time.Time{}), read.insights(*c, name)
	}
	type interval struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	from, to := span(c.Members, p.Settings.Triggers.Days())
	return marshal(struct {
		Title    string    `json:"title"`
		Summary  string    `json:"summary"`
		Insights []insight `json:"key_insights"`
		Span     interval  `json:"temporal_span"`
	}{name, said, append([]insight{}, insights...), interval{from, to}}), by
}

// marshal writes a document as people read it.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil { // of strings only: it can't fail
		return []byte(`{}`)
	}
	return bytes.TrimSpace(b.Bytes())
}

// texts are the members of a cluster as sentences.
type texts struct {
	text      string // of all members, the oldest first
	sentences []Sentence
	of        map[string]int    // a sentence by its normal form
	members   map[string]string // text by id
}

func readMembers(c Cluster, zone *time.Location) *texts {
	t := &texts{of: map[string]int{}, members: map[string]string{}}
	var all strings.Builder
	for _, m := range c.Members {
		body := m.Text()
		if len(body) > maxMember {
			body = strings.ToValidUTF8(body[:maxMember], "")
		}
		if !m.CreatedAt.IsZero() {
			body = temporal.Annotate(body, m.CreatedAt.In(zone))
		}
		t.members[m.ID] = body
		all.WriteString(body + "\n\n")
		for _, s := range summary.Sentences(body) {
			t.add(s, m.ID)
		}
	}
	t.text = all.String()
	return t
}

func (t *texts) add(sentence, id string) {
	key := normal(sentence)
	n, met := t.of[key]
	if !met {
		n = len(t.sentences)
		t.of[key] = n
		t.sentences = append(t.sentences, Sentence{Text: strings.Join(strings.Fields(sentence), " ")})
	}
	if s := &t.sentences[n]; !slices.Contains(s.From, id) {
		s.From = append(s.From, id)
	}
}

func normal(s string) string { return strings.Join(strings.Fields(text.Fold(s)), " ") }

// insights are the sentences that tell outcomes and lessons, then the most telling one of each further member.
func (t *texts) insights(c Cluster, name string) (found []insight) {
	cited := map[string]bool{}
	add := func(sentence string) {
		n, ok := t.of[normal(sentence)]
		if !ok || len(found) == maxInsights || slices.ContainsFunc(found, func(i insight) bool { return i.Text == t.sentences[n].Text }) {
			return
		}
		found = append(found, insight{t.sentences[n].Text, t.sentences[n].From})
		for _, id := range t.sentences[n].From {
			cited[id] = true
		}
	}
	if s, err := summary.Summarise(t.text, summary.Options{Title: name, MinKeyTerms: .01}); err == nil {
		for _, sentence := range slices.Concat(s.KeyLearnings, s.Outcome) {
			add(sentence)
		}
	}
	members := slices.Clone(c.Members)
	slices.SortStableFunc(members, func(a, b *memory.Memory) int { // the centre first, then the newest
		switch {
		case a == c.Centre:
			return -1
		case b == c.Centre:
			return 1
		}
		return b.Newest().Compare(a.Newest())
	})
	for _, m := range members {
		if cited[m.ID] {
			continue
		}
		for _, sentence := range summary.Sentences(summary.Flat(t.members[m.ID], name, insightWords, time.Time{})) {
			if before := len(found); before < maxInsights {
				if add(sentence); len(found) > before {
					break
				}
			}
		}
	}
	return found
}
