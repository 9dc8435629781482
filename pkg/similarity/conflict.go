package similarity

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/text"
)

// Facts of one class stand for each other in a place: a version where the other text has a number, an identifier where it has a name.
var classes = [][]kind{
	{kindNumber, kindDate, kindVersion},
	{kindIdentifier, kindPath, kindURL, kindName},
}

// maxFacts bounds the facts of one place that are compared with each other, and that are reported.
const maxFacts = 200

// maxApart is how many hunks may lie between two facts in one place.
const maxApart = 3

// conflicts returns the facts that replace each other in neighbouring hunks. What stands on one side only is a detail, not a
// contradiction, and so is what stands on both sides in different places.
func (p *pair) conflicts(hunks []hunk) (out []finding) {
	for _, class := range classes {
		if p.state(&p.a, hunks, class) && p.state(&p.b, hunks, class) {
			out = append(out, p.replaced(hunks, class)...)
		}
	}
	for _, h := range hunks {
		switch {
		case p.compounds(h):
			out = append(out, finding{hunk: h, kind: kindIdentifier})
		case !single(h):
		case p.capitals(h.a0, h.b0):
			out = append(out, finding{hunk: h, kind: kindName})
		case p.differInDigits(h.a0, h.b0):
			out = append(out, p.conflict(h.a0, h.b0))
		case p.denied(h.a0, h.b0):
			out = append(out, finding{hunk: h, kind: kindNegation})
		}
	}
	return append(out, p.reordered(hunks)...)
}

// state reports whether a side states a fact of a class in one of the hunks.
func (p *pair) state(s *side, hunks []hunk, class []kind) bool {
	return slices.ContainsFunc(hunks, func(h hunk) bool {
		from, to := h.a0, h.a1
		if s == &p.b {
			from, to = h.b0, h.b1
		}
		for i := from; i < to; i++ {
			if k := p.kind(s, i); k != kindWord && slices.Contains(class, k) {
				return true
			}
		}
		return false
	})
}

// replaced returns the facts of a class that replace each other in neighbouring hunks.
func (p *pair) replaced(hunks []hunk, class []kind) (out []finding) {
	x, y := make([][]int, len(hunks)), make([][]int, len(hunks)) // facts by hunk that the other side of it has not
	for n, h := range hunks {
		x[n], y[n] = p.unmatched(p.facts(&p.a, h.a0, h.a1, class), p.facts(&p.b, h.b0, h.b1, class))
	}
	if len(hunks) > 1 {
		p.dropMoved(hunks, x, y)
	}
	for n := range hunks {
		for ; len(x[n]) > 0 && len(y[n]) > 0; x[n] = x[n][1:] {
			at := max(0, slices.IndexFunc(y[n], func(j int) bool { return p.kind(&p.b, j) == p.kind(&p.a, x[n][0]) }))
			out = append(out, p.conflict(x[n][0], y[n][at]))
			y[n] = slices.Delete(y[n], at, at+1)
		}
		out = append(out, p.incompleteDates(hunks[n], x[n], y[n])...)
	}
	for n := range hunks {
		for m := max(0, n-maxApart); m < min(len(hunks), n+maxApart+1); m++ {
			for n != m && len(x[n]) > 0 && len(y[m]) > 0 && p.sameSlot(hunks, n, m, x[n][0], y[m][0]) {
				out = append(out, p.conflict(x[n][0], y[m][0]))
				x[n], y[m] = x[n][1:], y[m][1:]
			}
		}
	}
	return out
}

// sameSlot reports whether fact i of hunk n and fact j of hunk m answer the same question though other words stand between: both are
// amounts in the same unit ("5 GB of memory", "memory of 7 GB"), or parts of one name (University of Oslo, Charles University).
func (p *pair) sameSlot(hunks []hunk, n, m, i, j int) bool {
	a, b := &p.a.tokens[i], &p.b.tokens[j]
	if a.kind == kindDate || a.kind == kindVersion || a.kind == kindNumber {
		return a.kind == b.kind && a.unit == b.unit
	}
	for k := hunks[min(n, m)].a1; k < hunks[max(n, m)].a0; k++ {
		if p.kind(&p.a, k) != kindName && !particles.Has(p.a.tokens[k].key) {
			return false
		}
	}
	return true
}

var particles = text.NewSet("of the de la von van der bin al and &")

