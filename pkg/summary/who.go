package summary

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// whoLimit is how many people a summary names at most.
const whoLimit = 12

// people finds who was involved, verbatim and in the order of the text: the
// speakers of a dialogue, names after labels such as "Participants:", and, where
// nobody speaks, who is said to have said or done something, handles (@name) and
// teams. Of more than twelve, those that are named most often stay.
func (d *document) people() []string {
	c := nameCounts{count: map[string]int{}}
	speaking := map[string]bool{}
	for _, s := range d.sentences {
		if s.speaker != "" {
			speaking[s.speaker] = true
		}
	}
	for _, s := range d.sentences {
		switch {
		case s.kind != prose:
		case s.speaker != "" && len(speaking) > 1:
			c.add(s.speaker)
		default:
			c.addLabelled(d.text[s.start:s.end])
			if len(speaking) < 2 {
				c.addAgents(d.text[s.words:s.end])
			}
		}
	}
	c.fold()
	return c.top(whoLimit)
}

// nameCounts counts names in the order in which they first appear.
type nameCounts struct {
	names []string
	count map[string]int
}

func (c *nameCounts) add(name string) {
	if c.count[name] == 0 {
		c.names = append(c.names, name)
	}
	c.count[name]++
}

// fold counts a name that is a part of a longer one, Ann of Ann Lee, as the first
// such.
func (c *nameCounts) fold() {
	full := map[string]string{}
	for _, name := range c.names {
		if parts := strings.Fields(name); len(parts) > 1 {
			for _, part := range parts {
				part = strings.Trim(part, "()")
				if full[part] == "" {
					full[part] = name
				}
			}
		}
	}
	c.names = slices.DeleteFunc(c.names, func(name string) bool {
		whole := full[name]
		if whole != "" {
			c.count[whole] += c.count[name]
		}
		return whole != ""
	})
}

func (c *nameCounts) top(n int) []string {
	ranked := slices.Clone(c.names)
	slices.SortStableFunc(ranked, func(a, b string) int { return c.count[b] - c.count[a] })
	kept := ranked[:min(n, len(ranked))]
	return slices.DeleteFunc(slices.Clone(c.names), func(name string) bool { return !slices.Contains(kept, name) })
}

var peopleLabels = text.NewSet(`presenter, presenters, participants, attendees, present, author, authors, owner, owners, reporter,
	reviewer, reviewers, facilitator, assignee, reported by, written by, who, people, people involved`)

// namesPeople reports whether a line is a label with names, "Attendees: Ann Lee,
// Bob", and returns the names.
func namesPeople(line string) (string, bool) {
	title, rest, ok := strings.Cut(line, ":")
	return rest, ok && peopleLabels.Has(strings.ToLower(strings.Trim(title, " *_")))
}

// addLabelled takes the names after a label.
func (c *nameCounts) addLabelled(line string) {
	names, ok := namesPeople(line)
	if !ok {
		return
	}
	for _, part := range strings.FieldsFunc(names, func(r rune) bool { return strings.ContainsRune(",;&/\n", r) }) {
		for _, name := range strings.Split(part, " and ") {
			name = strings.Trim(strings.TrimPrefix(strings.TrimSpace(name), "and "), " \t*_.")
			if utf8.RuneCountInString(name) <= 48 && strings.ContainsFunc(name, unicode.IsUpper) {
				c.add(name)
			}
		}
	}
}

// speechVerbs follow the name of who said or did it.
var speechVerbs = text.NewSet(`said, says, asked, asks, told, reported, reports, noticed, notices, confirmed, confirms, suggested,
	agreed, agrees, checked, checks, looked, verified, escalated, identified, discovered, realised, realized, concluded,
	recommended, requested, responded, answered, offered, commented, volunteered, debugged, diagnosed, tested, tried, called,
	messaged, pinged, proposed, proposes, wrote, writes, explained, explains, mentioned, replied, thinks, thought, argued, joined,
	approved, reviewed, investigated, presented, raised, decided, acknowledged, pointed, owns, fixed, found, merged, opened, closed, rolled, paged, restarted, deployed, reverted, pushed`)

// determiners before a capital make it a thing: this RFC, the Gateway.
var determiners = text.NewSet(`a, an, the, this, that, these, those, each, every, any, no, its, our, your, their, my, another`)

