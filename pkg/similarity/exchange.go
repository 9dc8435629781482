package similarity

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/text"
)

// The bounds within which two parts of a sentence are looked for that changed places.
const (
	maxPart   = 4  // tokens of a part
	maxMiddle = 10 // tokens between the two
	maxHunks  = 3  // hunks that the exchange is spread over
)

// exchanges returns the places where two parts of a sentence changed places around the same middle: "A blocks B" and "B blocks A".
// Parts that "and", "or" or a comma joins may stand in any order, and so may phrases that a preposition begins.
func (p *pair) exchanges(hunks []hunk, found []finding) (out []finding) {
	for i := 0; i < len(hunks); i++ {
		for j := i; j < len(hunks) && j < i+maxHunks; j++ {
			h := hunk{hunks[i].a0, hunks[j].a1, hunks[i].b0, hunks[j].b1}
			if h.a1-h.a0 > 2*maxPart+maxMiddle {
				break
			}
			f, ok := p.exchange(h)
			if !ok {
				continue
			}
			if !slices.ContainsFunc(found, func(g finding) bool { return g.a0 >= h.a0 && g.a1 <= h.a1 && g.b0 >= h.b0 && g.b1 <= h.b1 }) {
				out = append(out, f)
			}
			i = j
			break
		}
	}
	return out
}

// exchange reports whether h is X, middle, Y on one side and Y, middle, X on the other. The middle may be missing between two facts:
// cp a.txt b.txt.
func (p *pair) exchange(h hunk) (finding, bool) {
	a, b := p.a.keys[h.a0:h.a1], p.b.keys[h.b0:h.b1]
	n := len(a)
	if n != len(b) || n < 2 {
		return finding{}, false
	}
	if n == 2 {
		first, second := &p.a.tokens[h.a0], &p.a.tokens[h.a0+1]
		ok := a[0] == b[1] && a[1] == b[0] && first.kind != kindWord && second.kind != kindWord && second.gap == gapNone
		return finding{hunk: h, kind: kindOrder}, ok
	}
	for x := 1; x <= maxPart && x < n-1; x++ {
		if !slices.Equal(a[:x], b[n-x:]) {
			continue
		}
		for y := 1; y <= maxPart && x+y < n; y++ {
			if slices.Equal(a[n-y:], b[:y]) && slices.Equal(a[x:n-y], b[y:n-x]) && p.orderMatters(h, x, y) {
				return finding{hunk: h, kind: kindOrder}, true
			}
		}
	}
	return finding{}, false
}

// orderMatters reports whether the order of the parts of an exchange can matter.
func (p *pair) orderMatters(h hunk, x, y int) bool {
	t := p.a.tokens[h.a0:h.a1]
	if loose.Has(t[0].key) || loose.Has(t[len(t)-y].key) {
		return false
	}
	content := func(part []token) bool {
		return slices.ContainsFunc(part, func(t token) bool { return !functionWords.Has(t.key) })
	}
	if !content(t[:x]) || !content(t[len(t)-y:]) {
		return false
	}
	middle, last := t[x:len(t)-y], t[len(t)-y]
	if conjunctions.Has(middle[0].key) && len(middle) == 1 || conjunctions.Has(middle[len(middle)-1].key) {
		return false
	}
	return middle[0].gap == gapNone || last.gap == gapNone // else it is a list
}

var (
	conjunctions = text.NewSet("and or nor & plus")
	// loose begin phrases that may stand anywhere in a sentence.
	loose = text.NewSet(`in on at by for from to with without of during since until after before while when where if because as about
		through over under between among within into onto near behind beside against toward towards`)
)
