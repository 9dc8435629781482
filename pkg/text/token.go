package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a token is.
type Kind uint8

// The kinds of tokens.
const (
	KindWord       Kind = iota // letters, with apostrophes inside: don't
	KindCompound               // words joined by hyphens or slashes: state-of-the-art, and/or
	KindNumber                 // digits, with the marks of decimals, dates and times: 1,000, 2026-03-11, 10:30
	KindIdentifier             // a name with digits, dots, underscores or capitals inside: getUser, v1.2.3, a@b.org
	KindURL                    // scheme://…, up to white space, a quote or a bracket
	KindUnspaced               // a run of a script without spaces between words
	KindSign                   // any other character
)

// Token is text[Start:End] and its kind.
type Token struct {
	Start, End int
	Kind       Kind
}

// Tokens yields the tokens of s in order. Between them is only white space.
//
// Characters of words are joined by what stands between two of them and belongs to a name or a number: an apostrophe, a joiner, a full stop, a
// hyphen, a slash, a backslash, @, #, ::, underscores, a comma between digits, a colon before a digit (main.go:12).
func Tokens(s string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for i := 0; i < len(s); {
			c := class[s[i]]
			if c&spaceByte != 0 {
				i++
				continue
			}
			t := Token{Start: i, End: i + 1, Kind: KindSign}
			if c != 0 {
				t = run(s, i)
			} else if r, n := utf8.DecodeRuneInString(s[i:]); unicode.IsSpace(r) {
				i += n
				continue
			} else if IsUnspaced(r) {
				t.Kind = KindUnspaced
				for t.End = i + n; t.End < len(s); t.End += n {
					if r, n = utf8.DecodeRuneInString(s[t.End:]); !IsUnspaced(r) {
						break
					}
				}
			} else if IsWord(r) {
				t = run(s, i)
			} else {
				t.End = i + n
			}
			if !yield(t) {
				return
			}
			i = t.End
		}
	}
}

// run is the token of the word characters that begin at start, and what joins them.
func run(s string, start int) Token {
	end := start
	for i := start; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case r == '_': // the run ends before underscores that nothing follows
			i++
		case IsWord(r) && !IsUnspaced(r):
			i += n
			end = i
		default:
			n = Joint(s, i)
			if n == 0 && (r == ':' || r == ',' && IsDigit(s[i-1])) && i+1 < len(s) && IsDigit(s[i+1]) {
				n = 1
			}
			if n == 0 && i == end && strings.HasPrefix(s[i:], "://") {
				return Token{start, i + urlLength(s[i:]), KindURL}
			}
			if n == 0 {
				return Token{start, end, KindOf(s[start:end])}
			}
			i += n
		}
	}
	return Token{start, end, KindOf(s[start:end])}
}

// KindOf is the kind of a run of word characters and what joins them: a word, a compound, a number or an identifier.
func KindOf(word string) Kind {
	var letters, digits, inner, marks, dots, hyphens, slashes, lower bool
	for _, r := range word {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters, inner = true, inner || lower && unicode.IsUpper(r)
			lower = unicode.IsLower(r)
		case unicode.IsNumber(r):
			digits = true
		case r == '/':
			slashes = true
		case r == '_' || r == '@' || r == '\\':
			marks = true
		case r == '.' || r == '#' || r == ':' || r == '=':
			dots = true
		case r != '\'' && r != '’' && !isJoiner(r):
			hyphens = true
		}
	}
	switch {
	case !letters:
		return KindNumber
	case digits, inner, marks, dots && !slashes && !hyphens:
		return KindIdentifier
	case dots, hyphens, slashes:
		return KindCompound
	}
	return KindWord
}

// Joint is the length of the punctuation at offset i of s if it joins the characters before and behind it to one token, else 0.
func Joint(s string, i int) int {
	r, n := utf8.DecodeRuneInString(s[i:])
	switch r {
	case ',':
		if !IsDigitGroup(s, i) {
			return 0
		}
	case ':':
		if strings.HasPrefix(s[i:], "::") {
			n = 2
		} else if i == 0 || !IsDigit(s[i-1]) || len(s) == i+1 || !IsDigit(s[i+1]) {
			return 0
		}
	case '\'', '’', '.', '-', '‑', '/', '\\', '@', '#', zeroWidthNonJoiner, zeroWidthJoiner:
	default:
		return 0
	}
	next, _ := utf8.DecodeRuneInString(s[i+n:])
	if next != '_' && !IsWord(next) || IsUnspaced(next) {
		return 0
	}
	return n
}

// The joiners of scripts whose letters are connected. They stand inside words of Persian, Bengali and others, and [Fold] leaves them out.
const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

func isJoiner(r rune) bool { return r == zeroWidthNonJoiner || r == zeroWidthJoiner }

// IsDigitGroup reports whether the comma at offset i of s groups digits: a digit stands before it and exactly three behind it.
func IsDigitGroup(s string, i int) bool {
	return i > 0 && IsDigit(s[i-1]) && len(s) > i+3 && IsDigit(s[i+1]) && IsDigit(s[i+2]) && IsDigit(s[i+3]) && (len(s) == i+4 || !IsDigit(s[i+4]))
}

// urlLength is the length of the rest of a URL that begins with "://".
func urlLength(s string) int {
	end := strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("<>\"'`[]{}|。，、；：！？（）「」『』【】《》“”؟؛،।", r)
	})
	if end < 0 {
		end = len(s)
	}
	return max(len("://"), len(strings.TrimRight(s[:end], ".,;:!?)*")))
}

// NameWords splits an identifier, path or URL into its words, in normal form: at punctuation, and where a capital follows a small letter.
func NameWords(name string) []string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
	var b strings.Builder
	last := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return strings.FieldsFunc(Fold(b.String()), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' })
}
