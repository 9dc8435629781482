package supersession

import (
	"slices"
	"strings"
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
	eachWord(text, func(w word) {
		if last.key != "" && !last.digit && digits(w.key) && !functionWords.Has(last.key) {
			add(last.key + "-" + strings.TrimLeft(w.key, "0"))
		}
		if w.digit || strings.ContainsAny(w.key, "_-./") {
			add(w.key)
			if prefix, number := lead(w.key); number != "" {
				add(prefix + "-" + number)
			}
		}
		last = w
	})
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
// or not: one pass, in which a table of how stems begin leaves little to compare.
func speaksOfReplacing(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if replacingStarts[text[i]&31]>>(text[i+1]&31)&1 == 0 {
			continue
		}
		for _, stem := range replacingStems {
			if len(text)-i >= len(stem) && strings.EqualFold(text[i:i+len(stem)], stem) {
				return true
			}
		}
	}
	return false
}

// replacingStems begin the forms of replaceVerbs and replaceNouns, and "instead".
var replacingStems = strings.Fields(`supersed replac obsolet deprecat retir revok rescind withdraw overrul overrid amend revis
	updat revert abolish supplant succe retract reject substitut alternativ instead`)

// replacingStarts has a bit for the first two letters of each stem. Five bits tell
// letters apart whatever their case.
var replacingStarts = func() (starts [32]uint32) {
	for _, stem := range replacingStems {
		starts[stem[0]&31] |= 1 << (stem[1] & 31)
	}
	return starts
}()
