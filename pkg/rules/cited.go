package rules

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/supersession"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// citations are what memories say of others by name, as they were last looked at.
type citations struct {
	keys   map[int32][]string  // what a memory cites; most cite nothing
	none   bits                // those that are known to cite nothing
	names  [][]uint64          // hashes of what each is called; nil for all when nothing is cited
	stated map[[2]int32][]byte // of one that cites and the cited one: what comparing them came to
}

// cited finds the memories that say which other they replace, or by which they
// are replaced: by its id, or by the number of a document in its title.
func (f *finder) cited() {
	c := f.known.cited(f.planner)
	f.cites = c
	keys := make([][]string, len(f.live))
	each(len(f.live), func(i int) {
		k := int32(i)
		if known, ok := c.keys[k]; ok {
			keys[i] = known
		} else if m := f.live[k]; !c.none.has(k) && !isWorking(m) && says(m) {
			keys[i] = supersession.Cited(m.Text())
		}
	})
	var citing []int32
	for i, list := range keys {
		if k := int32(i); list != nil {
			c.keys[k] = list
			citing = append(citing, k)
		} else {
			c.none.add(k)
		}
	}
	if len(citing) == 0 {
		return
	}
	slices.SortFunc(citing, f.before)
	called := f.called(citing)
	for _, k := range citing {
		for _, key := range c.keys[k] {
			same := called[name{f.live[k].Scope, nameHash(key)}]
			if len(same) != 1 || same[0] == k {
				continue // several go by that name: nobody knows which is meant
			}
			f.statedBetween(same[0], k)
		}
	}
}

// name is what a memory is called in the scope in which others may cite it: its hash.
type name struct {
	scope workspace.Scope
	hash  uint64
}

// nameHash is the 64-bit FNV-1a (Fowler, Noll, Vo) of a name.
func nameHash(key string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return h
}

// called lists the memories that go by the names that are cited.
func (f *finder) called(citing []int32) map[name][]int32 {
	c, wanted := f.cites, map[uint64]bool{}
	for _, k := range citing {
		for _, key := range c.keys[k] {
			wanted[nameHash(key)] = true
		}
	}
	if c.names == nil {
		c.names = make([][]uint64, len(f.live))
	}
	each(len(f.live), func(i int) {
		if m := f.live[i]; c.names[i] == nil && !isWorking(m) && says(m) {
			c.names[i] = []uint64{}
			for _, key := range note(m).Keys() {
				c.names[i] = append(c.names[i], nameHash(key))
			}
		}
	})
	by := map[name][]int32{}
	for i, names := range c.names {
		for _, h := range names {
			if wanted[h] {
				n := name{f.live[i].Scope, h}
				by[n] = append(by[n], int32(i))
			}
		}
	}
	return by
}

// statedBetween keeps the update that one of two memories states, whichever is the
// newer: the text says who replaces whom.
func (f *finder) statedBetween(a, b int32) {
	pair := [2]int32{a, b}
	finding, ok := f.cites.stated[pair]
	if !ok {
		finding = f.stated(a, b)
		f.cites.stated[pair] = finding
	}
	r := reader{rest: finding}
	way, content := r.byte(), math.Float64frombits(r.u64())
	j, ok := readJudgement(r.rest)
	switch {
	case way == 0 || r.broken || !ok:
		return
	case way == 2:
		a, b = b, a
	}
	f.keep(update{older: a, newer: b, content: content, judgement: j})
}

// stated says which of two memories replaces the other: neither, the second or the
// first; then how similar they are, and by which words.
func (f *finder) stated(a, b int32) []byte {
	for way, pair := range [][2]int32{{a, b}, {b, a}} {
		older, newer := f.live[pair[0]], f.live[pair[1]]
		if j, ok := judge(older, newer); ok && j.Cue == supersession.CueStated {
			out := binary.LittleEndian.AppendUint64([]byte{byte(way + 1)}, math.Float64bits(similarity.Content(f.features(a), f.features(b))))
			return appendJudgement(out, j, true)
		}
	}
	return []byte{0}
}
