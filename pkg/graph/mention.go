package graph

import (
	"iter"
	"path"
	"strings"
	"unicode"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/text"
)

// Bounds of what is looked for in texts.
const (
	maxText    = 32 << 10 // bytes that are read of a text
	titleWords = 3        // words that a title has at least, to differ from ordinary words
)

// name is how a text may call a memory.
type name struct {
	*memory.Memory        // nil: several go by that name
	place          string // id, path or title
}

// names are the ways to call the memories of a workspace.
type names struct {
	tokens map[string]name             // ids and files, as one token
	titles map[string]map[string]name  // whole titles as words, by their first two words
	length map[string]map[int]struct{} // how many words the titles have that begin so
}

func namesOf(all []*memory.Memory) *names {
	n := &names{tokens: map[string]name{}, titles: map[string]map[string]name{}, length: map[string]map[int]struct{}{}}
	for _, m := range all {
		if telling(m.ID) {
			once(n.tokens, m.ID, name{m, "id"})
		}
		if m.Whole() {
			once(n.tokens, m.File, name{m, "path"})
			if base := path.Base(m.File); base != m.ID+".json" || telling(m.ID) {
				once(n.tokens, base, name{m, "path"})
			}
		}
		if words := wordsOf(m.Title()); len(words) >= titleWords {
			first := words[0] + " " + words[1]
			if n.titles[first] == nil {
				n.titles[first], n.length[first] = map[string]name{}, map[int]struct{}{}
			}
			once(n.titles[first], strings.Join(words, " "), name{m, "title"})
			n.length[first][len(words)] = struct{}{}
		}
	}
	return n
}

// once notes a name. One that several memories have is nobody's.
func once(all map[string]name, key string, n name) {
	if old, ok := all[key]; ok && old.Memory != n.Memory {
		n.Memory = nil
	}
	all[key] = n
}

// telling reports whether an id differs from every ordinary word.
func telling(id string) bool {
	return len(id) >= 3 && strings.ContainsFunc(id, func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune("_-.:", r) })
}

// word is a word of a text, in normal form, and where it is.
type word struct {
	text       string
	start, end int
}

func wordsOf(s string) (words []string) {
	for _, w := range split(s) {
		words = append(words, w.text)
	}
	return words
}

func split(s string) (words []word) {
	for t := range text.Tokens(s) {
		if t.Kind != text.KindSign {
			words = append(words, word{text.Fold(s[t.Start:t.End]), t.Start, t.End})
		}
	}
	return words
}

// mentions yields an edge for each name of another memory in a text.
func mentions(all []*memory.Memory) iter.Seq[Edge] {
	n := namesOf(all)
	found := make([][]Edge, len(all))
	parallel.For(len(all), func(i int) { found[i] = n.in(all[i]) })
	return func(yield func(Edge) bool) {
		for _, edges := range found {
			for _, e := range edges {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// in lists the edges that a memory's text states.
func (n *names) in(m *memory.Memory) (edges []Edge) {
	if memory.IsClusterSummary(m) { // it quotes its members
		return nil
	}
	s := m.Text()
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	words := split(s)
	met := map[*memory.Memory]bool{}
	add := func(to name, start int) {
		if to.Memory == nil || to.Memory == m || met[to.Memory] {
			return
		}
		met[to.Memory] = true
		sentence, at := sentenceAt(s, start)
		kind, turned := cue(sentence[:at])
		e := Edge{Name: edgefile.Name{From: m.ID, Type: kind, To: to.ID}, Origin: Mention, Place: to.place, Quote: clip(sentence)}
		if turned {
			e.From, e.To = e.To, e.From
		}
		edges = append(edges, e)
	}
	own := strings.Join(wordsOf(m.Title()), " ")
	for i, w := range words {
		if to, ok := n.tokens[s[w.start:w.end]]; ok {
			add(to, w.start)
		}
		if i+titleWords > len(words) {
			continue
		}
		first := w.text + " " + words[i+1].text
		for length := range n.length[first] {
			if i+length > len(words) {
				continue
			}
			var b strings.Builder
			for k, w := range words[i : i+length] {
				if k > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(w.text)
			}
			if to, ok := n.titles[first][b.String()]; ok && b.String() != own {
				add(to, w.start)
			}
		}
	}
	return edges
}

// sentenceAt is the sentence of a text around an offset, and where the offset is in it.
func sentenceAt(s string, at int) (string, int) {
	start := strings.LastIndexByte(s[:at], '\n') + 1
	line := s[start:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	from := 0
	for _, end := range text.SentenceEnds(line, 0, false) {
		if end > at-start {
			return line[from:end], at - start - from
		}
		from = end
	}
	return line[from:], at - start - from
}

// clip cuts a quotation to what a line holds.
func clip(s string) string { return text.Truncate(strings.Join(strings.Fields(s), " "), 200) }

// cues are the words before a name that tell what the text says of it. Of those at one place the longest counts.
var cues = []struct {
	words  string
	kind   string
	turned bool // the named memory is the one from which the edge goes
}{
	{"depends on", edgefile.DependsOn, false}, {"depend on", edgefile.DependsOn, false}, {"depending on", edgefile.DependsOn, false},
	{"requires", edgefile.DependsOn, false}, {"builds on", edgefile.DependsOn, false},
	{"required by", edgefile.DependsOn, true},
	{"blocked by", edgefile.BlockedBy, false}, {"blocked on", edgefile.BlockedBy, false}, {"waits for", edgefile.BlockedBy, false}, {"waiting for", edgefile.BlockedBy, false},
	{"blocks", edgefile.BlockedBy, true},
	{"implements", edgefile.Implements, false}, {"implementing", edgefile.Implements, false}, {"implementation of", edgefile.Implements, false},
	{"implemented by", edgefile.Implements, true}, {"implemented in", edgefile.Implements, true},
	{"fixes", edgefile.Fixes, false}, {"resolves", edgefile.Fixes, false}, {"fix for", edgefile.Fixes, false}, {"fixing", edgefile.Fixes, false},
	{"fixed by", edgefile.Fixes, true}, {"resolved by", edgefile.Fixes, true}, {"fixed in", edgefile.Fixes, true},
	{"contradicts", edgefile.Contradicts, false}, {"conflicts with", edgefile.Contradicts, false}, {"contrary to", edgefile.Contradicts, false},
	{"supersedes", edgefile.Supersedes, false}, {"replaces", edgefile.Supersedes, false}, {"obsoletes", edgefile.Supersedes, false},
	{"superseded by", edgefile.Supersedes, true}, {"replaced by", edgefile.Supersedes, true},
}

// maxGap is how many words may stand between a cue and the name.
const maxGap = 4

// cue reads what a text says just before a name. A cue behind a negation says nothing.
func cue(before string) (kind string, turned bool) {
	var words []string
	for _, w := range split(before) {
		words = append(words, w.text)
	}
	for end := len(words); end > 0 && len(words)-end <= maxGap; end-- {
		best := 0
		for _, c := range cues {
			said := strings.Fields(c.words)
			if n := len(said); n > best && n <= end && strings.Join(words[end-n:end], " ") == c.words {
				best, kind, turned = n, c.kind, c.turned
			}
		}
		if best == 0 {
			continue
		}
		for _, w := range words[max(end-best-3, 0) : end-best] {
			if text.English.Has("negation", w) {
				return edgefile.RelatesTo, false
			}
		}
		return kind, turned
	}
	return edgefile.RelatesTo, false
}
