package similarity

import "unicode/utf8"

// plain adds the word of ASCII letters that begins at i, and returns where it ends. Where the word is part of something else, or may
// be, it leaves that to next.
func (l *lexer) plain(i int) int {
	small, capital := false, false
	hash, j := uint64(hashSeed), i
	for ; j < len(l.text); j++ {
		c := l.text[j]
		switch {
		case c-'a' < 26:
			small = true
		case c-'A' < 26 && !small:
			capital = true
			c += 'a' - 'A'
		default:
			goto end
		}
		hash = (hash ^ uint64(c)) * hashPrime
	}
end:
	if j < len(l.text) {
		switch wordEnds[l.text[j]] {
		case never:
			return l.next(i)
		case beforeSpace:
			if j+1 < len(l.text) && l.text[j+1] != ' ' && l.text[j+1] != '\n' {
				return l.next(i)
			}
		}
	}
	t := token{start: i, end: j, hash: hash, lists: l.lexicon.of(hash)}
	if capital {
		t.key, t.capital, t.capitals = l.lower(i, j), true, !small && j-i > 1
	} else {
		t.key = l.text[i:j]
	}
	if j-i == 1 || t.lists&isRewritten != 0 {
		l.word(t)
	} else {
		l.push(t)
	}
	return j
}

// wordEnds tells of the characters behind letters whether these are a word by themselves.
var wordEnds = func() (t [256]uint8) {
	for c := range t {
		if c >= utf8.RuneSelf || asciiWord[c] != 0 {
			t[c] = never
		}
	}
	for _, c := range "_%+#" {
		t[c] = never
	}
	for _, c := range ".-/\\@':(" {
		t[c] = beforeSpace
	}
	return t
}()

const (
	always = iota
	beforeSpace
	never
)

// fold is fold of text[start:end].
func (l *lexer) fold(start, end int) string {
	if isASCII(l.text[start:end]) {
		return l.lower(start, end)
	}
	return fold(l.text[start:end])
}

func (l *lexer) lower(start, end int) string {
	if l.lowered == "" {
		l.room = appendLower(l.room[:0], l.text)
		l.lowered = string(l.room)
	}
	return l.lowered[start:end]
}
