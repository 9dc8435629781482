package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// joins reports whether a character between two word characters makes one name
// of them.
func joins(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == '@'
}

// compound reads the run of words at i that nothing but joints separates, and
// returns where it ends.
func (a *analyzer) compound(text string, i int, yield func(token)) int {
	start, parts, named := i, 0, false
	for {
		end, camel, digits := wordEnd(text, i)
		if camel > 0 {
			a.emit(text[i:i+camel], i, i+camel, yield)
			for from := i + camel; from < end; {
				n, more, _ := wordEnd(text, from)
				if more > 0 {
					n = from + more
				}
				n = min(n, end)
				a.emit(text[from:n], from, n, yield)
				from = n
			}
		} else {
			a.emit(text[i:end], i, end, yield)
		}
		parts, named = parts+1, named || camel > 0 || digits
		i = end
		if i < len(text) && (text[i] == '\'' || strings.HasPrefix(text[i:], "’")) {
			i = afterApostrophe(text, i) // what follows is an ending: John's, don't
			break
		}
		if i+1 >= len(text) || !joins(text[i]) {
			break
		}
		r, _ := utf8.DecodeRuneInString(text[i+1:])
		if !wordRune(r) || unspaced(r) {
			break
		}
		named = named || text[i] != '-'
		i++
	}
	if end := i; named && (parts > 1 || hasUpperInside(text[start:end])) && end-start <= widest {
		a.word = lowered(a.word[:0], strings.TrimRight(text[start:end], "'’"))
		yield(token{string(a.word), start, end, true, nil})
	}
	return i
}

func afterApostrophe(text string, i int) int {
	_, n := utf8.DecodeRuneInString(text[i:])
	for i += n; i < len(text); i += n {
		var r rune
		if r, n = utf8.DecodeRuneInString(text[i:]); !unicode.IsLetter(r) || unspaced(r) {
			break
		}
	}
	return i
}

// wordEnd returns where the word at i ends, how long its first part is where a
// capital follows a small letter (0: nowhere), and whether it has digits.
func wordEnd(text string, i int) (end, camel int, digits bool) {
	start, small := i, false
	for i < len(text) {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		if !wordRune(r) || r >= utf8.RuneSelf && unspaced(r) {
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
