package audit

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// Characters that nobody sees hide instructions from people or turn the order of a text around: see https://trojansource.codes and Unicode
// Technical Standard 39.

// hiddenNames are the characters that are reported by name; from is the first of a range, to the last.
var hiddenNames = []struct {
	from, to rune
	name     string
}{
	{0x00, 0x08, "control character"}, {0x0b, 0x0c, "control character"}, {0x0e, 0x1f, "control character"}, {0x7f, 0x9f, "control character"},
	{0xad, 0xad, "soft hyphen"}, {0x34f, 0x34f, "combining grapheme joiner"}, {0x61c, 0x61c, "Arabic letter mark"}, {0x115f, 0x1160, "Hangul filler"},
	{0x17b4, 0x17b5, "Khmer inherent vowel"}, {0x180b, 0x180f, "Mongolian selector"}, {0x200b, 0x200b, "zero width space"},
	{0x200c, 0x200c, "zero width non-joiner"}, {0x200d, 0x200d, "zero width joiner"}, {0x200e, 0x200e, "left-to-right mark"}, {0x200f, 0x200f, "right-to-left mark"},
	{0x202a, 0x202b, "directional embedding"}, {0x202c, 0x202c, "pop directional formatting"}, {0x202d, 0x202d, "left-to-right override"}, {0x202e, 0x202e, "right-to-left override"},
	{0x2060, 0x2060, "word joiner"}, {0x2061, 0x2064, "invisible operator"}, {0x2066, 0x2068, "directional isolate"}, {0x2069, 0x2069, "pop directional isolate"},
	{0x206a, 0x206f, "deprecated format character"}, {0x3164, 0x3164, "Hangul filler"}, {0xfe00, 0xfe0f, "variation selector"}, {0xfeff, 0xfeff, "zero width no-break space"},
	{0xffa0, 0xffa0, "Hangul filler"}, {0xfff9, 0xfffb, "interlinear annotation"}, {0xe0000, 0xe007f, "tag character"}, {0xe0100, 0xe01ef, "variation selector"},
}

// hiddenName is what a character is called; "" for one that is seen.
func hiddenName(r rune) string {
	for _, x := range hiddenNames {
		if r >= x.from && r <= x.to {
			return x.name
		}
	}
	return ""
}

// hidden finds such characters in a file: one finding, at the first line that has some. Those that turn the order of a text around or
// spell text that nobody sees are errors; a stray space of zero width is advice.
func hidden(f *file) []Finding {
	found := Finding{Rule: HiddenText, Severity: Advice, Path: f.name}
	lines := 0
	for i, l := range f.lines {
		what, count := hiddenIn(l.text)
		if count == 0 {
			continue
		}
		if lines++; lines == 1 {
			found.Line, found.Text, found.Message = i+1, what, "holds characters that nobody sees: "+what
		}
		if strings.Contains(what, "tag character") || strings.Contains(what, "override") || strings.Contains(what, "isolate") || strings.Contains(what, "embedding") {
			found.Severity = Error
		}
	}
	if lines == 0 {
		return nil
	}
	if lines == 2 {
		found.Message += ", and more in another line"
	} else if lines > 2 {
		found.Message += fmt.Sprintf(", and more in %d other lines", lines-1)
	}
	return []Finding{found}
}

// hiddenIn names the characters of a line that are hidden and have no reason to be there, each kind once.
func hiddenIn(text string) (what string, count int) {
	if !strings.ContainsFunc(text, func(r rune) bool { return (r < 0x20 || r > 0x7e) && hiddenName(r) != "" }) {
		return "", 0
	}
	line := []rune(text)
	written := direction(line)
	counts := map[string]int{}
	var order []string
	for i, r := range line {
		name := hiddenName(r)
		if name == "" || r == '\t' || usual(line, i, written) {
			continue
		}
		if name = fmt.Sprintf("U+%04X %s", r, name); hiddenName(r) == "tag character" || hiddenName(r) == "variation selector" {
			name = hiddenName(r)
		}
		if counts[name]++; counts[name] == 1 {
			order = append(order, name)
		}
		count++
	}
	for i, name := range order {
		if counts[name] > 1 {
			order[i] += fmt.Sprintf(" (%d)", counts[name])
		}
	}
	return strings.Join(order, ", "), count
}

// direction reports whether a line is written from right to left in part, and its isolates are closed.
func direction(line []rune) (both bool) {
	open := 0
	for _, r := range line {
		switch {
		case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko):
			both = true
		case r >= 0x2066 && r <= 0x2068:
			open++
		case r == 0x2069:
			if open--; open < 0 {
				return false
			}
		}
	}
	return both && open == 0
}

// usual reports whether an invisible character stands where writing needs it: joiners in scripts that have them and between emoji, a
// selector behind a symbol, the tags of a flag, marks of direction in a line that has both.
func usual(line []rune, i int, both bool) bool {
	var before, after rune
	if i > 0 {
		before = line[i-1]
	}
	if i+1 < len(line) {
		after = line[i+1]
	}
	switch r := line[i]; {
	case r == 0x200c || r == 0x200d:
		return joining(before) && (joining(after) || after == 0 || !unicode.IsLetter(after)) || r == 0x200d && symbol(before) && symbol(after)
	case r == 0xfe0e || r == 0xfe0f:
		return symbol(before) || before >= '0' && before <= '9' || before == '#' || before == '*'
	case r >= 0xfe00 && r <= 0xfe02, r >= 0xe0100 && r <= 0xe01ef:
		return unicode.In(before, unicode.Han, unicode.Mongolian) || unicode.Is(unicode.Sm, before)
	case r >= 0xe0020 && r <= 0xe007f:
		return flag(line, i)
	case r >= 0x180b && r <= 0x180f:
		return unicode.Is(unicode.Mongolian, before)
	case r == 0xad:
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	case r == 0x200e || r == 0x200f || r == 0x61c || r >= 0x2066 && r <= 0x2069:
		return both
	}
	return false
}

// joining reports letters of scripts in which joiners make a difference.
func joining(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
		unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// symbol reports emoji, and the variation selector and the keycap of emoji sequences.
func symbol(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sk, unicode.Sm) || r == 0xfe0f || r == 0x20e3 || r == '©' || r == '®' || r == '‼' || r == '⁉'
}

// flag reports whether the tag at i belongs to a flag of a region: a black flag, up to six tags, the end.
func flag(line []rune, i int) bool {
	start := i
	for start > 0 && i-start < 8 && line[start] >= 0xe0020 && line[start] <= 0xe007f {
		start--
	}
	end := i
	for end < len(line)-1 && end-i < 8 && line[end] != 0xe007f {
		end++
	}
	return line[start] == 0x1f3f4 && line[end] == 0xe007f && end-start <= 7
}

// override are instructions that nobody writes for people to see.
var override = lazyregexp.New(`(?i)\b(ignore|disregard|forget) (all |any )?(of )?(the |your )?(previous|prior|above|earlier|other) (instructions|rules|prompts)|\b(do not|don't|never) (tell|inform|mention (this|it) to|reveal (this|it) to) (the )?user|\bwithout (telling|informing|asking) the user`)

// concealed finds such instructions in comments of HTML, which agents read and pages don't show.
func concealed(f *file) (all []Finding) {
	for i, l := range f.lines {
		if !l.comment {
			continue
		}
		if at := override.FindString(l.text); at != "" {
			all = append(all, Finding{Rule: HiddenText, Severity: Error, Path: f.name, Line: i + 1, Text: at, Message: fmt.Sprintf("a comment that no page shows tells agents %q", at)})
		}
	}
	return all
}
