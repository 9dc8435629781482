package similarity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// lexer reads a text token by token.
type lexer struct {
	text    string
	tokens  []token
	seen    lists // in which any token stands
	gap     gap
	starts  []int // offsets from where the text may be read, those ahead
	lexicon map[string]lists
	code    int // end of the code span that is being read, 0 outside of one
}

// tokenize splits a text into tokens. The text may also begin at any of the ascending offsets starts. It takes time linear in the text.
func tokenize(body string, starts []int) []token {
	l := lexer{text: body, starts: starts, lexicon: lexicon(), gap: gapSentence, tokens: make([]token, 0, len(body)/6)}
	for i := l.lineStart(0); i < len(body); {
		i = l.next(i)
	}
	tokens := combineAll(l.tokens)
	if l.seen&(isNegator|isRefusal) != 0 {
		markNegation(tokens)
	}
	return tokens
}

// next reads whatever begins at i and returns where it ends.
func (l *lexer) next(i int) int {
	c := l.text[i]
	r, n := rune(c), 1
	if c >= utf8.RuneSelf {
		r, n = utf8.DecodeRuneInString(l.text[i:])
	}
	switch {
	case c == ' ':
		return i + 1
	case c < utf8.RuneSelf && asciiWord[c] != 0:
		return l.run(i, i)
	case c == '\n':
		l.gap = gapSentence
		return l.lineStart(i + 1)
	case unicode.IsSpace(r):
		return i + n
	case c == '`':
		return l.backticks(i)
	case c == '%' && l.follows(i-1):
		l.add(token{start: i, end: i + 1, key: "%", kind: kindWord})
		return i + 1
	case text.IsUnspaced(r):
		l.add(token{start: i, end: i + n, key: text.Fold(l.text[i : i+n]), kind: kindWord})
		return i + n
	case isWordRune(r):
		return l.run(i, i)
	case strings.ContainsRune("$€£¥#@~^./-+", r):
		if j := l.sigil(i, n); j > i {
			return j
		}
	}
	if j := l.operator(i); j > i {
		return j
	}
	switch {
	case c == '.':
		l.stop(i)
	case strings.ContainsRune("!?。！？…", r):
		l.gap = gapSentence
	case strings.ContainsRune(",;:()[]{}\"“”„«»—–、，；：（）「」", r), c == '-' && strings.HasPrefix(l.text[i:], "- "):
		l.gap = max(l.gap, gapClause)
	case unicode.Is(unicode.So, r) && !layoutSymbol(r):
		l.add(token{start: i, end: i + n, key: string(r), kind: kindWord})
	}
	return i + n
}

// stop reads the full stop at i, which ends a sentence but behind an honorific.
func (l *lexer) stop(i int) {
	if n := len(l.tokens); n == 0 || l.tokens[n-1].end != i || l.tokens[n-1].lists&isHonorific == 0 {
		l.gap = gapSentence
	}
}

// follows reports whether a number ends at i.
func (l *lexer) follows(i int) bool {
	n := len(l.tokens)
	return n > 0 && l.tokens[n-1].kind == kindNumber && l.tokens[n-1].end == i
}

// lineStart skips what lays a line out: indentation, quote marks, bullets, check boxes, the number of a list item, which
// follows from where it stands; at the beginning of the text there is no list that it follows from.
func (l *lexer) lineStart(i int) int {
	for len(l.starts) > 0 && l.starts[0] < i {
		l.starts = l.starts[1:]
	}
	if i < len(l.text) && letter(l.text[i]) {
		return i
	}
	m := layout.FindString(l.text[i:])
	if (i == 0 || len(l.starts) > 0 && l.starts[0] == i) && strings.ContainsAny(m, "0123456789") {
		return i
	}
	return i + len(m)
}

