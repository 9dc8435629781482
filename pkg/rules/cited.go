package rules

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/supersession"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// citations are what memories say of others by name, as they were last looked at.
type citations struct {
	cites  [][]uint64          // hashes of the names that a memory cites; nil when nobody looked
	names  [][]uint64          // hashes of what it is called; the same
	stated map[[2]int32][]byte // of a cited memory and one that cites it: what comparing them came to
	order  [][2]int32          // in which these were compared
	same   []byte              // as they were read, when nothing has changed since

	complete bool // order is that of this plan
}

// cited finds the memories that say which other they replace, or by which they
// are replaced: by its id, or by the number of a document in its title.
func (f *finder) cited() {
	f.cites = f.known.cited(f.planner)
	c := f.cites
	if c.same != nil {
		for _, pair := range c.order {
			f.statedBetween(pair[0], pair[1])
		}
		return
	}
	c.order, c.complete = nil, true
	f.eachText(c.cites, supersession.Cited)
	var citing []int32
	for i, names := range c.cites {
		if len(names) > 0 {
			citing = append(citing, int32(i))
		}
	}
	if len(citing) == 0 {
		return
	}
	slices.SortFunc(citing, f.before)
	called := f.called(citing)
	for _, k := range citing {
		for _, hash := range c.cites[k] {
			same := called[name{f.at(k).Scope, hash}]
			if len(same) != 1 || same[0] == k {
				continue // several go by that name: nobody knows which is meant
			}
			c.order = append(c.order, [2]int32{same[0], k})
			f.statedBetween(same[0], k)
		}
	}
}

// eachNamed gives of each memory that takes part, where all is nil, hashes of the names that
// names tells. What that gets is there to be glanced at.
func (f *finder) eachNamed(all [][]uint64, names func(m *workspace.Memory) []string) {
	parallel.Ranges(len(f.places), func(from, to int) {
		var room workspace.Room
		for i := from; i < to; i++ {
			if all[i] != nil {
				continue
			}
			all[i] = []uint64{}
			if m := f.glance(int32(i), &room); !isWorking(m.Common) && says(m) {
				all[i] = appendNames(all[i], names(m))
			}
		}
	})
}

// eachText is eachNamed by what the memories say, in the order in which they lie in files.
func (f *finder) eachText(all [][]uint64, names func(text string) []string) {
	var places []int32
	by := f.byPlace()
	f.eachLive(func(k int32, m *workspace.Memory) {
		if all[k] == nil && (isWorking(m.Common) || !says(m)) {
			all[k] = []uint64{}
		}
	})
	for place, k := range by {
		if k > 0 && all[k-1] == nil {
			places = append(places, int32(place))
		}
	}
	chunks := slices.Collect(slices.Chunk(places, readTogether))
	parallel.Tasks(len(chunks), func(i int) {
		if !f.pace.goesOn() {
			return
		}
		f.PassTexts(chunks[i], func(n int, text string) {
			if f.pace.goesOn() {
				all[by[chunks[i][n]]-1] = appendNames([]uint64{}, names(text))
			}
		})
	})
}

func appendNames(out []uint64, names []string) []uint64 {
	for _, s := range names {
		out = append(out, nameHash(s))
	}
	return out
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
		for _, hash := range c.cites[k] {
			wanted[hash] = true
		}
	}
	f.eachNamed(c.names, func(m *workspace.Memory) []string {
		called := supersession.Note{Name: m.ID}
		if !plainTitle(m) {
			called.Title = title(m)
		}
		return called.Keys()
	})
	by := map[name][]int32{}
	for i, names := range c.names {
		for _, h := range names {
			if wanted[h] {
				n := name{f.at(int32(i)).Scope, h}
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
	both := [2]*noted{read(f.at(a)), read(f.at(b))}
	for way := range both {
		older, newer := both[way], both[1-way]
		if j, ok := judge(older, newer); ok && j.Cue == supersession.CueStated {
			out := binary.LittleEndian.AppendUint64([]byte{byte(way + 1)}, math.Float64bits(similarity.Content(f.features(a), f.features(b))))
			return appendJudgement(out, j, true)
		}
	}
	return []byte{0}
}
