package supersession

import (
	"slices"
	"strings"
	"unicode"

	tokens "github.com/memoryd/memoryd/pkg/text"
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
		for _, r := range part {
			letters = letters || 'a' <= r|0x20 && r|0x20 <= 'z'
			digits = digits || unicode.IsDigit(r) // of full width, too
		}
		if !letters && !digits {
			continue // no word, or one of another script, which is not a key
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
	if replaces, _ := Speaks(text); !replaces {
		return nil
	}
	seen := map[string]bool{}
	add := func(k string) {
		if !seen[k] {
			seen[k] = true
			keys = append(keys, k)
		}
	}
	last := "" // the word before
	for t := range tokens.Tokens(text) {
		raw := text[t.Start:t.End]
		switch {
		case t.Kind == tokens.KindSign:
			continue
		case t.Kind == tokens.KindNumber && !strings.HasPrefix(text[t.End:], "%"):
			if k := key(raw); last != "" && digits(k) && !isFunctionWord(key(last)) {
				add(key(last) + "-" + strings.TrimLeft(k, "0"))
			}
			last = ""
		default:
			last = raw
		}
		if t.Kind == tokens.KindWord || t.Kind == tokens.KindUnspaced {
			continue
		}
		k := key(raw)
		if strings.ContainsFunc(k, unicode.IsDigit) {
			last = ""
		} else if !strings.ContainsAny(k, "_-./") {
			continue
		}
		add(k)
		if prefix, number := lead(k); number != "" {
			add(prefix + "-" + number)
		}
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

// replacingStems begin the forms of replaceVerbs and replaceNouns, and "instead".
var replacingStems = strings.Fields(`supersed replac obsolet deprecat retir revok rescind withdraw overrul overrid amend revis
	updat revert abolish supplant succe retract reject substitut instead`)
