package similarity

// hunk is a place where two token sequences differ: a[a0:a1] stands where b[b0:b1] does. One side may be empty.
type hunk struct{ a0, a1, b0, b1 int }

// maxEdits bounds the alignment: sequences further apart than this many insertions and deletions are taken as one hunk.
// The search needs at most maxEdits²/2 steps and 4 bytes for each.
const maxEdits = 1024

// align returns the hunks between two sides in ascending order, found with the greedy algorithm of E. Myers, "An O(ND)
// Difference Algorithm and Its Variations", Algorithmica 1 (1986).
func align(a, b *side) []hunk {
	x, y := a.keys, b.keys
	head := 0
	for head < len(x) && head < len(y) && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < len(x)-head && tail < len(y)-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	whole := hunk{head, len(x) - tail, head, len(y) - tail}
	x, y = x[head:whole.a1], y[head:whole.b1]
	if len(x) == 0 && len(y) == 0 {
		return nil
	}
	if len(x) == 0 || len(y) == 0 {
		return settle(a.tokens, b.tokens, []hunk{whole})
	}
	var steps trace
	if !steps.search(x, y) {
		return []hunk{whole}
	}
	return settle(a.tokens, b.tokens, steps.backtrack(len(x), len(y), head))
}

// trace holds, for each number of edits d, the furthest x reached on each of the diagonals -d, -d+2, … d, one row after the other.
type trace []int32

func (t trace) row(d int) []int32 { return t[d*(d+1)/2 : (d+1)*(d+2)/2] }

// search makes t the trace up to the number of edits that turn x into y, unless there are too many.
func (t *trace) search(x, y []uint64) (ok bool) {
	var prev []int32
	for d := 0; d <= maxEdits; d++ {
		*t = append(*t, make([]int32, d+1)...)
		row := t.row(d)
		if d > 0 {
			prev = t.row(d - 1) // append may have moved it
		}
		for i := range row {
			k := 2*i - d
			var px int
			switch {
			case d == 0:
			case i == 0 || i < d && prev[i-1] < prev[i]:
				px = int(prev[i]) // from diagonal k+1, one element of y inserted
			default:
				px = int(prev[i-1]) + 1 // from diagonal k-1, one element of x deleted
			}
			py := px - k
			for px < len(x) && py >= 0 && py < len(y) && x[px] == y[py] {
				px++
				py++
			}
			row[i] = int32(px)
			if px >= len(x) && py >= len(y) {
				return true
			}
		}
	}
	return false
}

// backtrack walks the trace from the end and returns the edits as hunks, moved by offset.
func (t trace) backtrack(px, py, offset int) []hunk {
	var reversed []hunk
	last := 0
	for (last+1)*(last+2)/2 < len(t) {
		last++
	}
	for d := last; d > 0; d-- {
		prev := t.row(d - 1)
		k := px - py
		i := (k + d) / 2
		h := hunk{}
		if i == 0 || i < d && prev[i-1] < prev[i] {
			x := int(prev[i])
			y := x - (k + 1)
			h = hunk{x, x, y, y + 1}
		} else {
			x := int(prev[i-1])
			y := x - (k - 1)
			h = hunk{x, x + 1, y, y}
		}
		px, py = h.a0, h.b0
		if n := len(reversed); n > 0 && reversed[n-1].a0 == h.a1+offset && reversed[n-1].b0 == h.b1+offset {
			reversed[n-1].a0, reversed[n-1].b0 = h.a0+offset, h.b0+offset
			continue
		}
		reversed = append(reversed, hunk{h.a0 + offset, h.a1 + offset, h.b0 + offset, h.b1 + offset})
	}
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	return reversed
}

// settle slides each pure insertion or deletion to where it begins at the strongest gap: an added sentence is found as that
// sentence, not as the end of it and the beginning of the next.
func settle(a, b []token, hunks []hunk) []hunk {
	for i := range hunks {
		h := &hunks[i]
		lowest := 0
		if i > 0 {
			lowest = hunks[i-1].a1 // an equal token must stay between hunks
		}
		switch {
		case h.b0 == h.b1:
			n := slide(a, h.a0, h.a1, min(h.a0-lowest, h.b0))
			h.a0, h.a1, h.b0, h.b1 = h.a0-n, h.a1-n, h.b0-n, h.b1-n
		case h.a0 == h.a1:
			n := slide(b, h.b0, h.b1, min(h.a0-lowest, h.b0))
			h.a0, h.a1, h.b0, h.b1 = h.a0-n, h.a1-n, h.b0-n, h.b1-n
		}
	}
	return hunks
}

// slide returns by how many tokens, at most limit, the block t[from:to] moves to the left.
func slide(t []token, from, to, limit int) int {
	best, strongest := 0, t[from].gap
	for n := 1; n <= limit && t[from-n].key == t[to-n].key; n++ {
		if g := t[from-n].gap; g > strongest {
			best, strongest = n, g
		}
	}
	return best
}
