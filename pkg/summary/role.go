package summary

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// role says which section of a summary a sentence belongs to.
type role byte

const (
	roleEvent   role = iota // what happened
	roleOutcome             // what came of it
	roleLesson              // what to keep in mind
)

// cues are the phrases by which a language tells roles: of a sentence, and of a title.
type cues struct{ phrases, titles [roleLesson + 1][]string }

var cuesOf sync.Map // of cues by text.Language

func newCues(l text.Language) *cues {
	if c, ok := cuesOf.Load(l); ok {
		return c.(*cues)
	}
	list := func(section string) (out []string) {
		for _, line := range l.Lines(section) {
			out = append(out, strings.Split(line, ", ")...)
		}
		return out
	}
	c := &cues{}
	for r, section := range map[role]string{roleOutcome: "outcome", roleLesson: "lesson"} {
		c.phrases[r], c.titles[r] = list(section), list(section+".title")
	}
	known, _ := cuesOf.LoadOrStore(l, c)
	return known.(*cues)
}

// readRoles assigns a role to every sentence, with the strength of the evidence: 0 for
// none, 1 for a phrase, 2 for more of them and where a label or heading says so. A label
// holds for its paragraph. One that isn't known makes a paragraph labelled.
func (d *document) readRoles() {
	d.roles = make([]role, len(d.sentences))
	d.strength = make([]int, len(d.sentences))
	d.labelled = make([]bool, len(d.sentences))
	for i, s := range d.sentences {
		words := d.text[s.words:s.end]
		if s.kind == heading {
			if d.roles[i] = d.cues.title(d.text[s.start:s.end]); d.roles[i] == roleEvent && s.heading >= 0 {
				d.roles[i] = d.roles[s.heading]
			}
			continue
		}
		if s.kind == prose {
			if i > 0 && d.sentences[i-1].block == s.block && d.sentences[i-1].kind == prose {
				d.labelled[i] = d.labelled[i-1]
			} else if rest, ok := cutLabel(words); ok && s.speaker == "" {
				d.labelled[i] = countSpokenWords(rest) >= fragment
			}
			if title, _, ok := cutTitle(words); ok && d.cues.title(title) != roleEvent {
				d.roles[i], d.strength[i] = d.cues.title(title), 2
				continue
			}
		}
		switch {
		case s.heading >= 0 && d.roles[s.heading] != roleEvent && s.kind != code && s.kind != stackFrame:
			_, told := d.cues.role(words)
			d.roles[i], d.strength[i] = d.roles[s.heading], 2+told
		case s.kind == prose && !isQuestion(words):
			d.roles[i], d.strength[i] = d.cues.role(words)
		}
	}
}

// cutTitle cuts what comes before a sentence's first colon.
func cutTitle(words string) (title, rest string, ok bool) {
	i := strings.IndexAny(words, ":：")
	if i < 0 {
		return "", "", false
	}
	return words[:i], strings.TrimLeft(words[i:], ":："), true
}

// title reads the role from a heading or a label.
func (c *cues) title(title string) role {
	const longest = 48 // bytes
	title = strings.ToLower(strings.Trim(title, " \t*_:：#"))
	if title == "" || len(title) > longest {
		return roleEvent
	}
	for _, r := range []role{roleLesson, roleOutcome} {
		for _, phrase := range c.titles[r] {
			if title == phrase || strings.Contains(title, " ") && hasPhrase(title, phrase) {
				return r
			}
		}
	}
	return roleEvent
}

// isSectionTitle reports whether a line of plain text stands as the title of a section
// that tells a role: "Lessons learned", "Outcome:".
func (c *cues) isSectionTitle(line string) bool {
	title, rest, _ := cutTitle(line + ":")
	return strings.TrimSpace(rest) == "" && len(strings.Fields(title)) <= 4 && !strings.ContainsAny(title, ".!?,") && c.title(title) != roleEvent
}

// role reads the role of a sentence from the phrases in it.
func (c *cues) role(words string) (role, int) {
	words = strings.ToLower(words)
	best, strength := roleEvent, 0
	for _, r := range []role{roleOutcome, roleLesson} {
		n := 0
		for _, phrase := range c.phrases[r] {
			if hasPhrase(words, phrase) {
				n++
			}
		}
		if n > 0 && n+1 > strength {
			best, strength = r, n+1
		}
	}
	return best, strength
}

// hasPhrase reports whether phrase occurs in s as whole words, where the script has
// spaces.
func hasPhrase(s, phrase string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], phrase)
		if i < 0 {
			return false
		}
		at += i + len(phrase)
		before, _ := utf8.DecodeLastRuneInString(s[:at-len(phrase)])
		after := firstRune(s[at:])
		if text.IsUnspaced(firstRune(phrase)) || !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return true
		}
	}
}

// isQuestion reports whether a sentence ends with a question mark.
func isQuestion(words string) bool {
	return strings.HasSuffix(words, "?") || strings.HasSuffix(words, "？") || strings.HasSuffix(words, "؟") || strings.HasSuffix(words, ";") && text.ScriptOf(words) == "Greek"
}
