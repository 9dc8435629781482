package supersession

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// A pattern is a way in which a language says that something has changed. The sections "change" of the language files, and "update" with
// those that only announce a value as new, hold one a line:
//
//	no longer                            words that follow each other
//	replac*|swapp* OLD with|for NEW      alternatives; any ending; what held before and what holds now
//	used to … now                        up to maxGap words
//	, not OLD                            a comma or another mark between clauses; what follows holds a name or a number
//	!is|are used to                      not behind these words
//
// In scripts without spaces each character is a word. Patterns of all languages are looked for in every text: notes are
// short, mix languages, and the phrases of one mean nothing else in another; of a text whose language is known its own and the
// English ones, and those of updates, which ask for much more.
type pattern struct {
	elements []element
	anchor   int // the element that is looked up
	language text.Language
	update   bool // of a section "update": it only announces a value
}

type elementKind uint8

const (
	literal elementKind = iota
	gap
	clauseMark
	unless
	oldValue
	newValue
)

type element struct {
	kind elementKind
	any  []phrase // of a literal, or what must not stand there
}

// phrase is an alternative of a literal: one word, or the characters of a script without spaces.
type phrase struct {
	keys   []string
	prefix bool // of the word
}

const (
	maxGap   = 6  // words that "…" stands for at most
	maxValue = 8  // words of a value
	maxRunes = 24 // the same of both in a script without spaces
)

// patternIndex finds patterns by the beginning of their anchors.
type patternIndex struct {
	exact  map[string][]anchored // by the word, or the first character
	prefix map[string][]anchored // by the first two characters of what any ending may follow
	begins []string              // how text begins that may match
}

type anchored struct {
	*pattern
	phrase
}

// patterns are those of all languages.
var patterns = sync.OnceValue(func() *patternIndex {
	ix := &patternIndex{exact: map[string][]anchored{}, prefix: map[string][]anchored{}}
	for _, l := range text.Languages() {
		for _, section := range []string{"change", "update"} {
			for _, line := range l.Lines(section) {
				if p := parsePattern(l, line); p != nil {
					p.update = section == "update"
					ix.add(p)
				}
			}
		}
	}
	return ix
})

func (ix *patternIndex) add(p *pattern) {
	for _, a := range p.elements[p.anchor].any {
		if a.prefix {
			ix.prefix[firstRunes(a.keys[0], 2)] = append(ix.prefix[firstRunes(a.keys[0], 2)], anchored{p, a})
		} else {
			ix.exact[a.keys[0]] = append(ix.exact[a.keys[0]], anchored{p, a})
		}
		ix.begins = append(ix.begins, p.begins(a)...)
	}
}

// parsePattern reads a line; nil if it has no literal.
func parsePattern(l text.Language, line string) *pattern {
	p := &pattern{language: l, anchor: -1}
	most := 0
	for field := range strings.FieldsSeq(line) {
		switch field {
		case "OLD":
			p.elements = append(p.elements, element{kind: oldValue})
		case "NEW":
			p.elements = append(p.elements, element{kind: newValue})
		case "…":
			p.elements = append(p.elements, element{kind: gap})
		case ",":
			p.elements = append(p.elements, element{kind: clauseMark})
		default:
			e := element{}
			least := len(field)
			if rest, ok := strings.CutPrefix(field, "!"); ok {
				e.kind, field, least = unless, rest, 0
			}
			for word := range strings.SplitSeq(field, "|") {
				k, prefix := strings.CutSuffix(word, "*")
				k = text.Fold(k)
				if e.kind == literal {
					least = min(least, len(k))
				}
				if first, _ := utf8.DecodeRuneInString(k); text.IsUnspaced(first) {
					e.any = append(e.any, phrase{keys: strings.Split(k, "")})
				} else {
					e.any = append(e.any, phrase{[]string{k}, prefix})
				}
			}
			if e.kind == literal && least > most {
				p.anchor, most = len(p.elements), least
			}
			p.elements = append(p.elements, e)
		}
	}
	if p.anchor < 0 {
		return nil
	}
	return p
}

