package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/adrg/strutil"
	"github.com/adrg/strutil/metrics"
)

// similar is how alike two words must be for one to be taken as a misspelling of
// the other: the share of letters that need no edit, as Levenshtein counts.
const similar = 0.6

// closest returns the option most like word, "" if none is much like it. Case,
// and - for _, make no difference.
func closest(word string, options []string) string {
	norm := strings.NewReplacer("-", "_").Replace
	best, bestScore := "", similar
	for _, option := range options {
		a, b := norm(strings.ToLower(word)), norm(strings.ToLower(option))
		if a == "" || b == "" || len(a) > 100 {
			continue // nothing is like the empty word, and long ones cost time
		}
		score := strutil.Similarity(a, b, metrics.NewLevenshtein())
		if len(a) > 2 && strings.Contains(b, a) {
			score = max(score, 0.75) // a part of the name
		}
		if score > bestScore || score == bestScore && best == "" {
			best, bestScore = option, score
		}
	}
	return best
}

// show quotes a TOML value in a message.
func show(v any) string {
	switch v := v.(type) {
	case string:
		return quoted(v)
	case int64, float64, bool:
		return fmt.Sprint(v)
	case time.Time:
		return "a date"
	case []any, []map[string]any:
		return "a list"
	}
	return "a table"
}

func quoted(s string) string { return strconv.Quote(shorten(s)) }

// plain writes a key in a message: as it is, or quoted if it holds what
// doesn't print.
func plain(key string) string {
	if strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return quoted(key)
	}
	return shorten(key)
}

// shorten cuts s to what fits into a message.
func shorten(s string) string {
	const limit = 40
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

// orList writes "a", "a or b", "a, b or c".
func orList(items []string) string { return enumerate(items, " or ") }

// andList writes "a", "a and b", "a, b and c".
func andList(items []string) string { return enumerate(items, " and ") }

func enumerate(items []string, last string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	end := len(items) - 1
	return strings.Join(items[:end], ", ") + last + items[end]
}
