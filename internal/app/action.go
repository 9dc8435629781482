package app

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/adrg/strutil"
	"github.com/adrg/strutil/metrics"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/text"
)

// DescribeAction says in one line what an action does.
func DescribeAction(a *oplog.Action) string {
	id := a.MemoryID
	switch a.Type {
	case oplog.Merge:
		return fmt.Sprintf("merge %s into %s", Quantity(len(a.SourceIDs), "duplicate"), a.ResultID)
	case oplog.Review:
		if a.Reason == rules.ReasonSupersede && len(a.MemoryIDs) > 1 {
			newer, older := a.MemoryIDs[len(a.MemoryIDs)-1], a.MemoryIDs[:len(a.MemoryIDs)-1]
			return fmt.Sprintf("ask a person whether %s supersedes %s", newer, strings.Join(older, ", "))
		}
		return fmt.Sprintf("ask a person about %s: %s", Quantity(len(a.MemoryIDs), "memory"), Reason(a.Reason))
	case oplog.Summarize:
		return fmt.Sprintf("summarise %s: %s characters instead of %s", id, Thousands(a.CharsAfter), Thousands(a.CharsBefore))
	case oplog.Promote:
		return fmt.Sprintf("promote %s from %s to %s", id, a.From, a.To)
	case oplog.Propose:
		return fmt.Sprintf("propose %s of %s for %s", id, a.From, a.To)
	case oplog.Cluster:
		return fmt.Sprintf("summarise a cluster of %s in %s", Quantity(len(a.MemoryIDs), "memory"), a.ResultID)
	case oplog.Tend:
		return "tend " + a.Detail
	case oplog.Link, oplog.Unlink:
		return a.Type + " " + a.Detail
	case oplog.Add:
		if len(a.MemoryIDs) > 1 {
			return fmt.Sprintf("add %s, and ask a person about it and %s: %s", id, strings.Join(a.MemoryIDs[:len(a.MemoryIDs)-1], ", "), Reason(a.Reason))
		}
	case oplog.Undo:
		return strings.TrimSuffix(UndoneWord(a), "ne") + ": " + a.Detail
	case oplog.Sync:
		return "sync: " + a.Detail
	case oplog.Archive:
		return fmt.Sprintf("archive %s: %s", id, Reason(a.Reason))
	}
	return a.Type + " " + id
}

// ActionReason is the reason of an action, with its scores.
func ActionReason(a *oplog.Action) string {
	var parts []string
	if a.ContentSimilarity != nil && a.TagOverlap != nil {
		parts = append(parts, Alike(*a.ContentSimilarity, *a.TagOverlap))
	}
	if words := Kept(a); words != "" {
		parts = append(parts, words)
	}
	if a.Detail != "" && a.Type != oplog.Review {
		parts = append(parts, a.Detail)
	}
	if a.Type == oplog.Promote || a.Type == oplog.Propose {
		parts = append(parts, "the copy becomes "+a.ResultID)
	}
	return strings.Join(parts, "; ")
}

// Alike says how similar two memories are.
func Alike(content, tags float64) string {
	text := fmt.Sprintf("%s the same words", percent(content))
	if tags == 1 {
		return text + ", same tags"
	}
	return text + ", " + percent(tags) + " the same tags"
}

// percent writes a share; what is not all is never written as all.
func percent(share float64) string {
	n := math.Round(share * 100)
	if share < 1 {
		n = min(n, 99)
	}
	return fmt.Sprintf("%.0f %%", n)
}

// Words are the words that stand for a memory where it is listed: its summary, else the beginning of its text, else its file.
func Words(m *memory.Memory) string {
	if m == nil {
		return ""
	}
	if line, _ := m.Summary(); line != "" {
		return line
	}
	if text := strings.Join(strings.Fields(m.Text()), " "); text != "" {
		return Headline(text)
	}
	return m.Ref.String()
}

// WordsOf are [Words] of the memory with an id; "" where there is none.
func WordsOf(snap *memory.Snapshot, id string) string {
	for _, m := range snap.Find(id) {
		return Words(m)
	}
	return ""
}

