package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// joins reports whether a character between two word characters makes one name
// of them.
func joins(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == '@'
}

// compound reads the run of words at i that nothing but joints separates, and
// returns where it ends.
func (a *analyzer) compound(s string, i int, yield func(token)) int {
	start, parts, named := i, 0, false
	for {
		end, camel, digits := wordEnd(s, i)
		if camel > 0 {
			a.emit(s[i:i+camel], i, i+camel, yield)
			for from := i + camel; from < end; {
				n, more, _ := wordEnd(s, from)
				if more > 0 {
					n = from + more
				}
				n = min(n, end)
				a.emit(s[from:n], from, n, yield)
				from = n
			}
		} else {
			a.emit(s[i:end], i, end, yield)
		}
		parts, named = parts+1, named || camel > 0 || digits
		i = end
		if i < len(s) && (s[i] == '\'' || strings.HasPrefix(s[i:], "’")) {
			i = afterApostrophe(s, i) // what follows is an ending: John's, don't
			break
		}
		if i+1 >= len(s) || !joins(s[i]) {
			break
		}
		r, _ := utf8.DecodeRuneInString(s[i+1:])
		if !text.IsWord(r) || unspaced(r) {
			break
		}
		named = named || s[i] != '-'
		i++
	}
	if end := i; named && (parts > 1 || hasUpperInside(s[start:end])) && end-start <= widest {
		a.word = text.AppendPlain(a.word[:0], strings.TrimRight(s[start:end], "'’"))
		yield(token{string(a.word), start, end, true, nil})
	}
	return i
}

func afterApostrophe(s string, i int) int {
	_, n := utf8.DecodeRuneInString(s[i:])
	for i += n; i < len(s); i += n {
		var r rune
		if r, n = utf8.DecodeRuneInString(s[i:]); !unicode.IsLetter(r) || unspaced(r) {
			break
		}
	}
	return i
}

// wordEnd returns where the word at i ends, how long its first part is where a
// capital follows a small letter (0: nowhere), and whether it has digits.
func wordEnd(s string, i int) (end, camel int, digits bool) {
	start, small := i, false
	for i < len(s) {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		if unicode.Is(unicode.Cf, r) && i > start { // invisible: a hyphen that shows at a line's end only, say
			i += n
			continue
		}
		if !text.IsWord(r) || r >= utf8.RuneSelf && unspaced(r) {
			break
		}
		if small && camel == 0 && 'A' <= r && r <= 'Z' {
			camel = i - start
		}
		small = 'a' <= r && r <= 'z'
		digits = digits || '0' <= r && r <= '9'
		i += n
	}
	return i, camel, digits
}

func hasUpperInside(s string) bool {
	for i := 1; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' && 'a' <= s[i-1] && s[i-1] <= 'z' {
			return true
		}
	}
	return false
}
