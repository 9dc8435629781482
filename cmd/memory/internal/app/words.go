package app

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/adrg/strutil"
	"github.com/adrg/strutil/metrics"

	"github.com/memoryd/memoryd/pkg/oplog"
)

// Quantity names a number of things.
func Quantity(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "y") && !strings.HasSuffix(what, "ay"):
		return Thousands(n) + " " + strings.TrimSuffix(what, "y") + "ies"
	case strings.HasSuffix(what, "ex"):
		return Thousands(n) + " " + what + "es"
	}
	return Thousands(n) + " " + what + "s"
}

// Thousands writes 12345 as 12,345.
func Thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Reason writes a reason of one word for people.
func Reason(reason string) string { return strings.ReplaceAll(reason, "_", " ") }

// Totals writes what a run did, or would do, in one line.
func Totals(s oplog.Stats) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{s.MemoriesMerged, "merged away"}, {s.MemoriesPromoted, "promoted"}, {s.MemoriesProposed, "proposed"}, {s.MemoriesSummarized, "summarised"},
		{s.MemoriesArchived, "archived"}, {s.MemoriesRestored, "restored"}, {s.MemoriesEdited, "edited"}, {s.MemoriesDecided, "kept apart"},
		{s.ClustersSummarised, "clusters summarised"}, {s.EdgesChanged, "edges changed"},
		{s.MemoriesFlagged, "flagged for review"}, {s.MemoriesSkipped, "left alone"}, {s.MemoriesDeferred, "deferred"},
	} {
		if p.n == 1 {
			p.what = strings.Replace(p.what, "s ", " ", 1) // of what is named: "clusters summarised"
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

// similar is the least share of letters that two alike words have in common, as
// Levenshtein counts.
const similar = 0.5

// Closest is the option most like word, "" if none is much like it. Among those
// alike, Jaro-Winkler decides: it forgives swapped letters and likes the same
// beginning.
func Closest(word string, options []string) string {
	if len(word) > 200 {
		return "" // comparing long words costs time
	}
	word = strings.ToLower(word)
	best, most := "", 0.0
	for _, option := range options {
		other := strings.ToLower(option)
		alike := strutil.Similarity(word, other, metrics.NewLevenshtein())
		if len(word) > 1 && strings.HasPrefix(other, word) {
			alike = max(alike, 0.75)
		}
		score := alike + strutil.Similarity(word, other, metrics.NewJaroWinkler())
		if alike >= similar && (score > most || score == most && option < best) {
			best, most = option, score
		}
	}
	return best
}