// Kept says what a merge did with the facts of its sources (their numbers, dates, identifiers and names) and with their wording. "" for an
// action that doesn't tell.
func Kept(a *oplog.Action) string {
	words := factsKept(a)
	if a.WordingsKept == 0 {
		return words
	}
	return strings.TrimPrefix(words+"; keeps "+Quantity(a.WordingsKept, "other wording"), "; ")
}

func factsKept(a *oplog.Action) string {
	if a.FactsKept == nil || a.FactsArchived == nil {
		return ""
	}
	switch kept, left := *a.FactsKept, *a.FactsArchived; {
	case kept+left == 0:
		return "no numbers or names to carry over"
	case left == 0:
		return Quantity(kept, "fact") + " kept"
	case kept == 0:
		return Quantity(left, "fact") + " in the archive"
	default:
		return fmt.Sprintf("%s of %s kept, the others in the archive", Thousands(kept), Quantity(kept+left, "fact"))
	}
}

// DifferenceVerb is the word before a difference, or before the evidence of an update, in a question to a person.
func DifferenceVerb(reason string) string {
	if reason == rules.ReasonSupersede {
		return "updates"
	}
	return "differs"
}

// RoleInReview names the i-th memory of a question: which is the newer matters only where it is said to update the
// others.
func RoleInReview(a *oplog.Action, i int) string {
	switch {
	case a.Reason != rules.ReasonSupersede:
		return "either"
	case i == len(a.MemoryIDs)-1:
		return "newer"
	}
	return "older"
}

// Quantity names a number of things.
func Quantity(n int, what string) string { return Thousands(n) + " " + text.Plural(n, what) }

// Thousands writes 12345 as 12,345.
func Thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Reason writes a reason of one word for people.
func Reason(reason string) string {
	if reason == rules.ReasonUser {
		return "written by USER, so left unchanged"
	}
	return strings.ReplaceAll(reason, "_", " ")
}

// Planned writes what a plan would do in one line: "4 to merge, 3 to promote".
func Planned(s oplog.Stats) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{s.MemoriesMerged, "to merge"}, {s.MemoriesPromoted, "to promote"}, {s.MemoriesProposed, "to propose"}, {s.MemoriesSummarized, "to summarise"},
		{s.MemoriesArchived, "to archive"}, {s.MemoriesRestored, "to restore"}, {s.MemoriesEdited, "to edit"},
		{s.ClustersSummarised, "clusters to summarise"}, {s.EdgesChanged, "edges to change"}, {s.IndexesTended, "indexes to bring up to date"},
		{s.MemoriesFlagged, "to ask about"}, {s.MemoriesSkipped, "left alone"}, {s.MemoriesDeferred, "deferred"},
	} {
		if p.n == 1 {
			p.what = strings.Replace(strings.Replace(p.what, "indexes", "index", 1), "s to", " to", 1) // of what is named: "clusters to summarise"
		}
		if p.n > 0 {
			parts = append(parts, Thousands(p.n)+" "+p.what)
		}
	}
	if len(parts) == 0 {
		return "nothing to do"
	}
	return strings.Join(parts, ", ")
}

