package delta

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sort"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Hunk is a part of a text: Copy bytes of the other one from At on, then Text.
type Hunk struct {
	At   int    `json:"at"`
	Copy int    `json:"copy"`
	Text []byte `json:"text,omitempty"`
}

// Of returns the hunks that make text of from. They are few for texts that differ in a
// few places, and correct for any texts. The time grows with the length of both (times a logarithm).
// Long texts are cut where they agree, and their pieces are compared: see [inStep].
func Of(from, text []byte) []Hunk {
	if len(from)+len(text) <= long {
		return compared(from, text)
	}
	return back(text, from, inStep(from, text), compared)
}

// long is how many bytes two texts may have together to be cut into pieces, which takes several
// times their room.
const long = 1 << 20

// compared is Of for texts of any length.
//
// What both begin and end with is left out first. The rest is cut behind line ends and
// commas; pieces that stand exactly once in both hold the two together, as many as keep
// their order (patience diff, B. Cohen), and what lies between them is compared from
// both ends.
func compared(from, text []byte) []Hunk {
	same := min(len(from), len(text))
	head := 0
	for head < same && from[head] == text[head] {
		head++
	}
	tail := 0
	for tail < same-head && from[len(from)-1-tail] == text[len(text)-1-tail] {
		tail++
	}
	d := hunkList{hunks: []Hunk{{Copy: head}}}
	a, b := cut(from[head:len(from)-tail]), cut(text[head:len(text)-tail])
	starts := make([]int, len(a)+1) // of the pieces, in from
	starts[0] = head
	for i, p := range a {
		starts[i+1] = starts[i] + len(p)
	}
	i, j := 0, 0
	for _, anchor := range append(anchors(a, b), [2]int{len(a), len(b)}) {
		first := i
		for i < anchor[0] && j < anchor[1] && bytes.Equal(a[i], b[j]) {
			i, j = i+1, j+1
		}
		d.copy(starts[first], starts[i]-starts[first])
		k := 0
		for anchor[0]-k > i && anchor[1]-k > j && bytes.Equal(a[anchor[0]-k-1], b[anchor[1]-k-1]) {
			k++
		}
		for _, p := range b[j : anchor[1]-k] {
			d.text(p)
		}
		d.copy(starts[anchor[0]-k], starts[anchor[0]]-starts[anchor[0]-k])
		i, j = anchor[0], anchor[1]
	}
	d.copy(len(from)-tail, tail)
	return d.hunks
}

// back is Of(now, old) for who knows what now has kept of old: only what lies between is
// compared.
func back(old, now []byte, kept []jsonedit.Kept, between func(from, text []byte) []Hunk) []Hunk {
	d := hunkList{hunks: []Hunk{{}}}
	inOld, inNow := 0, 0
	for _, k := range append(slices.Clip(kept), jsonedit.Kept{Old: len(old), New: len(now)}) {
		for _, h := range between(now[inNow:k.New], old[inOld:k.Old]) {
			d.copy(inNow+h.At, h.Copy)
			d.text(h.Text)
		}
		d.copy(k.New, k.Len)
		inOld, inNow = k.Old+k.Len, k.New+k.Len
	}
	return d.hunks
}

type hunkList struct{ hunks []Hunk }

func (d *hunkList) copy(at, n int) {
	last := &d.hunks[len(d.hunks)-1]
	switch {
	case n == 0:
	case last.Text == nil && last.At+last.Copy == at:
		last.Copy += n
	default:
		d.hunks = append(d.hunks, Hunk{At: at, Copy: n})
	}
}

func (d *hunkList) text(text []byte) {
	last := &d.hunks[len(d.hunks)-1]
	last.Text = append(last.Text, text...)
}

