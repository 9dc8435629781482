package briefing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/retention"
)

// Lengths to which the text of a memory is shortened, in characters.
const (
	longText  = 600
	shortText = 200
)

// mostAlso is how many other wordings of a memory are given.
const mostAlso = 2

// entry is a memory as it is in a block: cleaned, not yet escaped.
type entry struct {
	kind      string // of its scope
	scope     string
	typ       string
	id        string
	tier      retention.Tier
	score     float64
	relevance float64
	created   string // a date; "" when it isn't known
	updated   string // likewise, and "" when it is the same
	members   int    // it and the memories that it replaces
	summary   string
	text      string
	cut       bool
	born      time.Time
	flat      bool   // on one line
	copies    string // ids of copies in narrower scopes
	edges     string // how it is linked
	pinned    bool
	origin    string // who said it, but for a person
	behind    bool   // another one seems to hold in its place
	outdated  string // what it names and isn't there any more
	also      string // other wordings that the question touches
	more      int    // that it doesn't
}

// date is the day that matters, when an event was, or when anything else was last written, and a
// blank: "20260227 ", which is half the tokens of 2026-02-27.
func (e entry) date() string {
	day := cmp.Or(e.updated, e.created)
	if e.typ == memory.Episodic {
		day = cmp.Or(e.created, e.updated)
	}
	if day == "" {
		return ""
	}
	return strings.ReplaceAll(day, "-", "") + " "
}

// originOf is who said a memory, unless a person said it or nobody knows.
func originOf(m *memory.Memory) string {
	switch m.Origin {
	case memory.OriginAgent, memory.OriginTool, memory.OriginImport, memory.OriginModel:
		return m.Origin
	}
	return ""
}

// says is the summary and the text as one.
func (e entry) says() string {
	last, _ := utf8.DecodeLastRuneInString(e.summary)
	switch {
	case e.summary == "":
		return e.text
	case unicode.IsPunct(last):
		return e.summary + " " + e.text
	}
	return e.summary + ": " + e.text
}

// wordings is what is said of the other wordings, behind the text; "" where there are none.
func (e entry) wordings() (text string) {
	if e.also != "" {
		text = "(also: " + e.also + ") "
	}
	if e.more > 0 {
		text += fmt.Sprintf("(+%d)", e.more)
	}
	return strings.TrimSpace(text)
}

// summaries is the group of memories that replace several, or a longer text.
const summaries = "summaries"

// GroupOf is the group that a memory counts in. A block takes a limited number of each group: its
// type, or that of summaries.
func GroupOf(m *memory.Memory) string {
	if len(m.Supersedes) > 0 || m.HasTag("summarized") || memory.IsClusterSummary(m) {
		return summaries
	}
	return typeOf(m)
}

// typeOf is a type as a block may show it.
func typeOf(m *memory.Memory) string {
	if isWord(m.Type) {
		return m.Type
	}
	return cleanLine(cmp.Or(strings.ToLower(strings.TrimSpace(m.Type)), "other"), 40)
}

