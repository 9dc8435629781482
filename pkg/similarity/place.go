package similarity

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/text"
)

// place is where two texts differ in more than is known to be harmless.
type place struct {
	hunk
	kind kind
}

func (h hunk) empty() bool { return h.a0 == h.a1 && h.b0 == h.b1 }

// forms adds the equal tokens whose form differs where it counts.
func (p *pair) forms(hunks []hunk) []hunk {
	var out []hunk
	i, j := 0, 0
	for n := 0; n <= len(hunks); n++ {
		end := len(p.a.tokens)
		if n < len(hunks) {
			end = hunks[n].a0
		}
		for ; i < end; i, j = i+1, j+1 {
			if !sameForm(p.a.text, p.b.text, &p.a.tokens[i], &p.b.tokens[j]) {
				out = append(out, hunk{i, i + 1, j, j + 1})
			}
		}
		if n < len(hunks) {
			out = append(out, hunks[n])
			i, j = hunks[n].a1, hunks[n].b1
		}
	}
	return out
}

// The bounds within which several hunks are looked at together.
const (
	reach     = 2  // equal tokens between hunks that may be one value: March 5, 5 March
	maxJoint  = 5  // hunks that may be one value, or one list
	maxWindow = 60 // tokens of a list
)

// rewritten drops the hunks, one or several that stand close together, that say the same otherwise.
func (p *pair) rewritten(hunks []hunk) []hunk {
	var out []hunk
	for i := 0; i < len(hunks); i++ {
		taken := 0
		for j := min(len(hunks), i+maxJoint); j > i && taken == 0; j-- {
			h := hunk{hunks[i].a0, hunks[j-1].a1, hunks[i].b0, hunks[j-1].b1}
			if h.a1-h.a0 > maxWindow || h.b1-h.b0 > maxWindow {
				continue
			}
			if p.near(hunks[i:j]) && (p.sameValues(h) || p.joinedAlike(h)) || p.sameTokens(h) && p.reordered(h) {
				taken = j - i
			}
		}
		if taken == 0 {
			out = append(out, hunks[i])
		} else {
			i += taken - 1
		}
	}
	return out
}

// sameTokens reports whether both sides hold the same tokens in some order.
func (p *pair) sameTokens(h hunk) bool {
	if h.a1-h.a0 != h.b1-h.b0 {
		return false
	}
	sum := uint64(0)
	for i := range h.a1 - h.a0 {
		sum += p.a.keys[h.a0+i] - p.b.keys[h.b0+i]
	}
	return sum == 0
}

// near reports whether at most reach tokens stand between hunks that follow each other.
func (p *pair) near(hunks []hunk) bool {
	for i := 1; i < len(hunks); i++ {
		if hunks[i].a0-hunks[i-1].a1 > reach {
			return false
		}
	}
	return true
}

// maxRefined bounds the hunks in which words are matched one by one.
const maxRefined = 40

// places matches the words of each hunk that are alike though not equal, takes out the words that say nothing, and returns what is left.
func (p *pair) places(hunks []hunk) (out []place) {
	for _, h := range hunks {
		for _, rest := range p.refine(h) {
			if rest = p.withoutEmpty(rest); !rest.empty() {
				out = append(out, place{hunk: rest})
			}
		}
	}
	return out
}

// refine splits a hunk at the words that are alike: a longest common subsequence.
func (p *pair) refine(h hunk) (out []hunk) {
	n, m := h.a1-h.a0, h.b1-h.b0
	if n == 0 || m == 0 || n > maxRefined || m > maxRefined {
		return []hunk{h}
	}
	best := make([][]int, n+1)
	for i := range best {
		best[i] = make([]int, m+1)
	}
	same := make([]bool, n*m)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if same[i*m+j] = p.alike(&p.a.tokens[h.a0+i], &p.b.tokens[h.b0+j]); same[i*m+j] {
				best[i][j] = max(best[i][j], best[i+1][j+1]+1)
			}
		}
	}
	cut := hunk{h.a0, h.a0, h.b0, h.b0}
	i, j := 0, 0
	for i < n && j < m {
		switch {
		case same[i*m+j] && best[i][j] == best[i+1][j+1]+1:
			if cut.a1, cut.b1 = h.a0+i, h.b0+j; !cut.empty() {
				out = append(out, cut)
			}
			i, j = i+1, j+1
			cut.a0, cut.b0 = h.a0+i, h.b0+j
		case best[i+1][j] >= best[i][j+1]:
			i++
		default:
			j++
		}
	}
	if cut.a1, cut.b1 = h.a1, h.b1; !cut.empty() {
		out = append(out, cut)
	}
	return out
}