// backticks opens a code span when the same run of backticks closes it, at most maxSpan bytes on; words in it are identifiers.
func (l *lexer) backticks(i int) int {
	j := i
	for j < len(l.text) && l.text[j] == '`' {
		j++
	}
	before, _ := utf8.DecodeLastRuneInString(l.text[:i])
	after, _ := utf8.DecodeRuneInString(l.text[j:])
	if l.code > 0 && i <= l.code || isWordRune(before) || unicode.IsSpace(after) {
		return j
	}
	limit := min(len(l.text), j+maxSpan)
	if k := strings.Index(l.text[j:limit], l.text[i:j]); k > 0 && l.text[j+k-1] != ' ' {
		l.code = j + k
	}
	return j
}

const maxSpan = 300

// sigil reads a token whose first character is no letter: an amount of money, a signed or bare fraction, a path, a flag,
// a variable, a handle. It returns i when there is none.
func (l *lexer) sigil(i, n int) int {
	rest := l.text[i+n:]
	r, _ := utf8.DecodeRuneInString(rest)
	before, _ := utf8.DecodeLastRuneInString(l.text[:i])
	digit, letter := unicode.IsDigit(r), unicode.IsLetter(r) || r == '_'
	free := i == 0 || unicode.IsSpace(before) || strings.ContainsRune("(['\"`=,", before)
	switch c := l.text[i : i+n]; {
	case c == "#" && (digit || letter):
		return l.run(i, i+n)
	case strings.Contains("$€£¥", c) && (digit || letter):
		return l.run(i, i+n)
	case c == "@" && letter:
		return l.run(i, i+n)
	case !free:
	case (c == "-" || c == "+" || c == "." || c == "^" || c == "~") && digit:
		return l.run(i, i+n)
	case c == "-" && flag.MatchString(rest):
		return l.run(i, i+2)
	case c == "." && letter, c == "/" && (letter || digit || r == '.'):
		return l.run(i, i+n)
	case (c == "." || c == "~") && pathStart.MatchString(rest):
		return l.run(i, i+n+strings.IndexByte(rest, '/')+1)
	}
	return i
}

// operator reads a comparison, which states a fact when its opposite stands in the other text.
func (l *lexer) operator(i int) int {
	m := ""
	if strings.ContainsRune("=!<>≤≥≠", rune(l.text[i])) || l.text[i] >= utf8.RuneSelf {
		m = comparison.FindString(l.text[i:])
	}
	if m == "" || len(m) == 1 && !(i > 0 && l.text[i-1] == ' ' && strings.HasPrefix(l.text[i+1:], " ")) {
		return i
	}
	l.add(token{start: i, end: i + len(m), key: m, kind: kindWord})
	return i + len(m)
}

// run reads the characters from start on that belong together, at least up to from, and adds the tokens in them.
func (l *lexer) run(start, from int) int {
	end, apostrophe := from, false
	for end < len(l.text) {
		if asciiWord[l.text[end]] != 0 {
			end++
			continue
		}
		r, n := utf8.DecodeRuneInString(l.text[end:])
		if !isWordRune(r) || text.IsUnspaced(r) {
			if n = text.Joint(l.text, end); n == 0 {
				break
			}
			apostrophe = apostrophe || r == '\'' || r == '’'
		}
		end += n
	}
	if end > from && strings.HasPrefix(l.text[end:], "://") {
		end += len(urlRest.FindString(l.text[end:]))
		l.add(token{start: start, end: end, key: strings.TrimSuffix(l.text[start:end], "/"), kind: kindURL})
		return end
	}
	for _, suffix := range suffixes {
		if strings.HasPrefix(l.text[end:], suffix) {
			end += len(suffix)
			break
		}
	}
	if !apostrophe {
		l.classify(start, end)
		return end
	}
	if i := strings.LastIndexAny(l.text[start:end], "'’"); i > 0 && !plainWord(l.text[start:end]) && possessive(l.text[start+i:end]) {
		l.classify(start, start+i)
		return end
	}
	l.classify(start, end)
	return end
}

// suffixes belong to what stands before them.
var suffixes = [...]string{"%", "°C", "°F", "++", "#", "()"}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func possessive(s string) bool { return s == "'s" || s == "’s" }

// isWordRune reports whether r can be part of a word or an identifier.
func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiWord[r] != 0 || r == '_'
	}
	return text.IsWord(r)
}