// Totals writes what a run did in one line: "4 merged, 3 promoted".
func Totals(s oplog.Stats) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{s.MemoriesMerged, "merged"}, {s.MemoriesPromoted, "promoted"}, {s.MemoriesProposed, "proposed"}, {s.MemoriesSummarized, "summarised"},
		{s.MemoriesArchived, "archived"}, {s.MemoriesRestored, "restored"}, {s.MemoriesAdded, "added"}, {s.MemoriesEdited, "edited"}, {s.MemoriesDecided, "kept apart"},
		{s.ClustersSummarised, "clusters summarised"}, {s.EdgesChanged, "edges changed"}, {s.IndexesTended, "indexes brought up to date"},
		{s.MemoriesFlagged, "flagged for review"}, {s.MemoriesSkipped, "left alone"}, {s.MemoriesDeferred, "deferred"},
	} {
		if p.n == 1 {
			p.what = strings.Replace(strings.Replace(p.what, "indexes", "index", 1), "s ", " ", 1) // of what is named: "clusters summarised"
		}
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", Thousands(p.n), p.what))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// First lists the first few of the words and counts the others.
func First(words []string, n int) string { return FirstOf(words, n, len(words)) }

// FirstOf does so for words that are the first of all.
func FirstOf(words []string, n, all int) string {
	text := strings.Join(words[:min(n, len(words))], ", ")
	if more := all - min(n, len(words)); more > 0 {
		text += fmt.Sprintf(" and %s more", Thousands(more))
	}
	return text
}

// similar is the share of letters that two alike words have more of in common, as Levenshtein counts.
const similar = 0.5

// Closest is the option most like word, "" if none is much like it: most letters are the same, or all of
// them are and some have changed places. Among those alike, Jaro-Winkler decides: it forgives swapped
// letters and likes the same beginning.
func Closest(word string, options []string) string {
	if len(word) > 200 {
		return "" // comparing long words costs time
	}
	word = strings.ToLower(word)
	letters := sortedLetters(word)
	best, most := "", 0.0
	for _, option := range options {
		other := strings.ToLower(option)
		alike := strutil.Similarity(word, other, metrics.NewLevenshtein())
		if len(word) > 1 && (strings.HasPrefix(other, word) || sortedLetters(other) == letters) {
			alike = max(alike, 0.75)
		}
		score := alike + strutil.Similarity(word, other, metrics.NewJaroWinkler())
		if alike > similar && (score > most || score == most && option < best) {
			best, most = option, score
		}
	}
	return best
}

func sortedLetters(word string) string {
	letters := []rune(word)
	slices.Sort(letters)
	return string(letters)
}

// ErrEmptyText refuses a text that says nothing.
var ErrEmptyText = errors.New("the text is empty")

// summaryLength is how long the summary of a text gets, in characters; a longer
// text, or one of several lines, has details as well.
const summaryLength = 140

// TextContent is the content of a memory that says a text.
func TextContent(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, ErrEmptyText
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("the text is not UTF-8")
	}
	content := struct {
		Summary string `json:"summary"`
		Details string `json:"details,omitempty"`
	}{Summary: Headline(text)}
	if content.Summary != text {
		content.Details = text
	}
	return document.Marshal(content)
}

// Headline is the first sentence of a text, or as much of its first line as fits.
func Headline(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	if utf8.RuneCountInString(line) <= summaryLength {
		return line
	}
	head := string([]rune(line)[:summaryLength])
	if end := strings.LastIndexAny(head, ".!?"); end > 0 && strings.HasPrefix(line[end+1:], " ") {
		return head[:end+1]
	}
	head = string([]rune(head)[:summaryLength-1])
	if end := strings.LastIndexByte(head, ' '); end > len(head)/2 {
		head = head[:end]
	}
	return strings.TrimRight(head, " ,;:") + "…"
}

// Would says what a run would do: "merge 7, promote 1 and archive 2". What is usual is said although it would do nothing of it, if
// even is set.
func Would(s oplog.Stats, even bool) string {
	var parts []string
	for _, p := range []struct {
		what  string
		n     int
		usual bool
	}{
		{"merge", s.MemoriesMerged, true}, {"promote", s.MemoriesPromoted, false}, {"propose", s.MemoriesProposed, false}, {"summarise", s.MemoriesSummarized, false},
		{"restore", s.MemoriesRestored, false}, {"edit", s.MemoriesEdited, false}, {"ask about", s.MemoriesFlagged, true}, {"archive", s.MemoriesArchived, true},
	} {
		if p.n > 0 || p.usual && even {
			parts = append(parts, p.what+" "+Thousands(p.n))
		}
	}
	switch n := len(parts) - 1; n {
	case -1:
		return "do nothing"
	case 0:
		return parts[0]
	default:
		return strings.Join(parts[:n], ", ") + " and " + parts[n]
	}
}
