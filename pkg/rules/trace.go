package rules

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// trace is what a search came to.
type trace struct {
	of     []int32  // of each covered memory the number of its part; partNone, partUnknown
	kinds  []uint64 // of each part, by its number, a hash of its kind
	events []event  // those of a part together, in their order
	same   bool     // as it was known
}

const (
	partNone    = -1 // takes no part
	partUnknown = -2 // is new, or has changed
)

// parting tells which memories are compared with each other: those of one kind.
type parting struct {
	kind func(*workspace.Common) block
	none func(*workspace.Common) bool // takes no part
}

// part numbers the parts of the covered memories. Of those that have the same in common it
// looks at one.
func (p *planner) part(kinds parting) *trace {
	t := &trace{of: make([]int32, len(p.places))}
	var asked []int32
	commons, by := make([]int32, p.Len()), p.byPlace()
	parallel.For(len(commons), func(place int) { commons[place] = int32(p.CommonOf(place)) })
	seen := make([]int32, p.Commons()) // one more than the place in asked of the memory that stands for it
	for place, k := range by {
		if k--; k < 0 {
			continue
		}
		common := commons[place]
		if common >= 0 && seen[common] > 0 {
			t.of[k] = seen[common] - 1
			continue
		}
		t.of[k] = int32(len(asked))
		if asked = append(asked, k); common >= 0 {
			seen[common] = int32(len(asked))
		}
	}
	digests, parts := make([]blockDigest, len(asked)), make([]int32, len(asked))
	parallel.Ranges(len(asked), func(from, to int) {
		var room workspace.Room
		for i := from; i < to; i++ {
			if common := p.glance(asked[i], &room).Common; kinds.none(common) {
				parts[i] = partNone
			} else {
				digests[i] = kinds.kind(common).digest()
			}
		}
	})
	room := 1
	for room < 2*len(asked) {
		room *= 2
	}
	numbers := make([]int32, room) // one more than that of a digest: with open addressing
	var known []blockDigest        // by number
	for i, digest := range digests {
		if parts[i] == partNone {
			continue
		}
		at := digest.hash()
		number := &numbers[at&uint64(room-1)]
		for *number > 0 && known[*number-1] != digest {
			at++
			number = &numbers[at&uint64(room-1)]
		}
		if *number == 0 {
			known, t.kinds = append(known, digest), append(t.kinds, digest.hash())
			*number = int32(len(known))
		}
		parts[i] = *number - 1
	}
	for k, i := range t.of {
		t.of[k] = parts[i]
	}
	return t
}

// number is that of a kind, a new one if need be.
func (t *trace) number(kinds map[block]int32, kind block) int32 {
	n, ok := kinds[kind]
	if !ok {
		n = int32(len(t.kinds))
		kinds[kind] = n
		t.kinds = append(t.kinds, kind.digest().hash())
	}
	return n
}

// assign gives the memories that are new or have changed their parts, and lists them by
// part.
func (p *planner) assign(by parting, t *trace) map[int32][]int32 {
	changed := map[int32][]int32{}
	var unplaced []int32
	hashes := map[uint64]bool{}
	for k, n := range t.of {
		switch {
		case n != partUnknown:
		case by.none(p.at(int32(k)).Common):
			t.of[k] = partNone
		default:
			unplaced = append(unplaced, int32(k))
			hashes[by.kind(p.at(int32(k)).Common).digest().hash()] = true
		}
	}
	if len(unplaced) == 0 {
		return changed
	}
	asked := make([]bool, len(t.kinds)) // parts whose kind may be that of an unplaced one
	for n, h := range t.kinds {
		asked[n] = hashes[h]
	}
	kinds := map[block]int32{}
	for k, n := range t.of {
		if n >= 0 && asked[n] {
			kinds[by.kind(p.at(int32(k)).Common)] = n
			asked[n] = false // those of a part are of one kind
		}
	}
	for _, k := range unplaced {
		n := t.number(kinds, by.kind(p.at(k).Common))
		t.of[k] = n
		changed[n] = append(changed[n], k)
	}
	return changed
}

// blockDigest identifies a block, as nobody finds two with the same 128 bits of SHA-256.
type blockDigest [16]byte

func (b block) digest() blockDigest {
	var room [256]byte
	text := room[:0]
	for _, s := range [...]string{b.kind, b.subtype, b.scope, b.scopeID, b.author} {
		text = append(binary.LittleEndian.AppendUint32(text, uint32(len(s))), s...)
	}
	sum := sha256.Sum256(text)
	return blockDigest(sum[:])
}

// hash is a part of it.
func (d blockDigest) hash() uint64 { return binary.LittleEndian.Uint64(d[:]) }

// visitsInTurn puts visits in their order.
func visitsInTurn(p *planner, visits []*event) []*event {
	by, turns := make(map[int32]*event, len(visits)), make([]turn, len(visits))
	var look workspace.Room
	for i, e := range visits {
		by[e.of], turns[i] = e, turnOf(p.glance(e.of, &look), e.of)
	}
	for i, k := range inTurn(turns) {
		visits[i] = by[k]
	}
	return visits
}

// inOrder lists the visits in their order over all parts, and notes it. Those that an earlier
// plan has put in order still have that.
func (t *trace) inOrder(p *planner) []*event {
	var met, fresh []*event
	for i := range t.events {
		if e := &t.events[i]; e.turn > 0 {
			met = append(met, e)
		} else {
			fresh = append(fresh, e)
		}
	}
	known := make([]*event, len(met))
	for n, i := range numbersBy(len(met), func(i int32) int32 { return met[i].turn }) {
		known[n] = met[i]
	}
	if len(fresh) == 0 {
		return known
	}
	before := func(a, b *event) int { return p.before(a.of, b.of) }
	fresh = visitsInTurn(p, fresh)
	all := make([]*event, 0, len(t.events))
	for _, e := range fresh {
		n, _ := slices.BinarySearchFunc(known, e, before)
		all = append(append(all, known[:n]...), e)
		known = known[n:]
	}
	all = append(all, known...)
	for i, e := range all {
		e.turn = int32(i + 1)
	}
	return all
}

// members lists the memories of each part, oldest first.
func (t *trace) members() [][]int32 {
	parts := len(t.kinds)
	starts := make([]int32, parts+1)
	for _, n := range t.of {
		if n >= 0 {
			starts[n+1]++
		}
	}
	for n := range parts {
		starts[n+1] += starts[n]
	}
	all := make([]int32, starts[parts])
	out := make([][]int32, parts)
	for n := range out {
		out[n] = all[starts[n]:starts[n]:starts[n+1]]
	}
	for k, n := range t.of {
		if n >= 0 {
			out[n] = append(out[n], int32(k))
		}
	}
	return out
}

// membersOf lists those of some parts.
func (t *trace) membersOf(parts bits) map[int32][]int32 {
	out := map[int32][]int32{}
	for k, n := range t.of {
		if n >= 0 && parts.has(n) {
			out[n] = append(out[n], int32(k))
		}
	}
	return out
}
