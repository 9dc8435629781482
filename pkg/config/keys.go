package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/adrg/strutil"
	"github.com/adrg/strutil/metrics"

	"github.com/memoryd/memoryd/pkg/text"
)

// find returns the row of a key.
func (s *Settings) find(key string) (setting, bool) {
	for _, row := range s.table() {
		if row.key == key {
			return row, true
		}
	}
	return setting{}, false
}

// canonical is the name of a section as keys have it.
func canonical(section string) string {
	if section == "summarize" {
		return "summarise"
	}
	return section
}

// renamed gives the keys of settings that had another name before.
var renamed = map[string]string{"supersede.propose": "supersede.enabled"}

// canonicalKey is the key of a setting as the table has it.
func canonicalKey(key string) string {
	if section, name, ok := strings.Cut(key, "."); ok {
		key = canonical(section) + "." + name
	}
	return cmp.Or(renamed[key], key)
}

// sections returns the names of the sections in the order of the table.
func sections() []string {
	var names []string
	for _, row := range new(Settings).table() {
		section, _, ok := strings.Cut(row.key, ".")
		if ok && !slices.Contains(names, section) {
			names = append(names, section)
		}
	}
	return append(names, "schedules", "teams")
}

// named reports whether a section holds entries by names of their own.
func named(section string) bool { return section == "schedules" || section == "teams" }

// sectionNames returns the names of the settings in a section; nil if there is
// no such section. In schedules and teams there are none to know.
func sectionNames(section string) []string {
	if named(section) {
		return []string{}
	}
	var names []string
	for _, row := range new(Settings).table() {
		if name, ok := strings.CutPrefix(row.key, section+"."); ok {
			names = append(names, name)
		}
	}
	return names
}

// unknownKey is the message for a key that is not a setting: what was probably
// meant, or what there is.
func unknownKey(key string) string {
	section, name, inSection := strings.Cut(key, ".")
	if !inSection {
		section, name = "", key
	}
	names := sectionNames(section)
	if inSection && names == nil {
		return unknownSection(section)
	}
	key = plain(key)
	var elsewhere []string
	for _, row := range new(Settings).table() {
		_, last, ok := strings.Cut(row.key, ".")
		if !ok && row.key == name {
			return fmt.Sprintf("%s is unknown: %s stands at the top of the file, before the first section", key, name)
		}
		if ok && last == name {
			elsewhere = append(elsewhere, row.key)
		}
	}
	if len(elsewhere) > 0 {
		return fmt.Sprintf("%s is unknown: did you mean %s?", key, orList(elsewhere))
	}
	if option := closest(name, names); option != "" {
		return fmt.Sprintf("%s is unknown: did you mean %s?", key, option)
	}
	if !inSection {
		option := closest(name, append([]string{"preset"}, sections()...))
		switch option {
		case "":
			return fmt.Sprintf("%s is unknown: preset and the sections stand at the top", key)
		case "preset":
			return fmt.Sprintf("%s is unknown: did you mean preset?", key)
		}
		return fmt.Sprintf("%s is unknown: did you mean the section [%s]?", key, option)
	}
	return fmt.Sprintf("%s is unknown: [%s] has %s", key, section, andList(names))
}

func unknownSection(name string) string {
	all := sections()
	if option := closest(name, all); option != "" {
		return fmt.Sprintf("[%s] is unknown: did you mean [%s]?", plain(name), option)
	}
	return fmt.Sprintf("[%s] is unknown: the sections are [%s]", plain(name), strings.Join(all, "], ["))
}

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
func shorten(s string) string { return text.Truncate(s, 40) }

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
