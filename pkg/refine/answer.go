package refine

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/guard"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/rules"
)

// Decision is what a model says about one pair, as its answer has it.
type Decision struct {
	Pair       int     `json:"pair"`
	Action     string  `json:"action"`
	Stays      string  `json:"stays"`
	Sentences  []int   `json:"sentences"`
	Quotes     []int   `json:"quotes"`
	Reason     string  `json:"reason"`
	Confidence float64 `json:"confidence"`
}

// decisions is an answer.
type decisions struct {
	Decisions []Decision `json:"decisions"`
}

// judged is a decision that holds: its ids and numbers are those of the pair.
type judged struct {
	rules.Choice
	reason     string
	quotes     []string
	confidence float64
}

const maxReason = 300 // characters of a reason that are kept

// read takes the decisions out of an answer. One about an unknown pair, with an unknown id, number or verdict, or with a repeat is left
// out; so are all decisions about a pair that has two. An answer that holds anything else is an error.
func (b *batch) read(a provider.Answer) (found []judged, dropped int, err error) {
	var answer decisions
	if err := a.Unmarshal(&answer); err != nil {
		return nil, 0, err
	}
	times := map[int]int{}
	for _, d := range answer.Decisions {
		times[d.Pair]++
	}
	for i := range answer.Decisions {
		d := &answer.Decisions[i]
		if d.Pair < 1 || d.Pair > len(b.pairs) || times[d.Pair] > 1 {
			dropped++
			continue
		}
		if j, ok := d.check(&b.pairs[d.Pair-1], b.kind); ok {
			found = append(found, j)
		} else {
			dropped++
		}
	}
	return found, dropped, nil
}

// check holds a decision against its pair.
func (d *Decision) check(c *Candidate, k *kind) (j judged, ok bool) {
	s := sentencesOf(c)
	verdict, known := k.verdicts[d.Action]
	if !known || d.Confidence < 0 || d.Confidence > 1 || !s.have(d.Sentences) || !s.have(d.Quotes) || d.Stays != "" && d.Stays != c.A.ID && d.Stays != c.B.ID {
		return j, false
	}
	j = judged{Choice: rules.Choice{A: c.A, B: c.B, Verdict: verdict}, confidence: d.Confidence, reason: reasonOf(d.Reason, c)}
	for _, n := range d.Quotes {
		j.quotes = append(j.quotes, s.all[n-1])
	}
	switch verdict {
	case rules.VerdictFull, rules.VerdictPartial:
		return j, len(s.of(d.Quotes, false)) > 0 && len(s.of(d.Quotes, true)) > 0
	case rules.VerdictMerge:
		j.Sentences = s.of(d.Sentences, false)
	case rules.VerdictReplace:
		j.Stays = d.Stays
		return j, d.Stays != ""
	case rules.VerdictUpdate:
		j.Stays, j.Sentences = d.Stays, s.of(d.Sentences, d.Stays == c.A.ID)
		return j, d.Stays != "" && len(j.Sentences) > 0
	}
	return j, true
}

// have reports whether all numbers are those of sentences, and none stands twice.
func (s *sentences) have(numbers []int) bool {
	seen := map[int]bool{}
	for _, n := range numbers {
		if n < 1 || n > len(s.all) || seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}

// of are the sentences among numbers that are the newer's, or the older's.
func (s *sentences) of(numbers []int, newer bool) (out []string) {
	for _, n := range numbers {
		if n > s.older == newer {
			out = append(out, s.all[n-1])
		}
	}
	return out
}

// reasonOf is a reason on one line. One that states a fact which stands in neither memory is left out.
func reasonOf(text string, c *Candidate) string {
	text = provider.Line(text, maxReason)
	sources := guard.Read(c.A.Text(), c.A.Title(), c.A.ID, c.B.Text(), c.B.Title(), c.B.ID, strings.Join(c.Evidence, "\n"))
	if len(sources.Invented(text)) > 0 {
		return ""
	}
	return text
}
