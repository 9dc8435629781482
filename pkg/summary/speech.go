package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// label reads "Speaker: " at the start of a line, also as "[10:32] alice: ",
// "<alice> " or "**Alice:** ". It returns the name and where the words begin; no
// name if the line doesn't start so.
func label(line string) (name string, words int) {
	const longest = 48
	n := len(line) - len(strings.TrimLeft(line, " \t"))
	if t := timestamp(line[n:]); t > 0 {
		n += t
	} else if rest := strings.TrimLeft(line[n:], "[("); matches(rest, "00:00") || matches(rest, "0:00") {
		n += len(line[n:]) - len(strings.TrimLeft(line[n:], "[(0123456789:])apmAPM"))
		if n < len(line) && line[n] != ' ' {
			return "", 0
		}
	}
	n += len(line[n:]) - len(strings.TrimLeft(line[n:], " *_"))
	if rest, ok := strings.CutPrefix(line[n:], "<"); ok {
		if end := strings.IndexByte(rest, '>'); end > 0 && end < longest && isName(rest[:end]) {
			return rest[:end], n + end + 2
		}
		return "", 0
	}
	end := strings.IndexAny(line[n:min(len(line), n+longest)], ":：")
	if end <= 0 {
		return "", 0
	}
	name = strings.TrimRight(line[n:n+end], " *_")
	_, width := utf8.DecodeRuneInString(line[n+end:])
	words = n + end + width
	words += len(line[words:]) - len(strings.TrimLeft(line[words:], "*_"))
	if words < len(line) && width == 1 && line[words] != ' ' && line[words] != '\t' {
		return "", 0
	}
	if open := strings.IndexByte(name, '('); open > 0 && strings.HasSuffix(name, ")") {
		name = strings.TrimRight(name[:open], " ")
	}
	if r, _ := utf8.DecodeRuneInString(name); unicode.IsLower(r) && strings.TrimSpace(line[words:]) == "" {
		return "", 0 // a handle says something; "else:" doesn't
	}
	if !isName(name) {
		return "", 0
	}
	return name, words
}

// isName reports whether s can be the name of a speaker: up to four words, each
// capitalised, or a single lower-case handle.
func isName(s string) bool {
	fields := strings.Fields(s)
	if len(fields) == 0 || len(fields) > 4 || notSpeakers.Has(strings.ToLower(s)) {
		return false
	}
	for i, w := range fields {
		r, _ := utf8.DecodeRuneInString(strings.TrimPrefix(w, "@"))
		switch {
		case unicode.IsUpper(r), unicode.IsDigit(r) && i > 0, unicode.IsLetter(r) && !unicode.IsLower(r):
		case unicode.IsLower(r) && (len(fields) == 1 || i > 0 && (w == "of" || w == "de" || w == "van" || w == "von")):
		default:
			return false
		}
		for _, r := range w {
			if !isWordRune(r) && !unicode.IsMark(r) && !strings.ContainsRune("@-_.'’&", r) {
				return false
			}
		}
	}
	return true
}

// notSpeakers are labels that name what follows, not who says it.
var notSpeakers = text.NewSet(`note, notes, error, warning, info, debug, fatal, panic, trace, todo, fixme, tip, hint, caution,
	important, summary, tldr, abstract, outcome, outcomes, result, results, impact, cause, causes, root cause, fix, fixes,
	fixed, resolution, solution, problem, issue, issues, status, state, severity, priority, title, topic, topics, agenda,
	date, time, start, end, duration, location, when, where, what, why, how, who, which, update, updates, decision,
	decisions, action, actions, action item, action items, next step, next steps, follow up, follow ups, conclusion,
	background, context, motivation, rationale, details, description, example, examples, for example, usage, input, output,
	expected, actual, step, steps, version, lesson, lessons, lessons learned, learning, learnings, key learnings, takeaway,
	takeaways, what happened, question, questions, open questions, answer, http, https, file, line, type, name, value, key,
	id, tag, tags, url, link, links, see, see also, ref, refs, reference, references, source, sources, reason, detection,
	mitigation, timeline, recommendation, recommendations, risk, risks, goal, goals, plan, idea, pros, cons, before, after,
	added, changed, removed, deprecated, security, presenter, presenters, participants, attendees, present, author, authors,
	owner, owners, reporter, reviewer, reviewers, facilitator, assignee, reported by, written by, people, people involved, env, command, commands, host, port, path, message, exception, caused by, from, to, cc, bcc,
	sent, subject, re, reply-to, message-id`)

// speakers finds who speaks in text: labels that recur, or all of them where
// most lines have one.
// What follows the time in a whole journal is not a speaker: "10:02 Uhr: …".
func speakers(lines []string, journal []bool) map[string]bool {
	count, entries := map[string]int{}, map[string]int{}
	labelled, filled, all := 0, 0, 0
	for i, line := range lines {
		if name, _ := label(line); journal[i] {
			entries[name]++
			all++
		}
	}
	for i, line := range lines {
		name, _ := label(line)
		if strings.TrimSpace(line) == "" || journal[i] && 5*entries[name] > 4*all {
			continue
		}
		filled++
		if name != "" {
			count[name]++
			labelled++
		}
	}
	mostly := labelled >= 3 && 2*labelled > filled
	found := map[string]bool{}
	for name, n := range count {
		if mostly || n >= 2 && len(count) >= 2 {
			found[name] = true
		}
	}
	return found
}