// withoutEmpty takes the words that say nothing from the ends of both sides of a hunk.
func (p *pair) withoutEmpty(h hunk) hunk {
	says := func(t *token) bool { return !p.sayNothing(t) }
	for h.a0 < h.a1 && !says(&p.a.tokens[h.a0]) {
		h.a0++
	}
	for h.a0 < h.a1 && !says(&p.a.tokens[h.a1-1]) {
		h.a1--
	}
	for h.b0 < h.b1 && !says(&p.b.tokens[h.b0]) {
		h.b0++
	}
	for h.b0 < h.b1 && !says(&p.b.tokens[h.b1-1]) {
		h.b1--
	}
	return h
}

// weighed returns the places that a person is asked about: all that are not details, unless what is left is a revision. Where both wordings
// stay, several places with other words are one without details, too.
func (p *pair) weighed(places []place) (found []place) {
	weights := make([]weight, len(places))
	for i, h := range places {
		weights[i] = p.weigh(h.hunk)
		if p.generous && weights[i] == detail && (h.a1-h.a0)+(h.b1-h.b0) <= mostLimiting && (limits(p, &p.a, h.a0, h.a1) || limits(p, &p.b, h.b0, h.b1)) {
			weights[i] = fact
		}
	}
	p.apart(places, weights)
	moved := p.moved(places)
	var n [ticked + 1]int
	softly := map[string]bool{}
	for i, h := range places {
		h.kind = p.kindOf(h.hunk)
		if moved[i] {
			weights[i], h.kind = fact, kindOrder
			if shifted(p, places, i) {
				weights[i] = soft
			}
		}
		if change := strings.Join(p.a.words(h.a0, h.a1), " ") + "\n" + strings.Join(p.b.words(h.b0, h.b1), " "); weights[i] != soft || !softly[change] {
			softly[change] = true // the same change in a summary and in the text counts once
			n[weights[i]]++
		}
		if weights[i] != detail {
			found = append(found, h)
		}
	}
	if n[fact] == 0 && p.revision(n[soft], n[replacement], n[detail], n[ticked]) {
		return nil
	}
	return found
}

// apart finds what one text says in the place of what the other says though it stands a little apart from it: two details, one of each text,
// with a word or two between them, as in Catholic Church, Church of Scotland; and names that each text has and the other has not.
func (p *pair) apart(places []place, weights []weight) {
	onlyA := func(h place) bool { return h.b0 == h.b1 }
	var namedA, namedB bool
	for i, h := range places {
		if weights[i] != detail {
			continue
		}
		if i > 0 && weights[i-1] >= replacement && h.a0-places[i-1].a1 <= reach && onlyA(h) != onlyA(places[i-1]) {
			weights[i], weights[i-1] = replacement, replacement
		}
		if p.names(h.hunk) {
			namedA, namedB = namedA || onlyA(h), namedB || !onlyA(h)
		}
	}
	for i, h := range places {
		if weights[i] != fact && p.names(h.hunk) && (namedA && namedB || weights[i] == replacement) {
			weights[i] = fact
		}
	}
}

// names reports whether a place holds a name, of a person or of a thing in code.
func (p *pair) names(h hunk) bool {
	named := func(s *side, from, to int) bool {
		for i := from; i < to; i++ {
			if s.tokens[i].kind != kindWord || s.name(i) {
				return true
			}
		}
		return false
	}
	return named(&p.a, h.a0, h.a1) || named(&p.b, h.b0, h.b1)
}

// moved tells which places hold words that stand in another place of the other text.
func (p *pair) moved(places []place) []bool {
	out := make([]bool, len(places))
	at := map[uint64]int{}
	for i, h := range places {
		for k := h.b0; k < h.b1; k++ {
			if p.open(&p.b.tokens[k]) {
				at[p.b.keys[k]] = i + 1
			}
		}
	}
	for i, h := range places {
		for k := h.a0; k < h.a1; k++ {
			if j := at[p.a.keys[k]]; j > 0 && p.open(&p.a.tokens[k]) {
				out[i], out[j-1] = true, true
			}
		}
	}
	return out
}

// shifted reports whether a place is a word that only changed its place among its neighbours, in a long text with other changes.
func shifted(p *pair, places []place, i int) bool {
	if !p.generous || len(places) < 3 || min(len(p.a.tokens), len(p.b.tokens)) < longTokens {
		return false
	}
	words := func(h hunk) []string { return append(p.a.words(h.a0, h.a1), p.b.words(h.b0, h.b1)...) }
	h := places[i].hunk
	for j, other := range places {
		if j == i-1 && h.a0-other.a1 <= reach+1 || j == i+1 && other.a0-h.a1 <= reach+1 {
			if (h.a0 == h.a1 || h.b0 == h.b1 || other.a0 == other.a1 || other.b0 == other.b1) && len(words(h)) <= 2 && len(words(other.hunk)) <= 2 &&
				!p.names(h) && !p.names(other.hunk) && slices.ContainsFunc(words(h), func(w string) bool { return slices.Contains(words(other.hunk), w) }) &&
				!slices.ContainsFunc(words(h), func(w string) bool { return p.among(w, telling) }) {
				return true
			}
		}
	}
	return false
}