// reordered returns the numbers that changed places in neighbouring hunks without taking the word before or behind them along:
// "from 5 to 7" and "from 7 to 5", but not "serve 9 people in 5 cities" and "in 5 cities serve 9 people".
func (p *pair) reordered(hunks []hunk) (out []finding) {
	first, last := hunks[0], hunks[len(hunks)-1]
	x, y := p.facts(&p.a, first.a0, last.a1, classes[0]), p.facts(&p.b, first.b0, last.b1, classes[0])
	if len(x) < 2 || len(y) < 2 || len(x) == 2 && x[1]-x[0] == 2 && conjunctions.Has(p.a.tokens[x[0]+1].key) {
		return nil
	}
	restX, restY := p.unmatched(slices.Clone(x), slices.Clone(y))
	gone := func(rest []int) func(int) bool {
		return func(i int) bool { return slices.Contains(rest, i) }
	}
	x, y = slices.DeleteFunc(x, gone(restX)), slices.DeleteFunc(y, gone(restY))
	for n := range min(len(x), len(y)) {
		if !p.agree(x[n], y[n]) && !p.movedWithNeighbour(x[n], y) {
			out = append(out, p.conflict(x[n], y[n]))
		}
	}
	return out
}

// movedWithNeighbour reports whether fact i stands beside the same word in the other text, as one of the facts at js.
func (p *pair) movedWithNeighbour(i int, js []int) bool {
	beside := func(i, j int) bool {
		return i >= 0 && j >= 0 && i < len(p.a.keys) && j < len(p.b.keys) && p.a.keys[i] == p.b.keys[j]
	}
	return slices.ContainsFunc(js, func(j int) bool { return p.agree(i, j) && (beside(i-1, j-1) || beside(i+1, j+1)) })
}

// facts returns the indexes of the tokens of a class in s.tokens[from:to].
func (p *pair) facts(s *side, from, to int, class []kind) (out []int) {
	for i := from; i < to && len(out) < maxFacts; i++ {
		if k := p.kind(s, i); k != kindWord && slices.Contains(class, k) {
			out = append(out, i)
		}
	}
	return out
}

// unmatched returns the facts of each list that nothing in the other agrees with.
func (p *pair) unmatched(x, y []int) (restX, restY []int) {
	if len(x) == 0 || len(y) == 0 {
		return x, y
	}
	x = slices.DeleteFunc(x, func(i int) bool {
		at := slices.IndexFunc(y, func(j int) bool { return p.agree(i, j) })
		if at >= 0 {
			y = slices.Delete(y, at, at+1)
		}
		return at >= 0
	})
	return x, y
}

// dropMoved drops the facts that stand in another of the hunks on the other side. A hunk of one token on each side is no place
// from which something has been moved: there, one fact stands for another.
func (p *pair) dropMoved(hunks []hunk, x, y [][]int) {
	for n := range hunks {
		for m := range hunks {
			if n != m && !(single(hunks[n]) && single(hunks[m])) {
				x[n], y[m] = p.unmatched(x[n], y[m])
			}
		}
	}
}

// agree reports whether two facts can state the same: 60 s and 1 min, March 2026 and 5 March 2026, row_id and its full name.
func (p *pair) agree(i, j int) bool {
	if p.a.keys[i] == p.b.keys[j] {
		return true
	}
	a, b := &p.a.tokens[i], &p.b.tokens[j]
	switch {
	case a.kind == kindNumber && b.kind == kindNumber:
		return sameQuantity(a, b) || a.itemNumber && b.itemNumber
	case a.kind == kindDate && b.kind == kindDate:
		return sameDate(*a.date, *b.date)
	case a.kind == kindNumber && b.kind == kindDate:
		return inDate(a, *b.date)
	case a.kind == kindDate && b.kind == kindNumber:
		return inDate(b, *a.date)
	case a.kind == kindWord && b.kind == kindWord:
		return sameName(a.key, b.key) || p.a.abbreviates(i, b) || p.b.abbreviates(j, a)
	}
	return a.kind != kindVersion && b.kind != kindVersion && p.sameThing(a, b)
}

func (p *pair) conflict(i, j int) finding {
	a, b := &p.a.tokens[i], &p.b.tokens[j]
	kind := p.kind(&p.a, i)
	switch {
	case a.kind == kindNumber && b.kind == kindNumber && a.num == b.num:
		kind = kindUnit
	case kind == kindNumber || kind == kindName:
		kind = p.kind(&p.b, j) // the more particular of the two
	}
	return finding{hunk: hunk{i, i + 1, j, j + 1}, kind: kind}
}
