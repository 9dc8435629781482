package temporal

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// region is a part of a text that is not prose.
type region struct{ start, end int }

// protected returns the parts of text in which words don't speak of time: fenced
// code, code spans, quoted text, and runs of characters that are URLs, paths, file
// names, versions or identifiers. The regions are sorted and don't overlap.
func protected(text string, lang *language) []region {
	var out []region
	for _, block := range unfenced(text) {
		part := text[block.start:block.end]
		if block.code {
			out = append(out, region{block.start, block.end})
			continue
		}
		for _, find := range []func(string) []region{codeSpans, lang.runs} {
			for _, r := range find(part) {
				out = append(out, region{block.start + r.start, block.start + r.end})
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].start < out[j].start })
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

type block struct {
	region
	code bool
}

// unfenced cuts text into fenced code blocks and paragraphs: a code span or a
// quotation can't reach over the end of either.
func unfenced(text string) []block {
	var blocks []block
	start, fence := 0, ""
	flush := func(end int, code bool) {
		if end > start {
			blocks = append(blocks, block{region{start, end}, code})
		}
		start = end
	}
	for at := 0; at < len(text); {
		next := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		line := strings.TrimSpace(text[at:next])
		switch {
		case fence != "":
			if strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == "" {
				flush(next, true)
				fence = ""
			}
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			// A run of backticks that closes on its own line is a code span, not a fence.
			if rest := strings.TrimLeft(line, line[:1]); !strings.Contains(rest, "`") || line[0] == '~' {
				flush(at, false)
				fence = line[:len(line)-len(rest)]
			}
		case line == "":
			flush(next, false)
		}
		at = next
	}
	flush(len(text), fence != "")
	return blocks
}

// codeSpans finds `code` as CommonMark does: a run of backticks closes with a
// run of the same length. A run that never closes is text.
func codeSpans(text string) []region {
	var runs []region
	for i := 0; i < len(text); {
		if text[i] != '`' {
			i++
			continue
		}
		j := i
		for j < len(text) && text[j] == '`' {
			j++
		}
		runs = append(runs, region{i, j})
		i = j
	}
	next := map[int]int{} // length -> index of the nearest run of that length to the right
	closing := make([]int, len(runs))
	for i := len(runs) - 1; i >= 0; i-- {
		n := runs[i].end - runs[i].start
		closing[i] = next[n] - 1
		next[n] = i + 1
	}
	var out []region
	for i := 0; i < len(runs); i++ {
		if c := closing[i]; c > i {
			out = append(out, region{runs[i].start, runs[c].end})
			i = c
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
