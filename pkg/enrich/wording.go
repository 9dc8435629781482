package enrich

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/guard"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/summary"
)

// worded is a summary in the chooser's own words, as far as the guard lets it stand: sentence by sentence, against those that it cites. There
// is none where the title or more than half of the sentences of the summary may not stand, or where it cites what isn't there.
func (c *Cluster) worded() (title, said string, insights []insight) {
	w := c.choice.Wording
	all, kept, words := 0, []string(nil), 0
	for _, text := range w.Summary {
		sources, _, ok := c.cited(text.From)
		if !ok {
			return "", "", nil
		}
		sentences := summary.Sentences(text.Text)
		all += len(sentences)
		for _, s := range sentences {
			if words += len(strings.Fields(s)); words <= summaryWords && sources.Wording(s) == "" {
				kept = append(kept, s)
			}
		}
	}
	if len(kept) == 0 || 2*len(kept) < all || !c.titled(w.Title) {
		return "", "", nil
	}
	for _, text := range w.Insights {
		sources, from, ok := c.cited(text.From)
		if ok && len(insights) < maxInsights && len(strings.Fields(text.Text)) <= insightWords && sources.Wording(text.Text) == "" {
			insights = append(insights, insight{text.Text, from})
		}
	}
	return w.Title, strings.Join(kept, " "), insights
}

// cited are sentences by their numbers, and the members that they stand in. It is not ok for none, an unknown one, or one of no member.
func (c *Cluster) cited(numbers []int) (sources *guard.Sources, from []string, ok bool) {
	var texts []string
	for _, n := range numbers {
		if n < 0 || n >= len(c.read.sentences) {
			return nil, nil, false
		}
		ids := c.staying(c.read.sentences[n].From)
		if len(ids) == 0 {
			return nil, nil, false
		}
		texts = append(texts, c.read.sentences[n].Text)
		for _, id := range ids {
			if !slices.Contains(from, id) {
				from = append(from, id)
			}
		}
	}
	return guard.Read(texts...), from, len(texts) > 0
}

// titled reports whether a title may stand: short, and made of what the members say.
func (c *Cluster) titled(title string) bool {
	n := len(strings.Fields(title))
	if n == 0 || n > titleWords {
		return false
	}
	var sources []string
	for _, m := range c.Members {
		sources = append(sources, c.read.members[m.ID], memberTitle(m), strings.Join(m.Tags, " "))
	}
	return guard.Read(sources...).Wording(title) == ""
}

func memberTitle(m *memory.Memory) string {
	if t := m.Title(); t != "" {
		return t
	}
	line, _ := m.Summary()
	return line
}

// guardOf reads sentences as sources when it is first needed.
func guardOf(sentences []Sentence) func() *guard.Sources {
	return once(func() *guard.Sources {
		texts := make([]string, 0, 2*len(sentences))
		for _, s := range sentences {
			texts = append(append(texts, s.Text), s.From...)
		}
		return guard.Read(texts...)
	})
}
