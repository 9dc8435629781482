package summary

import "strings"

// role says which section of a summary a sentence belongs to.
type role byte

const (
	roleEvent   role = iota // what happened
	roleOutcome             // what came of it
	roleLesson              // what to keep in mind
)

// roles assigns a role to every sentence, with the strength of the evidence: 0
// for none, 2 where a label or heading says so.
func (d *document) roles() ([]role, []int) {
	roles := make([]role, len(d.sentences))
	strength := make([]int, len(d.sentences))
	for i, s := range d.sentences {
		if s.kind == heading {
			roles[i] = titleRole(d.text[s.start:s.end])
			if roles[i] == roleEvent && s.heading >= 0 {
				roles[i] = roles[s.heading]
			}
			continue
		}
		words := d.text[s.words:s.end]
		if title, _, ok := strings.Cut(words, ":"); ok && s.kind == prose && titleRole(title) != roleEvent {
			roles[i], strength[i] = titleRole(title), 2
			continue
		}
		if s.heading >= 0 && roles[s.heading] != roleEvent && s.kind != code && s.kind != stackFrame {
			roles[i], strength[i] = roles[s.heading], 2
			continue
		}
		if s.kind == prose && !strings.HasSuffix(words, "?") {
			roles[i], strength[i] = cueRole(words)
		}
	}
	return roles, strength
}

// titleRole reads the role from a heading or a label.
func titleRole(title string) role {
	title = strings.ToLower(strings.Trim(title, " \t*_:#"))
	if len(title) > 48 {
		return roleEvent
	}
	for _, w := range strings.FieldsFunc(title, func(r rune) bool { return !isWordRune(r) }) {
		switch w {
		case "lesson", "lessons", "learned", "learnt", "learning", "learnings", "takeaway", "takeaways", "retrospective",
			"recommendation", "recommendations", "improvements", "insight", "insights":
			return roleLesson
		case "outcome", "outcomes", "resolution", "decision", "decisions", "conclusion", "conclusions", "agreed":
			return roleOutcome
		}
	}
	switch title {
	case "root cause", "root causes", "cause", "what went wrong", "what went well", "where we got lucky":
		return roleLesson
	case "result", "results", "action items", "actions", "action", "next steps", "follow up", "follow-up", "follow ups", "fix", "solution":
		return roleOutcome
	}
	return roleEvent
}

// isSectionTitle reports whether a line of plain text stands as the title of a
// section that titleRole knows: "Lessons learned", "Outcome:".
func isSectionTitle(line string) bool {
	line = strings.TrimSpace(line)
	title, rest, _ := strings.Cut(line, ":")
	return rest == "" && len(strings.Fields(title)) <= 4 && !strings.ContainsAny(title, ".!?,") && titleRole(title) != roleEvent
}

// cues are the phrases by which prose gives its role away. One strong cue is
// enough, of the weak ones it takes two.
var cues = []struct {
	role    role
	strong  bool
	phrases []string
}{
	{roleOutcome, true, []string{"we decided", "decided to", "decided that", "agreed to", "agreed that", "consensus", "was resolved", "were resolved",
		"resolved by", "has been resolved", "is resolved", "was fixed", "fixed by", "fixed it by", "fixed the", "the fix", "rolled back",
		"was restored", "fully restored", "recovered", "back to normal", "as a result", "in the end", "concluded", "in conclusion",
		"was approved", "approved the", "was rejected", "was accepted", "action item", "advances to", "advancing to", "next step",
		"the outcome", "is done", "was completed", "we will go with", "went with", "settled on", "ended up"}},
	{roleOutcome, false, []string{"finally", "eventually", "deployed", "shipped", "merged", "released", "resolved", "fixed", "completed",
		"succeeded", "no longer", "final", "result", "solved", "postponed", "agree"}},
	{roleLesson, true, []string{"lesson", "we learned", "we learnt", "learned that", "takeaway", "root cause", "next time", "going forward",
		"from now on", "in the future", "in future", "should have", "turned out", "turns out", "the reason", "rule of thumb",
		"make sure", "remember to", "important to", "must not", "be careful", "best practice"}},
	{roleLesson, false, []string{"should", "must", "always", "never", "avoid", "ensure", "because", "prevent", "improve", "need to", "instead of"}},
}

func cueRole(words string) (role, int) {
	lower := " " + strings.ToLower(words)
	best, strength := roleEvent, 1
	for _, r := range []role{roleOutcome, roleLesson} {
		score := 0
		for _, c := range cues {
			if c.role != r {
				continue
			}
			for _, phrase := range c.phrases {
				if hasPhrase(lower, phrase) {
					score++
					if c.strong {
						score++
					}
				}
			}
		}
		if score > strength {
			best, strength = r, score
		}
	}
	if best == roleEvent {
		return roleEvent, 0
	}
	return best, strength
}

// hasPhrase reports whether phrase occurs in text as whole words.
func hasPhrase(text, phrase string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], phrase)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(phrase)
		if !isLetterByte(text, i-1) && !isLetterByte(text, end) {
			return true
		}
		at = end
	}
}

func isLetterByte(text string, i int) bool {
	return i >= 0 && i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= 0x80)
}
