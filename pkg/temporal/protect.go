package temporal

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// protected returns the parts of text in which words don't speak of time: code, and runs of characters that are URLs, paths, file names,
// versions or identifiers. The regions are sorted and don't overlap.
func protected(text string, lang *language) []region {
	out := append(code(text), lang.runs(text)...)
	slices.SortFunc(out, func(a, b region) int { return a.start - b.start })
	merged := out[:0]
	for _, r := range out {
		if n := len(merged); n > 0 && r.start < merged[n-1].end {
			merged[n-1].end = max(merged[n-1].end, r.end)
		} else {
			merged = append(merged, r)
		}
	}
	return merged
}

// code finds `code` and fenced blocks as CommonMark does: a run of backticks (of tildes, for a block) closes with a run of the same length. One that never
// closes, or only behind an empty line, is text; but three or more at the start of a line fence all that follows.
func code(text string) (out []region) {
	const fence = 3
	var runs []region
	for i := 0; i < len(text); i++ {
		if j := i; text[i] == '`' || strings.HasPrefix(text[i:], "~~~") {
			for i < len(text) && text[i] == text[j] {
				i++
			}
			runs = append(runs, region{j, i})
		}
	}
	next := map[string]int{} // the nearest run of the same length to the right, plus one
	closing := make([]int, len(runs))
	for i := len(runs) - 1; i >= 0; i-- {
		run := text[runs[i].start:runs[i].end]
		closing[i] = next[run] - 1
		next[run] = i + 1
	}
	for i := 0; i < len(runs); i++ {
		r, c := runs[i], closing[i]
		fenced := r.end-r.start >= fence && (r.start == 0 || text[r.start-1] == '\n')
		switch {
		case c > i && (fenced || !strings.Contains(text[r.end:runs[c].start], "\n\n")):
			out, i = append(out, region{r.start, runs[c].end}), c
		case c <= i && fenced:
			return append(out, region{r.start, len(text)})
		}
	}
	return out
}

// quotes finds "quoted text": somebody else's words, an error message, a file
// name. A straight mark directly after a word is an inch or a stray, not an
// opening one.
func quotes(text string) []region {
	const reach = 400 // a longer quotation is more likely a stray mark
	var out []region
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		closer := closingQuote(r)
		if closer == "" || i > 0 && closer == `"` && wordBefore(text, i) {
			i += size
			continue
		}
		window := text[i+size : min(len(text), i+size+reach)]
		end := strings.Index(window, closer)
		if end < 0 {
			i += size
			continue
		}
		stop := i + size + end + len(closer)
		out = append(out, region{i, stop})
		i = stop
	}
	return out
}

func closingQuote(r rune) string {
	switch r {
	case '"':
		return `"`
	case '“':
		return "”"
	case '„':
		return "“"
	case '«':
		return "»"
	}
	return ""
}

// runs finds the whitespace-delimited runs that are names of things rather than
// words: URLs, paths, file names, versions, dotted or underscored identifiers.
func (l *language) runs(text string) []region {
	var out []region
	start := -1
	for i, r := range text {
		if !unicode.IsSpace(r) && !isDense(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && l.isName(text[start:i]) {
			out = append(out, region{start, i})
		}
		start = -1
	}
	if start >= 0 && l.isName(text[start:]) {
		out = append(out, region{start, len(text)})
	}
	return out
}

func (l *language) isName(run string) bool {
	if !strings.ContainsAny(run, `/\_@#=.`) {
		return false
	}
	if strings.Contains(run, "://") || strings.ContainsAny(run, `\_#=`) || strings.IndexByte(run, '@') >= 0 && len(run) > 1 {
		return true
	}
	if l.dateLike(run) {
		return false
	}
	for i := 1; i+1 < len(run); i++ {
		if (run[i] == '/' || run[i] == '.') && wordAt(run, i+1) && wordBefore(run, i) {
			// "today/tomorrow" and "done.Tomorrow" are names as far as we can tell;
			// the seconds of a time, "10:30:01.5", are not.
			return !strings.Contains(run, ":") || run[i] == '/'
		}
	}
	return strings.HasPrefix(run, "/") || strings.HasPrefix(run, "./")
}

// dateLike reports whether a run is made of numbers and the words that stand in
// dates and times only: 3/11/2026, 31/Oct/1974, 8.30pm, a.d.
func (l *language) dateLike(run string) bool {
	for i := 0; i < len(run); {
		switch c := run[i]; {
		case digit(c), strings.IndexByte("/.-,:;!?()~'", c) >= 0, l.suffix && strings.HasPrefix(run[i:], "’"):
			i++
		default:
			n := wordLength(run[i:])
			if n == 0 {
				return false
			}
			w := strings.ToLower(run[i : i+n])
			switch w {
			case "am", "pm", "a", "p", "m", "d", "h", "st", "nd", "rd", "th", "t", "z":
			default:
				ending := l.suffix && i > 0 && (run[i-1] == '\'' || strings.HasSuffix(run[:i], "’"))
				if known := l.lexicon[normal(w)]; !ending && (known == nil || known.month == 0 && (l.code == "en" || known.unit == 0)) {
					return false
				}
			}
			i += n
		}
	}
	return true
}
