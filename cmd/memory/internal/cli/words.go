package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/adrg/strutil"
	"github.com/adrg/strutil/metrics"

	"github.com/memoryd/memoryd/pkg/oplog"
)

// similar is the least share of letters that two alike words have in common, as
// Levenshtein counts.
const similar = 0.5

// closest is the option most like word, "" if none is much like it. Among those
// alike, Jaro-Winkler decides: it forgives swapped letters and likes the same
// beginning.
func closest(word string, options []string) string {
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

// quantity names a number of things.
func quantity(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "y") && !strings.HasSuffix(what, "ay"):
		return thousands(n) + " " + strings.TrimSuffix(what, "y") + "ies"
	case strings.HasSuffix(what, "ex"):
		return thousands(n) + " " + what + "es"
	}
	return thousands(n) + " " + what + "s"
}

// thousands writes 12345 as 12,345.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// quoteAll writes words of the user's as they would be typed.
func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return strings.Join(quoted, " ")
}

// when writes a time for people; "-" when it isn't known.
func when(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// day writes the day of a time.
func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateOnly)
}

// reasonWords writes a reason of one word for people.
func reasonWords(reason string) string { return strings.ReplaceAll(reason, "_", " ") }

// totals writes what a run did, or would do, in one line.
func totals(s oplog.Stats) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{s.MemoriesMerged, "merged away"}, {s.MemoriesPromoted, "promoted"}, {s.MemoriesSummarized, "summarised"},
		{s.MemoriesArchived, "archived"}, {s.MemoriesRestored, "restored"}, {s.MemoriesEdited, "edited"}, {s.MemoriesDecided, "kept apart"},
		{s.MemoriesFlagged, "flagged for review"}, {s.MemoriesSkipped, "left alone"}, {s.MemoriesDeferred, "deferred"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", thousands(p.n), p.what))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
