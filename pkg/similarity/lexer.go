package similarity

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
	"github.com/memoryd/memoryd/pkg/text"
)

// lexer reads a text token by token.
type lexer struct {
	text    string
	tokens  []token
	gap     gap
	bullet  bool
	table   bool  // in a line of a Markdown table
	starts  []int // offsets from where the text may be read, those ahead
	code    int   // end of the code that is being read, 0 outside
	closers []int // offsets of the marks that end an emphasis, those ahead
}

// tokenize splits a text into tokens. The text may also begin at any of the ascending offsets starts. It takes time linear in the text.
func tokenize(body string, starts []int) []token {
	l := lexer{text: body, starts: starts, gap: gapSentence, tokens: make([]token, 0, len(body)/5)}
	for i := l.lineStart(0); i < len(body); {
		i = l.next(i)
	}
	return l.tokens
}

// The punctuation that parts words and says nothing else.
const (
	commas   = ",、،，"
	clauses  = ";:()[]{}\"“”„‟«»‹›‘‚「」『』【】〈〉《》（）［］｛｝；：؛—–―－‐¿¡·"
	stops    = ".!…。．！｡।॥۔।‼"
	joinable = "&|=+*/\\<>^~%$#@:.!_-−–'’,()[]{}?;\"" // may stand inside a chunk of code or a number
)

// next reads whatever begins at i and returns where it ends.
func (l *lexer) next(i int) int {
	c := l.text[i]
	switch {
	case c == ' ' || c == '\t' || c == '\r':
		return i + 1
	case c == '\n':
		l.gap, l.table = gapSentence, false
		return l.lineStart(i + 1)
	case letter(c):
		if end := l.plain(i); end > i {
			return end
		}
	case c == '`':
		return l.backticks(i)
	}
	r, n := rune(c), 1
	if c >= utf8.RuneSelf {
		r, n = utf8.DecodeRuneInString(l.text[i:])
	}
	switch {
	case unicode.IsSpace(r) || invisible(r):
		return i + n
	case text.IsUnspaced(r):
		if r >= 0xFF66 && (strings.HasPrefix(l.text[i+n:], "ﾞ") || strings.HasPrefix(l.text[i+n:], "ﾟ")) {
			n += len("ﾞ") // half-width kana have their marks behind them
		}
		l.push(token{start: i, end: i + n, key: text.Fold(l.text[i : i+n]), character: true})
		return i + n
	case r == '?' || r == '？' || r == '؟':
		l.push(token{start: i, end: i + n, key: "?", kind: kindSign})
		l.gap = gapSentence
		return i + n
	}
	if end := l.emphasis(i); end > i {
		return end
	}
	if m := l.box(i); m != "" {
		l.push(token{start: i, end: i + len(m), key: strings.ToLower(m), kind: kindSign})
		return i + len(m)
	}
	if end := l.chunkEnd(i); end > i {
		if from, to := l.trim(i, end); from == i && to > from {
			if l.gap < gapSentence || i < l.code || strings.Trim(l.text[from:to], "#*+-•>") != "" || to < end {
				l.chunk(from, to)
			} // else it is the mark of an item or a heading that has lost its line
			return to
		}
	}
	l.mark(i, r, n)
	return i + n
}

// box is the box of a task at i, ticked or not.
func (l *lexer) box(i int) string {
	if l.text[i] != '[' || i < l.code {
		return ""
	}
	return strings.TrimSpace(box.FindString(l.line(i)))
}

// plain reads a word of ASCII letters with nothing but the punctuation of prose behind it; it returns i when there is none.
func (l *lexer) plain(i int) int {
	end := i + 1
	for end < len(l.text) && letter(l.text[end]) {
		end++
	}
	if end < len(l.text) && l.text[end] != ' ' && l.text[end] != '\n' {
		if strings.IndexByte(".,;:!)", l.text[end]) < 0 || end+1 < len(l.text) && l.text[end+1] != ' ' && l.text[end+1] != '\n' {
			return i
		}
	}
	if !plainCase(l.text[i:end]) {
		return i
	}
	if l.unit(i, end) {
		return end
	}
	l.word(i, end, l.text[i] < 'a')
	return end
}

