package cluster

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/text"
)

// Item is what is grouped.
type Item struct {
	ID   string
	Text string
	Ties []string // what it may have in common with others; see [ItemOf]
}

// Kinds of ties. A tie is a kind and a value: "tag:release", "link:mem_1", "name:pkg/text".
const (
	Tag  = "tag"
	Link = "link"
	Name = "name"
	Word = "word" // a stem: no tie, but what the members of a cluster may have in common
)

// maxText is how much of a text is read, in bytes.
const maxText = 32 << 10

// ItemOf reads a memory. Its ties are its tags, the ids of memories that it links to, its own id (so that it is tied to what links to it),
// and the identifiers, paths and URLs that its text names.
func ItemOf(m *memory.Memory, links []string) Item {
	it := Item{ID: m.ID, Text: strings.Join(m.Tags, "\n") + "\n" + m.Text()}
	if len(it.Text) > maxText {
		it.Text = strings.ToValidUTF8(it.Text[:maxText], "")
	}
	for _, tag := range m.Tags {
		if tag = strings.ToLower(strings.TrimSpace(tag)); tag != "" {
			it.Ties = append(it.Ties, Tag+":"+tag)
		}
	}
	for _, id := range links {
		it.Ties = append(it.Ties, Link+":"+id)
	}
	if len(links) > 0 {
		it.Ties = append(it.Ties, Link+":"+m.ID)
	}
	for _, f := range similarity.Facts(it.Text) {
		if f.Kind == "identifier" || f.Kind == "path" || f.Kind == "url" {
			it.Ties = append(it.Ties, Name+":"+f.Key)
		}
	}
	slices.Sort(it.Ties)
	it.Ties = slices.Compact(it.Ties)
	return it
}

// stems counts the stems of a text, without function words and numbers.
func stems(s string) map[string]int {
	lang := text.LanguageOf(s)
	if !lang.Known() {
		lang = text.English
	}
	found := map[string]int{}
	add := func(word string) {
		word = text.Plain(word)
		if len(word) < 2 || lang.IsStopWord(word) || !strings.ContainsFunc(word, isLetter) {
			return
		}
		found[lang.Stem(lang.BaseForm(word))]++
	}
	for t := range text.Tokens(s) {
		raw := s[t.Start:t.End]
		switch t.Kind {
		case text.KindWord:
			add(raw)
		case text.KindCompound, text.KindIdentifier, text.KindURL:
			for _, part := range text.NameWords(raw) {
				add(part)
			}
		case text.KindUnspaced:
			pairs(raw, found)
		}
	}
	return found
}

func isLetter(r rune) bool { return text.IsWord(r) && (r < '0' || r > '9') }

// pairs counts the pairs of neighbouring characters of a run without spaces.
func pairs(run string, found map[string]int) {
	r := []rune(run)
	for i := range len(r) - 1 {
		found[string(r[i:i+2])]++
	}
	if len(r) == 1 {
		found[run]++
	}
}