// kindOf names the kind of a difference.
func (p *pair) kindOf(h hunk) kind {
	var has [kindOrder + 1]bool
	note := func(s *side, from, to int) {
		for i := from; i < to; i++ {
			t := &s.tokens[i]
			switch {
			case t.kind == kindWord && (p.listed(t.key, "negation") || text.English.Has("negation", t.key)):
				has[kindNegation] = true
			case t.kind == kindWord && s.name(i):
				has[kindName] = true
			default:
				has[t.kind] = true
			}
		}
	}
	note(&p.a, h.a0, h.a1)
	note(&p.b, h.b0, h.b1)
	has[kindNegation] = has[kindNegation] || p.opposed(h)
	for _, k := range []kind{kindNegation, kindDate, kindNumber, kindUnit, kindVersion, kindURL, kindPath, kindIdentifier, kindSign, kindName} {
		if has[k] {
			return k
		}
	}
	return kindWord
}

// joinedAlike reports whether the two sides have the same letters, written in one word or in several: by a hyphen in any language, by a
// space in a known one, if none of the parts is a word that could turn the sense.
func (p *pair) joinedAlike(h hunk) bool {
	if h.a0 == h.a1 || h.b0 == h.b1 || h.a1-h.a0 == h.b1-h.b0 {
		return false
	}
	size := 0
	for _, t := range p.a.tokens[h.a0:h.a1] {
		size += len(t.key)
	}
	for _, t := range p.b.tokens[h.b0:h.b1] {
		size -= len(t.key)
	}
	if size != 0 || strings.Join(p.a.words(h.a0, h.a1), "") != strings.Join(p.b.words(h.b0, h.b1), "") {
		return false
	}
	return p.joins(&p.a, h.a0, h.a1) && p.joins(&p.b, h.b0, h.b1) && !(p.generous && (called(p, h) || otherWhenJoined(p, h)))
}

func (p *pair) joins(s *side, from, to int) bool {
	for i := from; i < to; i++ {
		t := &s.tokens[i]
		if t.kind != kindWord || t.character {
			return false
		}
		if i > from && t.gap != gapHyphen && !(p.known() && p.joinable(t) && p.joinable(&s.tokens[i-1])) {
			return false
		}
	}
	return true
}

// joinable reports whether a word may be written in one with another without another sense: not able, notable.
func (p *pair) joinable(t *token) bool { return !p.lang.IsStopWord(t.key) && !p.turns(t.key) }

// reordered reports whether the two sides are the items of one list in another order. What "and" joins and what commas part are items.
// Numbers are none: with them the order may be all that is said.
func (p *pair) reordered(h hunk) bool {
	const most = 4 // tokens around the hunk that may belong to the first and last item
	if p.sequence(h) {
		return false
	}
	for left := 0; left <= min(most, h.a0, h.b0); left++ {
		if at := h.a0 - left + 1; left > 0 && at < len(p.a.tokens) && p.a.tokens[at].gap == gapSentence && !p.a.tokens[at].bullet {
			break
		}
		for right := 0; right <= min(most, len(p.a.tokens)-h.a1, len(p.b.tokens)-h.b1); right++ {
			x, ok := p.items(&p.a, h.a0-left, h.a1+right)
			if !ok {
				break
			}
			if y, ok := p.items(&p.b, h.b0-left, h.b1+right); ok && len(x) > 1 && len(x) == len(y) {
				slices.Sort(x)
				slices.Sort(y)
				if slices.Equal(x, y) {
					return true
				}
			}
		}
	}
	return false
}

// sequence reports whether a word of the sentence makes an order of the list.
func (p *pair) sequence(h hunk) bool {
	from, to := h.a0, h.a1
	for from > 0 && from < len(p.a.tokens) && p.a.tokens[from].gap != gapSentence {
		from--
	}
	for to < len(p.a.tokens) && p.a.tokens[to].gap != gapSentence {
		to++
	}
	return slices.ContainsFunc(p.a.tokens[min(from, to):to], func(t token) bool { return p.listed(t.key, "sequence") })
}

// items splits tokens into the items of a list, each as its keys. It is not a list if an item has a number or is long.
func (p *pair) items(s *side, from, to int) (out []string, ok bool) {
	item, size := "", 0
	for i := from; i < to; i++ {
		t := &s.tokens[i]
		and := p.listed(t.key, "and")
		if t.kind == kindNumber || t.kind == kindDate || t.gap == gapSentence && !t.bullet && i > from {
			return nil, false
		}
		if i > from && (and || t.gap == gapComma || t.bullet) && item != "" {
			out, item, size = append(out, item), "", 0
		}
		if !and {
			item, size = item+" "+t.key, size+1
		}
		if size > 16 || size > 6 && !t.character && !t.bullet {
			return nil, false
		}
	}
	return append(out, item), item != ""
}