// anchors are the places, in both, of pieces that stand once in each: as many as have
// the same order in both.
func anchors(a, b [][]byte) [][2]int {
	type places struct{ inA, inB, at int }
	at := make(map[uint64]places, len(a)) // by hash: two pieces of one hash are not anchors
	for i, p := range a {
		n := at[maphash.Bytes(pieces, p)]
		at[maphash.Bytes(pieces, p)] = places{n.inA + 1, 0, i}
	}
	hashes := make([]uint64, len(b))
	for j, p := range b {
		hashes[j] = maphash.Bytes(pieces, p)
		if n, ok := at[hashes[j]]; ok {
			n.inB++
			at[hashes[j]] = n
		}
	}
	// The longest rising sequence of places in a, by the order in b: piles are the ends
	// of the best sequences of each length.
	var found [][2]int
	var before, piles []int // by found
	for j, p := range b {
		n, ok := at[hashes[j]]
		if !ok || n.inA != 1 || n.inB != 1 || !bytes.Equal(a[n.at], p) {
			continue
		}
		pile := sort.Search(len(piles), func(k int) bool { return found[piles[k]][0] >= n.at })
		link := -1
		if pile > 0 {
			link = piles[pile-1]
		}
		found, before = append(found, [2]int{n.at, j}), append(before, link)
		if pile == len(piles) {
			piles = append(piles, 0)
		}
		piles[pile] = len(found) - 1
	}
	var out [][2]int
	if len(piles) > 0 {
		for k := piles[len(piles)-1]; k >= 0; k = before[k] {
			out = append(out, found[k])
		}
	}
	slices.Reverse(out)
	return out
}

var pieces = maphash.MakeSeed()

func cut(text []byte) (pieces [][]byte) {
	pieces = make([][]byte, 0, len(text)/24)
	first := 0
	for i, c := range text {
		if c == '\n' || c == ',' && (i+1 == len(text) || text[i+1] != '\n') {
			pieces, first = append(pieces, text[first:i+1]), i+1
		}
	}
	if first < len(text) {
		pieces = append(pieces, text[first:])
	}
	return pieces
}

// Apply undoes [Of]: it gives the text. It is nil when the hunks don't fit, whatever they say.
func Apply(from []byte, hunks []Hunk) []byte {
	out := []byte{}
	for _, h := range hunks {
		if h.At < 0 || h.Copy < 0 || h.At+h.Copy > len(from) || h.At+h.Copy < h.At {
			return nil
		}
		out = append(append(out, from[h.At:h.At+h.Copy]...), h.Text...)
	}
	return out
}

const (
	probe  = 64       // bytes that are looked for where two texts are out of step
	sure   = 256      // as many have to agree for them to be in step again
	window = 64 << 10 // how far ahead that is looked for
	tries  = 16       // places of a probe that are tried
	effort = 32       // how often each byte is looked at for it, on average
)

// inStep is what text has in common with from, going through both at once, as parts of text
// that stand in from. Where they are out of step, the next bytes of the one are looked for in the
// next ones of the other. It ends early where it has become dear, or finds nothing near: it
// suits texts of which one is an edit of the other.
func inStep(from, text []byte) (kept []jsonedit.Kept) {
	left := effort * (len(from) + len(text))
	i, j := 0, 0
	for {
		if n := common(from[i:], text[j:]); n > 0 {
			kept = append(kept, jsonedit.Kept{Old: j, New: i, Len: n})
			i, j = i+n, j+n
		}
		a, b, ok := resume(from[i:], text[j:], &left)
		if !ok {
			return kept
		}
		i, j = i+a, j+b
	}
}

// resume finds where two texts that begin differently are in step again. left is how many bytes
// may be looked at for it.
func resume(from, text []byte, left *int) (inFrom, inText int, ok bool) {
	from, text = from[:min(len(from), window+sure)], text[:min(len(text), window+sure)]
	for size := window >> 4; ; size <<= 2 {
		near := from[:min(len(from), size)]
		for at := 0; at+probe <= min(len(text), size); at += probe {
			for pos, tried := 0, 0; tried < tries; pos, tried = pos+1, tried+1 {
				if *left -= len(near) - pos; *left < 0 {
					return 0, 0, false
				}
				k := bytes.Index(near[pos:], text[at:at+probe])
				if k < 0 {
					break
				}
				if pos += k; common(from[pos:], text[at:]) < min(sure, len(from)-pos, len(text)-at) {
					continue
				}
				for pos > 0 && at > 0 && from[pos-1] == text[at-1] {
					pos, at = pos-1, at-1
				}
				return pos, at, true
			}
		}
		if size >= window {
			return 0, 0, false
		}
	}
}

// common is how many bytes two texts begin with alike.
func common(a, b []byte) (n int) {
	for n+8 <= len(a) && n+8 <= len(b) && binary.NativeEndian.Uint64(a[n:]) == binary.NativeEndian.Uint64(b[n:]) {
		n += 8
	}
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