// begins are how the text begins in which a phrase is the anchor: with the word next to it where that is known.
func (p *pattern) begins(a phrase) (all []string) {
	anchor, space := strings.Join(a.keys, ""), " "
	if len(a.keys) > 1 {
		space = ""
	}
	if i := p.anchor + 1; i < len(p.elements) && p.elements[i].kind == literal && !a.prefix {
		for _, next := range p.elements[i].any {
			all = append(all, anchor+space+strings.Join(next.keys, ""))
		}
		return all
	}
	if i := p.anchor - 1; i >= 0 && p.elements[i].kind == literal {
		for _, before := range p.elements[i].any {
			if before.prefix {
				return []string{anchor}
			}
			all = append(all, strings.Join(before.keys, "")+space+anchor)
		}
		return all
	}
	if i := p.anchor - 1; i >= 0 && p.elements[i].kind == clauseMark && space == " " {
		for _, mark := range []string{", ", "; ", "(", "– ", "— ", "، "} {
			all = append(all, mark+anchor)
		}
		return all
	}
	if len(anchor) < 3 && !a.prefix { // a finder needs three bytes
		return []string{anchor + " "}
	}
	return []string{anchor}
}

// firstRunes are the first n characters of a word.
func firstRunes(k string, n int) string {
	for i := range k {
		if n == 0 {
			return k[:i]
		}
		n--
	}
	return k
}

// mark is a place of a sentence that tells of a change.
type mark struct {
	from, to int // the words of the pattern, with what it captures
	old, new []word
	said     bool         // the pattern says what held before: it is old
	contrast bool         // it only sets one value against another
	ended    bool         // it says that what it begins with is no more
	update   bool         // it only announces a value as new
	literals map[int]bool // where the words of its literals begin
}

// marks lists the changes that a sentence tells of, in the order of their words.
func (s *sentence) marks(l text.Language) (all []mark) {
	ix := patterns()
	arrows, arrow := 0, mark{}
	for i, w := range s.words {
		lists := [2][]anchored{ix.exact[w.key], nil}
		if k := firstRunes(w.key, 2); !w.unspaced {
			lists[1] = ix.prefix[k]
		}
		for _, list := range lists {
			for _, a := range list {
				if l != text.Unknown && a.language != l && a.language != text.English && !a.update {
					continue
				}
				if m, ok := s.mark(a, i); ok {
					all = append(all, m)
				}
			}
		}
		if w.arrow && i+1 < len(s.words) {
			arrows++
			if v := s.words[i+1]; w.capital && v.capital || w.digit && v.digit {
				arrow = mark{from: i, to: i + 2, said: true, contrast: true, old: s.words[i : i+1], new: s.words[i+1 : i+2]}
			}
		}
	}
	if arrows == 1 && arrow.said { // more are steps
		all = append(all, arrow)
	}
	return all
}

// mark matches a pattern whose anchor may stand at word i.
func (s *sentence) mark(a anchored, i int) (mark, bool) {
	n := a.phrase.length(s.words, i)
	if n == 0 {
		return mark{}, false
	}
	m := mark{from: i, to: i + n, update: a.update, literals: map[int]bool{}}
	for j := range n {
		m.literals[s.words[i+j].start] = true
	}
	if !s.extend(a.pattern, a.anchor, i-1, -1, &m) || !s.extend(a.pattern, a.anchor, i+n, 1, &m) {
		return mark{}, false
	}
	m.ended = m.said && a.pattern.elements[0].kind == oldValue && !slices.ContainsFunc(a.pattern.elements, func(e element) bool { return e.kind == newValue })
	if n := len(m.old); m.ended && n > 0 && relative.Has(m.old[n-1].key) { // "…, which is deprecated by …" tells of no change
		return mark{}, false
	}
	return m, !m.said || len(m.old) > 0
}

// relative are the English words that begin a clause about what stands before them.
var relative = text.NewSet("which that who")

// length is how many words from i on are the phrase; 0 if they are not.
func (p phrase) length(ws []word, i int) int {
	for j, k := range p.keys {
		if i < 0 || i+j >= len(ws) || ws[i+j].key != k && !(p.prefix && strings.HasPrefix(ws[i+j].key, k)) {
			return 0
		}
	}
	return len(p.keys)
}

// literalAt is how many words a literal takes that begins, or going backwards ends, at word i.
func (e element) literalAt(ws []word, i, dir int) int {
	for _, p := range e.any {
		start := i
		if dir < 0 {
			start = i - len(p.keys) + 1
		}
		if n := p.length(ws, start); n > 0 {
			return n
		}
	}
	return 0
}