// mark notes a character that belongs to no chunk: punctuation, or a sign that says something by itself.
func (l *lexer) mark(i int, r rune, n int) {
	g := gapSpace
	switch {
	case strings.ContainsRune(commas, r):
		g = gapComma
	case strings.ContainsRune(stops, r):
		g = gapSentence
	case strings.ContainsRune(clauses, r), r == '\'' || r == '’' || r == '-', r == '|' && l.table:
		g = gapClause
	case unicode.Is(unicode.So, r) && layoutSymbol(r) && (r < firstShape || l.gap == gapSentence), r == '•':
		g = gapClause
	default:
		l.push(token{start: i, end: i + n, key: string(r), kind: kindSign})
		return
	}
	l.gap = max(l.gap, g)
	if i < l.code && g != gapSpace {
		l.push(token{start: i, end: i + n, key: string(r), kind: kindSign})
	}
}

// firstShape is the first geometric shape: ■, ▲, ○. At the beginning of a line it is the mark of an item; within one it says something.
const firstShape = 0x25A0

// invisible reports characters that are not seen: soft hyphens, joiners, marks of direction, selectors of a form.
func invisible(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.Is(unicode.Cf, r) || 0xFE00 <= r && r <= 0xFE0F)
}

// chunkEnd is where the characters from i on end that nothing parts which is sure to say nothing.
func (l *lexer) chunkEnd(i int) int {
	limit := len(l.text)
	if len(l.closers) > 0 {
		limit = l.closers[0]
	}
	if i < l.code {
		limit = min(limit, l.code)
	}
	end := i
	for end < limit {
		c := l.text[end]
		if asciiWord[c] != 0 || c < utf8.RuneSelf && strings.IndexByte(joinable, c) >= 0 {
			if c == ']' && strings.HasPrefix(l.text[end:], "](") && i >= l.code {
				break
			}
			if c == '|' && l.table {
				break
			}
			if c == ':' && strings.HasPrefix(l.text[end:], "://") && end > i {
				return min(limit, end+len(urlRest.FindString(l.line(end))))
			}
			end++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(l.text[end:])
		if text.IsUnspaced(r) || !isWordRune(r) && !invisible(r) && !strings.ContainsRune("−–’‑°µ€£¥٫٬٪", r) {
			break
		}
		end += n
	}
	return end
}

// trim takes the punctuation of prose from the end of a chunk: brackets stay when their partner stands inside. It returns an empty chunk
// for one that begins with such punctuation, which is then read by itself.
func (l *lexer) trim(from, to int) (int, int) {
	s := l.text
	next, _ := utf8.DecodeRuneInString(s[from+1 : to])
	word := from+1 < to && (isWordRune(next) || strings.ContainsRune("$@-/\\", next))
	keep := true
	switch c := s[from]; c {
	case '(', '[', '{', '\'', '"', ',', ';', ')', ']', '}', '>':
		keep = c == '>' && (to-from == 1 || word || next == '=' || next == '>')
	case '<':
		keep = to-from == 1 || !unicode.IsLetter(next) || strings.IndexByte(s[from:to], '>') > 0
	case '.', ':', '!':
		keep = word || strings.ContainsRune("=:(~", next) && to-from > 1 || strings.HasPrefix(s[from:to], "../")
	case '-':
		keep = strings.Trim(s[from:to], "-,.;:") != ""
	default:
		if strings.HasPrefix(s[from:to], "’") || strings.HasPrefix(s[from:to], "–") && !isDigitAt(s, from+len("–")) {
			keep = false
		}
	}
	if !keep {
		return to, to
	}
	url := strings.Contains(s[from:to], "://")
	for to > from+1 {
		r, n := utf8.DecodeLastRuneInString(s[from:to])
		switch {
		case strings.ContainsRune(".,;'\"’?([{–−", r), r == '*' && url:
		case r == ':' || r == '!':
			if r == ':' && s[to-2] == ':' || !isWordAt(s, to-2) && s[to-2] != ')' {
				return from, to
			}
		case r == '_' && s[to-2] == ']': // [1]_ refers to a note
		case r == '-':
			if !isWordAt(s, to-2) {
				return from, to
			}
		case r == ')' || r == ']' || r == '}':
			if strings.LastIndexByte(s[from:to-1], "([{"[strings.IndexRune(")]}", r)]) >= 0 {
				return from, to
			}
		default:
			return from, to
		}
		to -= n
	}
	return from, to
}

func isDigitAt(s string, i int) bool { return i < len(s) && text.IsDigit(s[i]) }

func isWordAt(s string, i int) bool {
	return i >= 0 && i < len(s) && (asciiWord[s[i]] != 0 || s[i] >= utf8.RuneSelf)
}

// emphasis skips the marks that begin or end an emphasis, *so* or __so__, and returns i when there are none. A mark counts only with its partner.
func (l *lexer) emphasis(i int) int {
	c := l.text[i]
	end := i
	for end < len(l.text) && l.text[end] == c {
		end++
	}
	if len(l.closers) > 0 && l.closers[0] == i {
		l.closers = l.closers[1:]
		return end
	}
	if c != '*' && c != '_' || i < l.code || end == len(l.text) {
		return i
	}
	before, _ := utf8.DecodeLastRuneInString(l.text[:i])
	after, _ := utf8.DecodeRuneInString(l.text[end:])
	if i > 0 && isWordRune(before) && !text.IsUnspaced(before) || !isWordRune(after) && !strings.ContainsRune("\"'“‘«„`[(*_@$#", after) {
		return i
	}
	line := l.text[end:]
	if at := strings.IndexByte(line, '\n'); at >= 0 {
		line = line[:at]
	}
	for from := 0; ; {
		at := strings.Index(line[from:], l.text[i:end])
		if at < 0 {
			return i
		}
		at += from
		behind, _ := utf8.DecodeRuneInString(line[at+end-i:])
		last, _ := utf8.DecodeLastRuneInString(line[:at])
		if at > 0 && !unicode.IsSpace(last) && (at+end-i == len(line) || !isWordRune(behind) || text.IsUnspaced(behind)) {
			l.closers = append(l.closers, end+at)
			slices.Sort(l.closers)
			return end
		}
		from = at + end - i
	}
}

// backticks opens a code span when the same run of backticks closes it, at most maxSpan bytes on, or a fenced block, which ends with the text
// at the latest.
func (l *lexer) backticks(i int) int {
	j := i
	for j < len(l.text) && l.text[j] == '`' {
		j++
	}
	if i <= l.code && l.code > 0 {
		l.code = 0
		return j
	}
	mark := l.text[i:j]
	if k := strings.Index(l.text[j:], mark); len(mark) >= 3 && l.gap == gapSentence {
		if l.code = len(l.text); k >= 0 {
			l.code = j + k
		}
	} else if k > 0 && k < maxSpan {
		l.code = j + k
	}
	return j
}

const maxSpan = 300

// lineStart skips what lays a line out: indentation, quote marks, bullets, the number of a list item, which follows from where it stands; at
// the beginning of the text there is no list that it follows from.
func (l *lexer) lineStart(i int) int {
	for len(l.starts) > 0 && l.starts[0] < i {
		l.starts = l.starts[1:]
	}
	l.closers, l.bullet = nil, false
	if i >= len(l.text) || letter(l.text[i]) || i < l.code {
		return i
	}
	line := l.line(i)
	if r := rule.FindString(line); r != "" {
		return i + len(r)
	}
	l.table = l.text[i] == '|'
	m := layout.FindString(line)
	if strings.ContainsAny(m, "0123456789") {
		if i == 0 || len(l.starts) > 0 && l.starts[0] == i {
			return i
		}
	} else {
		l.bullet = strings.ContainsAny(m, "-*+•")
	}
	return i + len(m)
}

// line is the rest of a line, with its end. A pattern that begins at a place is given no more: what it takes to match depends on the
// length of what it is given.
func (l *lexer) line(i int) string {
	if n := strings.IndexByte(l.text[i:], '\n'); n >= 0 {
		return l.text[i : i+n+1]
	}
	return l.text[i:]
}

var (
	box     = lazyregexp.New(`^\[[ xX]\](?:[ \t]|$)`)
	layout  = lazyregexp.New(`^[ \t>]*(?:(?:[-*+•]|#{1,6}|\(?\d{1,2}[.)])[ \t]+)?`)
	rule    = lazyregexp.New(`^[ \t]*(?:[-*_=][ \t]*){3,}(?:\n|$)|^[ \t]*\|[-:| \t]*-[-:| \t]*(?:\n|$)`)
	urlRest = lazyregexp.New(`^://[^\s<>"'\x60\[\]{}|]*`)
)

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isWordRune reports whether r can be part of a word or an identifier.
func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiWord[r] != 0 || r == '_'
	}
	return text.IsWord(r)
}
