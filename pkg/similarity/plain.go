package similarity

import (
	"strings"
	"unicode/utf8"
)

// What is seen of a run of ASCII letters and digits.
const (
	seenSmall = 1 << iota
	seenCapital
	seenDigit
	seenInner // a capital behind a small letter
)

// plain adds the word, number or identifier of ASCII letters and digits that begins at i, and returns where it ends. Where that is part
// of something else, or may be, it leaves it to next.
func (l *lexer) plain(i int) int {
	text := l.text
	hash, seen, j := uint64(hashSeed), 0, i
	for ; j < len(text); j++ {
		c := text[j]
		switch {
		case c-'a' < 26:
			seen |= seenSmall
		case c-'A' < 26:
			seen |= seenCapital | seen&seenSmall*seenInner
			c += 'a' - 'A'
		case isDigit(c):
			seen |= seenDigit
		default:
			goto end
		}
		hash = (hash ^ uint64(c)) * hashPrime
	}
end:
	if j < len(text) && wordEnds[text[j]] != always && l.goesOn(j, seen) {
		return l.next(i)
	}
	first, named := text[i], seen&(seenDigit|seenInner) != 0
	if named && (first|0x20 == 'v' || isDigit(first) && (seen != seenDigit || first == '0')) {
		return l.next(i) // may be a version or an amount
	}
	lists := l.lexicon.of(hash)
	if !named && (j-i == 1 || lists&isRewritten != 0) {
		l.word(token{start: i, end: j, key: strings.ToLower(text[i:j]), hash: hash, capital: seen&seenCapital != 0, capitals: seen == seenCapital && j-i > 1})
		return j
	}
	t := l.empty()
	t.start, t.end, t.key, t.hash, t.lists, t.value = i, j, text[i:j], hash, lists, noValue
	if seen&seenCapital != 0 {
		t.key = strings.ToLower(t.key)
		t.capital = first-'A' < 26
		t.capitals = t.capital && seen&seenSmall == 0 && j-i > 1
	}
	switch {
	case seen == seenDigit:
		t.kind, t.value = kindNumber, l.value(value{num: t.key})
	case named || i < l.code:
		t.kind = kindIdentifier
	}
	l.met |= lists
	t.gap, l.gap = l.gap, gapNone
	return j
}

// goesOn reports whether what stands at j may belong to the letters and digits before it.
func (l *lexer) goesOn(j, seen int) bool {
	if j+1 == len(l.text) {
		return wordEnds[l.text[j]] == never
	}
	switch next := l.text[j+1]; wordEnds[l.text[j]] {
	case never:
		return true
	case beforeSpace:
		return next != ' ' && next != '\n'
	default:
		return seen&seenDigit != 0 && isDigit(next)
	}
}

// wordEnds tells of the characters behind letters and digits whether these are a word by themselves.
var wordEnds = func() (t [256]uint8) {
	for c := range t {
		if c >= utf8.RuneSelf {
			t[c] = never
		}
	}
	for _, c := range "_%+#" {
		t[c] = never
	}
	for _, c := range ".-/\\@':(" {
		t[c] = beforeSpace
	}
	t[','] = beforeLetter
	return t
}()

const (
	always       = iota
	beforeLetter // and whatever else is no digit
	beforeSpace
	never
)

// fold is fold of text[start:end].
func (l *lexer) fold(start, end int) string { return fold(l.text[start:end]) }