// extend matches what stands behind the anchor (dir 1) or before it (dir -1), from word i on.
func (s *sentence) extend(p *pattern, e, i, dir int, m *mark) bool {
	for e += dir; e >= 0 && e < len(p.elements); e += dir {
		switch el := p.elements[e]; el.kind {
		case literal:
			n := el.literalAt(s.words, i, dir)
			if n == 0 {
				return false
			}
			for j := range n {
				m.literals[s.words[i+j*dir].start] = true
			}
			i += n * dir
		case unless:
			if el.literalAt(s.words, i, dir) > 0 {
				return false
			}
		case clauseMark:
			m.contrast = true
			if at := max(i, i-dir); i < 0 || i >= len(s.words) || !s.words[at].clause {
				return false
			}
		default:
			end := s.until(p, e, i, dir)
			if end < -1 {
				return false
			}
			value := s.capture(i, dir, end, el.kind == oldValue && dir < 0)
			switch el.kind {
			case oldValue:
				m.old, m.said = value, true
			case newValue:
				m.new = value
			}
			if end >= 0 {
				i = end
			} else {
				i += len(value) * dir
			}
		}
		m.from, m.to = min(m.from, i+1), max(m.to, i)
	}
	return true
}

// until finds the word at which what follows a value or a gap begins: -1 when nothing follows, -2 when it isn't found.
func (s *sentence) until(p *pattern, e, i, dir int) int {
	next := e + dir
	if next < 0 || next == len(p.elements) {
		return -1
	}
	least, most := 1, maxValue
	if p.elements[e].kind == gap {
		least, most = 0, maxGap
	}
	for n := 0; n <= most && i >= 0 && i < len(s.words); n++ {
		switch el := p.elements[next]; {
		case n < least:
		case el.kind == clauseMark && s.words[max(i, i-dir)].clause, el.kind == literal && el.literalAt(s.words, i, dir) > 0:
			return i
		}
		if s.words[i].unspaced {
			most = maxRunes
		}
		if n > 0 && s.words[max(i, i-dir)].clause && p.elements[next].kind != clauseMark {
			return -2 // another clause
		}
		i += dir
	}
	return -2
}

// capture is a value from word i on up to end, or when that is negative to the end of the phrase, or all of the clause.
func (s *sentence) capture(i, dir, end int, clause bool) []word {
	j := i
	said := false
	for j >= 0 && j < len(s.words) && j != end {
		w := s.words[j]
		function := w.function && w.key != "of"
		if end < 0 && j != i && (dir > 0 && w.clause || dir < 0 && s.words[j+1].clause || s.words[i].unspaced != w.unspaced || said && function && !clause) ||
			(j-i)*dir >= maxValue && !w.unspaced || (j-i)*dir >= maxRunes {
			break
		}
		said = said || !function
		j += dir
	}
	if dir < 0 {
		return s.words[j+1 : i+1]
	}
	return s.words[min(i, len(s.words)):j]
}

// Marked reports whether a text may tell of a change. It is quick, and false for most texts.
func Marked(text string) bool {
	_, changes := Speaks(text)
	return changes
}

// Speaks reports whether a text may cite what is replaced ([Cited]), and whether it is [Marked].
func Speaks(text string) (replaces, changes bool) {
	for _, b := range speaking().all(unjoined(clip(text, maxText))) {
		replaces, changes = replaces || b.group == 0, changes || b.group == 1
		if replaces && changes {
			break
		}
	}
	return replaces, changes
}

// tells reports whether a marked text tells of a change: it looks at the words around what may be one.
func tells(s string) bool {
	s = unjoined(clip(s, maxText))
	end := -1
	for at, b := range speaking().all(s) {
		if b.group == 0 || at < end {
			continue
		}
		from := max(strings.LastIndexByte(s[:at], '\n')+1, at-around)
		if end = len(s); at+around < end {
			end = at + around
		}
		if i := strings.IndexByte(s[at:end], '\n'); i >= 0 {
			end = at + i
		}
		piece := sentence{text: strings.ToValidUTF8(s[from:max(end, at)], "")}
		if piece.words = parts(piece.text, words(piece.text), text.Unknown); len(piece.marks(text.Unknown)) > 0 {
			return true
		}
	}
	return false
}

// around is how many bytes before and behind a word are looked at for the rest of its pattern.
const around = 300

var speaking = sync.OnceValue(func() *finder {
	return newFinder(replacingStems, append(patterns().begins, "→", " -> "))
})