// isWord reports whether a type is a short word of small letters, as nearly all are.
func isWord(text string) bool {
	for _, c := range []byte(text) {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return text != "" && len(text) <= 40
}

// clusterText is what a block says of a cluster: its title and how many memories it has, its summary, and what else they tell.
func clusterText(m *memory.Memory) (text string, members int) {
	members = len(memory.ClusterOf(m).Members)
	content := m.Content()
	var all []string
	add := func(line string) {
		if line = strings.Join(strings.Fields(clean(line)), " "); line != "" && !strings.Contains(strings.Join(all, " "), line) {
			all = append(all, line)
		}
	}
	if title := content.Get("title").String(); title != "" {
		add(fmt.Sprintf("%s (%d memories)", title, members))
	}
	add(content.Get("summary").String())
	for _, insight := range content.Get("key_insights").Array() {
		add(insight.Get("text").String())
	}
	return strings.Join(all, "\n"), members
}

func newEntry(c *Candidate, r Request) entry {
	f, zone := r.Format, cmp.Or(r.Zone, time.UTC)
	m := c.Memory
	e := entry{
		kind: m.Scope.Kind, scope: cleanLine(m.Scope.String(), 100),
		typ: typeOf(m), id: m.ID, tier: c.Tier, score: c.Score, relevance: c.Relevance,
		created: date(m.Born(), zone), updated: date(m.UpdatedAt, zone), members: 1 + len(m.Supersedes), born: m.Born(),
		flat: f == Markdown, copies: cleanLine(strings.Join(c.Copies, " "), 400), edges: cleanLine(strings.Join(slices.Concat(c.Newer, c.Edges), "; "), 400), behind: len(c.Newer) > 0, origin: originOf(m),
		outdated: cleanLine(c.Outdated, 400), pinned: m.Pinned(),
	}
	if e.updated == e.created {
		e.updated = ""
	}
	line, stated := m.Summary()
	text := clean(m.Text())
	if memory.IsClusterSummary(m) {
		text, e.members = clusterText(m)
		stated = false
	}
	if stated {
		e.summary = cleanLine(line, 200)
	}
	// What is said twice is said once.
	said := strings.TrimSuffix(e.summary, "…")
	var lines []string
	for line := range strings.Lines(text) {
		if strings.Join(strings.Fields(line), " ") != e.summary {
			lines = append(lines, line)
		}
	}
	if m.Content().IsObject() && len(lines) > 0 {
		text = strings.TrimSpace(strings.Join(lines, ""))
	}
	if strings.HasPrefix(strings.Join(strings.Fields(text), " "), said) {
		e.summary = ""
	}
	if text == "" {
		text, e.summary = e.summary, ""
	}
	if e.flat {
		text = strings.Join(strings.Fields(text), " ")
	}
	e.text = text
	var also []string
	for _, v := range memory.Variants(m) {
		if r.Touches != nil && len(also) < mostAlso && r.Touches(v.Words(), m.Text()) {
			also = append(also, cleanLine(v.Line(), shortText))
		} else {
			e.more++
		}
	}
	e.also = strings.Join(also, "; ")
	return e
}

// shortened cuts the text to a number of characters.
func (e entry) shortened(limit int) entry {
	if cut, ok := cutText(e.text, limit); ok {
		e.text, e.cut = cut, true
	}
	return e
}

// cutText cuts a text at a word, and reports whether it had to.
func cutText(text string, limit int) (string, bool) {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text, false
	}
	n := 0
	for i := range text {
		if n == limit-1 {
			text = text[:i]
			break
		}
		n++
	}
	if i := strings.LastIndexFunc(text, unicode.IsSpace); i > len(text)/2 {
		text = text[:i]
	}
	return strings.TrimRightFunc(text, unicode.IsSpace) + "…", true
}

func date(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return t.In(zone).Format(time.DateOnly)
}

// maxClean bounds what is looked at of one text: more of it is never shown.
const maxClean = 8 * longText

// clean makes a text safe to show: valid UTF-8, without characters that can't be seen
// and could hide or turn around others; no blanks at the ends of lines, no empty lines.
func clean(text string) string {
	if len(text) > maxClean {
		text = text[:maxClean]
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.Map(visible, text)
	var lines []string
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }) {
		if line = strings.TrimRightFunc(line, unicode.IsSpace); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// visible drops control and format characters, but for line ends, tabs and the joiners
// that scripts and emoji need.
func visible(r rune) rune {
	switch {
	case r == '\n' || r == '\r' || r == '\t' || r == '\u200c' || r == '\u200d':
		return r
	case r == '\ufe0e' || r == '\ufe0f': // letters or pictures
		return r
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
		return -1
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r >= 0xE0000 && r <= 0xE0FFF, r&0xFFFE == 0xFFFE:
		return -1
	}
	return r
}

// cleanLine is clean on one line of at most limit characters.
func cleanLine(text string, limit int) string {
	text, _ = cutText(strings.Join(strings.Fields(clean(text)), " "), limit)
	return text
}

// pinnedFirst compares entries by whether they are pinned.
func pinnedFirst(a, b entry) int {
	switch {
	case a.pinned == b.pinned:
		return 0
	case a.pinned:
		return -1
	}
	return 1
}

// yesLast compares two marks: what has it comes last.
func yesLast(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// sorted puts entries into the order in which a block shows them.
func sorted(entries []entry) []entry {
	all := slices.Clone(entries)
	slices.SortStableFunc(all, func(a, b entry) int {
		return cmp.Or(pinnedFirst(a, b), cmp.Compare(rank(scopes, a.kind), rank(scopes, b.kind)), cmp.Compare(a.scope, b.scope),
			cmp.Compare(rank(types, a.typ), rank(types, b.typ)), cmp.Compare(a.typ, b.typ), yesLast(a.behind, b.behind),
			cmp.Compare(a.tier, b.tier), a.born.Compare(b.born), cmp.Compare(a.id, b.id))
	})
	return all
}

// The order of scopes, the widest first; and of types: what holds always, before what
// happened.
var (
	scopes = []string{"global", "team", "project", "agent", "session"}
	types  = []string{memory.Semantic, memory.Procedural, memory.Factual, memory.Episodic}
)

// rank is the place of a name in an order. What isn't in it comes last.
func rank(order []string, name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}