// doneBy come before "by" and a name.
var doneBy = text.NewSet(`confirmed, reported, noticed, found, fixed, written, reviewed, approved, led, presented, proposed, raised,
	investigated, handled, owned, opened, merged, closed, deployed, reverted, suggested, discovered, chaired, signed`)

// addAgents takes the names that prose gives as agents.
func (c *nameCounts) addAgents(text string) {
	fields := strings.Fields(text)
	for i, f := range fields {
		word := strings.TrimFunc(f, func(r rune) bool { return !isWordRune(r) && r != '@' })
		if len(word) > 2 && word[0] == '@' && !strings.ContainsAny(word, "/.(") && !strings.Contains(f, "`") {
			c.add(word)
			continue
		}
		if strings.EqualFold(word, "team") && strings.HasPrefix(f, word) && i >= 2 && strings.EqualFold(fields[i-2], "the") && strings.IndexFunc(fields[i-1], notInName) < 0 {
			c.add(fields[i-1] + " " + word)
			continue
		}
		if speechVerbs.Has(word) {
			c.namesBefore(fields[:i])
		}
		if word == "by" && i > 0 && doneBy.Has(strings.ToLower(fields[i-1])) {
			c.namesAfter(fields[i+1:])
		}
	}
}

// namesBefore takes the names at the end of fields: "… Ann Lee and Bob" said.
func (c *nameCounts) namesBefore(fields []string) {
	var names [][]string
	for end := len(fields); end > 0; {
		start := end
		for start > 0 && end-start < 3 && namePart(fields[start-1], start == end) {
			start--
		}
		if start == end || start > 0 && determiners.Has(strings.ToLower(fields[start-1])) {
			break
		}
		names = append(names, fields[start:end])
		if start == 0 || fields[start-1] != "and" {
			break
		}
		end = start - 1
	}
	for _, parts := range slices.Backward(names) {
		c.addName(parts)
	}
}

// namesAfter takes the names at the start of fields: by "Ann Lee and Bob".
func (c *nameCounts) namesAfter(fields []string) {
	for len(fields) > 0 {
		n := 0
		for n < len(fields) && n < 3 && namePart(fields[n], true) {
			n++
			if strings.IndexFunc(fields[n-1], notInName) >= 0 {
				break
			}
		}
		if n == 0 {
			return
		}
		c.addName(fields[:n])
		if n == len(fields) || fields[n] != "and" {
			return
		}
		fields = fields[n+1:]
	}
}

func (c *nameCounts) addName(parts []string) {
	name := strings.TrimFunc(strings.Join(parts, " "), func(r rune) bool { return !unicode.IsLetter(r) })
	if name != "" {
		c.add(name)
	}
}

// namePart reports whether field can be a part of a name: capitalised letters,
// and no word that a sentence may begin with. Punctuation may close the last one.
func namePart(field string, last bool) bool {
	r, size := utf8.DecodeRuneInString(field)
	if !unicode.IsUpper(r) || size == len(field) {
		return false
	}
	word := field
	if last {
		word = strings.TrimRight(field, ".,;:!?")
	}
	lower := strings.ToLower(word)
	return strings.IndexFunc(word, notInName) < 0 && !text.English.IsStopWord(lower) && !text.English.List("frequent")[lower] && !text.English.List("filler")[lower] && !notNames.Has(lower) && !strings.ContainsFunc(word, unicode.IsDigit)
}

func notInName(r rune) bool { return notNameRune(r) && r != '-' }

func notNameRune(r rune) bool { return !isWordRune(r) && r != '\'' && r != '’' }

// notNames are capitalised words that aren't people: days, months, and the nouns
// with which reports begin their sentences.
var notNames = text.NewSet(`monday, tuesday, wednesday, thursday, friday, saturday, sunday, january, february, march, april, june,
	july, august, september, october, november, december, users, user, people, monitoring, investigation, logs, alerts, tests,
	nodes, node, pods, servers, server, service, everyone, nobody, someone, another, later, earlier, meanwhile, afterwards, luckily, fortunately, unfortunately,
	initially, originally, next, subsequently, engineers, customers, error, errors, build,
	builds, deployment, release, system, systems, traffic, requests, support, status, team, teams, reviewer, python, version`)
