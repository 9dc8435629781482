package supersession

import (
	"slices"
	"strings"
	"unicode"
)

// name is one way in which a note is cited: words that follow each other. A number
// at the end is compared as one: ADR-0012 is ADR 12.
type name struct {
	words  []string
	number string // without leading zeros, "" for none
	prefix string // the letters before the number
}

// names lists how a note may be cited: by its name, by the identifier its title
// begins with, by its title if that says enough.
func (n Note) names(title []word) (out []name) {
	add := func(ws []word) {
		if len(ws) == 0 {
			return
		}
		out = append(out, newName(ws))
	}
	add(words(n.Name))
	// "ADR-12: …", "ADR 12 …"
	if len(title) > 0 && title[0].digit && numbered(title[0].key) {
		add(title[:1])
	} else if len(title) > 1 && title[0].capital && digits(title[1].key) && title[1].colon {
		add(title[:2])
	}
	content := 0
	for _, w := range title {
		if !isFunctionWord(w.key) {
			content++
		}
	}
	if content >= 2 || len(title) == 1 && strings.ContainsAny(title[0].key, "-_./") {
		add(title)
	}
	return out
}

func newName(ws []word) name {
	n := name{words: keys(ws)}
	joined := strings.Join(n.words, "-")
	i := len(joined)
	for i > 0 && joined[i-1] >= '0' && joined[i-1] <= '9' {
		i--
	}
	letters := strings.TrimRight(joined[:i], "-_.# ")
	if i < len(joined) && letters != "" && !strings.ContainsFunc(letters, func(r rune) bool { return !unicode.IsLetter(r) }) {
		n.prefix, n.number = letters, strings.TrimLeft(joined[i:], "0")
	}
	return n
}

func digits(k string) bool {
	return k != "" && !strings.ContainsFunc(k, func(r rune) bool { return r < '0' || r > '9' })
}

// numbered reports whether a word is letters and a number, such as ADR-12.
func numbered(k string) bool { return newName([]word{{key: k}}).number != "" }

// citedAt returns the word at which a sentence cites the name, and how many it
// takes; ok is false when it doesn't.
func (n name) citedAt(ws []word) (at, length int, ok bool) {
	for i, w := range ws {
		if n.number != "" {
			switch {
			case w.digit && n.is(w.key):
				return i, 1, true
			case w.key == n.prefix && i+1 < len(ws) && strings.TrimLeft(ws[i+1].key, "0#") == n.number:
				return i, 2, true
			case len(n.number) >= leastNumber && !year(n.number) && strings.TrimLeft(w.key, "0") == n.number:
				return i, 1, true
			}
			continue
		}
		// A short title in small letters is a phrase like any other.
		if i+len(n.words) <= len(ws) && (w.capital || len(n.words) > 2 || len(n.words) == 1) && slices.EqualFunc(ws[i:i+len(n.words)], n.words, func(w word, k string) bool { return w.key == k }) {
			return i, len(n.words), true
		}
	}
	return 0, 0, false
}

// leastNumber is how many digits make a number a name of its own: documents cite
// "822" for RFC 822, and nobody means ADR 2 by "2".
const leastNumber = 3

// year reports whether a number is read as a year where it stands alone.
func year(number string) bool {
	return len(number) == 4 && (strings.HasPrefix(number, "19") || strings.HasPrefix(number, "20"))
}

// is reports whether a word is the prefix and the number: adr-0012, adr12,
// adr-0012-use-postgres.md.
func (n name) is(k string) bool {
	rest, ok := strings.CutPrefix(k, n.prefix)
	if !ok {
		return false
	}
	rest = strings.TrimLeft(strings.TrimLeft(rest, "-_.#"), "0")
	rest, ok = strings.CutPrefix(rest, n.number)
	return ok && (rest == "" || strings.ContainsRune("-_./:", rune(rest[0])))
}

// cites returns the first name by which a sentence cites a note.
func (r *reading) cites(s *sentence) (at, length int, ok bool) {
	for _, n := range r.names {
		if at, length, ok = n.citedAt(s.words); ok {
			return at, length, true
		}
	}
	return 0, 0, false
}
