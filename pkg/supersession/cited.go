package supersession

import (
	"slices"
	"strings"
	"sync"
)

// Keys are the words by which others cite the note, in a form in which the ways of
// writing them are equal: ADR-0012, ADR 12 and adr12 are "adr-12"; sorted, each once. They find
// candidates for [Judge] among many notes; the same form is that of [Cited].
func (n Note) Keys() (keys []string) {
	for _, name := range n.names(words(clip(n.Title, maxTitle))) {
		switch {
		case name.number != "":
			keys = append(keys, name.prefix+"-"+name.number)
		case len(name.words) == 1:
			keys = append(keys, name.words[0])
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Plain reports whether a title gives a note no key. False may be said of such a title, too.
// A key stands in its first two words, or is all of a shorter one.
func Plain(title string) bool {
	words := 0
	for part := range strings.FieldsSeq(clip(title, maxTitle)) {
		letters, digits := false, false
		for i := range len(part) {
			c := part[i]
			letters = letters || 'a' <= c|0x20 && c|0x20 <= 'z'
			digits = digits || '0' <= c && c <= '9'
		}
		if !letters && !digits {
			continue // no word, or one of another script, which is no key
		}
		if words++; words == 3 {
			return true
		}
		if digits {
			return false
		}
	}
	return false
}

// Cited lists the keys that a text may cite in sentences that speak of replacing,
// each once, in the order of the text; nil for most texts. It takes time linear in
// the text.
func Cited(text string) (keys []string) {
	text = clip(text, maxText)
	if !speaksOfReplacing(text) {
		return nil
	}
	seen := map[string]bool{}
	add := func(k string) {
		if !seen[k] {
			seen[k] = true
			keys = append(keys, k)
		}
	}
	var last word
	for _, w := range words(text) {
		if last.key != "" && !last.digit && digits(w.key) && !isFunctionWord(last.key) {
			add(last.key + "-" + strings.TrimLeft(w.key, "0"))
		}
		if w.digit || strings.ContainsAny(w.key, "_-./") {
			add(w.key)
			if prefix, number := lead(w.key); number != "" {
				add(prefix + "-" + number)
			}
		}
		last = w
	}
	return keys
}

// lead is the letters and the number, without leading zeros, that a word begins
// with: "adr" and "12" of adr-0012-use-redis.md.
func lead(k string) (prefix, number string) {
	i := 0
	for i < len(k) && (k[i] < '0' || k[i] > '9') {
		i++
	}
	j := i
	for j < len(k) && k[j] >= '0' && k[j] <= '9' {
		j++
	}
	if j < len(k) && !strings.ContainsRune("-_./:", rune(k[j])) {
		return "", ""
	}
	return strings.TrimRight(k[:i], "-_.#"), strings.TrimLeft(k[i:j], "0")
}

// speaksOfReplacing is a cheap look for the stems of the words that do, in capitals
// or not: at three letters of every three, as each stem has three of those that it
// begins with at such a place.
func speaksOfReplacing(text string) bool {
	threes := replacingThrees()
	for i := 0; i+2 < len(text); i += leastStem - 2 {
		t := three(text[i:])
		if threes.bits[t>>6]>>(t&63)&1 == 0 {
			continue
		}
		for _, s := range threes.of {
			if s.three == t && i >= s.at && len(text) >= i-s.at+len(s.stem) && strings.EqualFold(text[i-s.at:][:len(s.stem)], s.stem) {
				return true
			}
		}
	}
	return false
}

// replacingStems begin the forms of replaceVerbs and replaceNouns, and "instead".
var replacingStems = strings.Fields(`supersed replac obsolet deprecat retir revok rescind withdraw overrul overrid amend revis
	updat revert abolish supplant succe retract reject substitut alternativ instead`)

// leastStem is how many letters each of them has at least.
const leastStem = 5

// three is a number for the first three bytes of a text. Five bits tell letters apart
// whatever their case.
func three(text string) uint {
	return uint(text[0]&31)<<10 | uint(text[1]&31)<<5 | uint(text[2]&31)
}

// replacingThrees are each three letters that follow each other in the first leastStem of a
// stem, and where they stand there; bits has one for each of their numbers.
var replacingThrees = sync.OnceValue(func() *stemThrees {
	all := &stemThrees{}
	for _, stem := range replacingStems {
		for at := range leastStem - 2 {
			t := three(stem[at:])
			all.bits[t>>6] |= 1 << (t & 63)
			all.of = append(all.of, stemThree{t, at, stem})
		}
	}
	return all
})

type stemThrees struct {
	bits [1 << 9]uint64
	of   []stemThree
}

type stemThree struct {
	three uint
	at    int
	stem  string
}
