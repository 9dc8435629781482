package rules

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// findingsVersion changes when the rules find something else in the same texts, or
// findings are written otherwise.
const findingsVersion = 1

// Findings of a plan, in this order, each as its length and that many bytes; memories
// are named by their positions in the snapshot of the plan.
//
//	order     of each memory, oldest first, its position
//	merge     what looking for duplicates came to: see appendTrace
//	updates   what looking for updates came to; empty when nobody asked
//	citations what memories say of others by name; empty when nobody asked
//	sketches  of each text whose words were counted
//	prints    of each memory whose fingerprint was asked for
//
// Before them stand the version, a hash of the settings that shape them, and how many
// memories there were.
const (
	partOrder = iota
	partMerge
	partUpdates
	partCitations
	partSketches
	partPrints
	findingsParts
)

// findings are what an earlier plan found out.
type findings struct {
	rows  int
	parts [findingsParts][]byte
	at    []int32 // of each memory of then the covered one that is the same; -1 for none

	stayed bool // all are where and what they were, and there are no others
}

// shape is a hash of what findings depend on besides the memories.
func (p *planner) shape() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d %+v %+v", findingsVersion, DeriveVersion, p.Settings.Merge, p.Settings.Supersede)
	return h.Sum64()
}

// whole reports whether a plan is about the whole workspace: only such plans have
// findings.
func (p *planner) whole() bool {
	return p.Scope == nil && !p.session() && p.Trigger != IndexOverflow
}

// readFindings reads findings; nil if they are of no use.
func (p *planner) readFindings(known []byte) *findings {
	r := reader{rest: known}
	version, shape := r.u32(), r.u64()
	f := &findings{rows: int(r.u32())}
	for i := range f.parts {
		f.parts[i] = r.bytes()
	}
	if r.broken || version != findingsVersion || shape != p.shape() || f.rows != len(f.parts[partOrder])/4 {
		return nil
	}
	return f
}

// follow tells, of the memories of a snapshot, which were there at the time of the
// findings, and returns the positions of all of them, oldest first.
func (f *findings) follow(ms []*workspace.Memory) ([]int32, bool) {
	now := make([]int32, f.rows) // by row
	for i := range now {
		now[i] = -1
	}
	var fresh []*workspace.Memory
	var places []int32
	stayed := 0
	rows := make([]int32, len(ms))
	for i, m := range ms {
		rows[i] = -1
		if row := m.Row(); row >= 0 && row < f.rows && now[row] < 0 {
			now[row], rows[i] = int32(i), int32(row)
			stayed++
		} else {
			fresh = append(fresh, m)
			places = append(places, int32(i))
		}
	}
	stay := make([]int32, 0, stayed)
	for r := (reader{rest: f.parts[partOrder]}); len(r.rest) > 0; {
		if row := int(r.u32()); row < f.rows && now[row] >= 0 {
			stay = append(stay, now[row])
			now[row] = -1
		}
	}
	if len(stay) != stayed {
		return nil, false
	}
	before := func(a, b int32) int { return cmp.Or(older(ms[a], ms[b]), cmp.Compare(a, b)) }
	order := make([]int32, 0, len(ms))
	for _, i := range sorted(fresh, func(m *workspace.Memory) int64 { return m.Born().Unix() }, older) {
		n, _ := slices.BinarySearchFunc(stay, places[i], before)
		order = append(append(order, stay[:n]...), places[i])
		stay = stay[n:]
	}
	order = append(order, stay...)
	f.stayed = len(ms) == f.rows
	for i, row := range rows {
		f.stayed = f.stayed && row == int32(i)
	}
	f.at = make([]int32, f.rows)
	for i := range f.at {
		f.at[i] = -1
	}
	for k, place := range order {
		if rows[place] >= 0 {
			f.at[rows[place]] = int32(k)
		}
	}
	return order, true
}

// memory reads a memory: the covered one that is the same, else -1.
func (f *findings) memory(r *reader) int32 {
	if row := r.u32(); int(row) < f.rows {
		return f.at[row]
	}
	return -1
}

func (f *findings) merged(p *planner) *trace { return f.trace(p, partMerge) }

func (f *findings) updated(p *planner) *trace { return f.trace(p, partUpdates) }

// trace reads what a search came to; nil when it is not known.
func (f *findings) trace(p *planner, part int) *trace {
	if f == nil || len(f.parts[part]) == 0 {
		return nil
	}
	r := reader{rest: f.parts[part]}
	t := &trace{kinds: make([]uint64, r.count(8)), of: make([]int32, len(p.live))}
	for n := range t.kinds {
		t.kinds[n] = r.u64()
	}
	parts := int32(len(t.kinds))
	for k := range t.of {
		t.of[k] = partUnknown
	}
	of := r.take(4 * f.rows)
	for row := range len(of) / 4 {
		n := int32(binary.LittleEndian.Uint32(of[4*row:]))
		if n < partNone || n >= parts {
			return nil
		}
		if k := f.at[row]; k >= 0 {
			t.of[k] = n
		}
	}
	last := int32(-1)
	seen := newBits(len(t.kinds))
	for range r.count(16) {
		e := event{part: int32(r.u32()), of: f.memory(&r)}
		if e.part < 0 || e.part >= parts || e.part != last && seen.has(e.part) {
			return nil
		}
		seen.add(e.part)
		last = e.part
		inPart := func(k int32) int32 {
			if k >= 0 && t.of[k] != e.part {
				r.broken = true
			}
			return k
		}
		inPart(e.of)
		e.pairs = make([]similarTo, r.count(24))
		for i := range e.pairs {
			e.pairs[i] = similarTo{with: inPart(f.memory(&r)), tags: r.float(), content: r.float()}
			if n := int(r.u32()); n != 0 {
				e.pairs[i].finding = r.take(n - 1)
			}
			if e.of >= 0 && e.pairs[i].with == e.of {
				r.broken = true
			}
		}
		e.out = make([]int32, r.count(4))
		for i := range e.out {
			e.out[i] = inPart(f.memory(&r))
		}
		t.events = append(t.events, e)
	}
	if r.broken {
		return nil
	}
	return t
}

// cited reads what memories say of others by name. Only what was compared is read when
// nothing has changed.
func (f *findings) cited(p *planner) *citations {
	c := &citations{stated: map[[2]int32][]byte{}}
	n := len(p.live)
	if f != nil && len(f.parts[partCitations]) > 0 {
		r := reader{rest: f.parts[partCitations]}
		for range r.count(12) {
			pair, finding := [2]int32{f.memory(&r), f.memory(&r)}, r.bytes()
			if pair[0] >= 0 && pair[1] >= 0 {
				c.stated[pair] = finding
				c.order = append(c.order, pair)
			}
		}
		if p.stayed && !r.broken {
			c.same = f.parts[partCitations]
			return c
		}
		c.order = nil
		if c.cites, c.names = f.hashes(&r, n), f.hashes(&r, n); !r.broken {
			return c
		}
	}
	return &citations{stated: map[[2]int32][]byte{}, cites: make([][]uint64, n), names: make([][]uint64, n)}
}

// hashes reads some for each memory; how many, and one for nobody knows.
func (f *findings) hashes(r *reader, n int) [][]uint64 {
	out := make([][]uint64, n)
	for _, k := range f.at {
		known := r.u32()
		if known == 0 {
			continue
		}
		list := r.take(8 * int(known-1))
		if k < 0 || r.broken {
			continue
		}
		out[k] = make([]uint64, 0, known-1)
		for ; len(list) > 0; list = list[8:] {
			out[k] = append(out[k], binary.LittleEndian.Uint64(list))
		}
	}
	return out
}

// knownSketches returns those of the texts whose words were counted.
func (p *planner) knownSketches() []sketch {
	if p.sketches != nil {
		return p.sketches
	}
	p.sketches = make([]sketch, len(p.live))
	if p.known == nil {
		return p.sketches
	}
	for r := (reader{rest: p.known.parts[partSketches]}); len(r.rest) > 0; {
		k := p.known.memory(&r)
		s := sketch{known: true, Sketch: similarity.Sketch{Words: r.u32(), Signature: [4]uint64{r.u64(), r.u64(), r.u64(), r.u64()}}}
		if k >= 0 && !r.broken {
			p.sketches[k] = s
		}
	}
	return p.sketches
}

// knowPrints tells the memories their fingerprints.
func (p *planner) knowPrints() {
	for r := (reader{rest: p.known.parts[partPrints]}); len(r.rest) > 0; {
		if k, print := p.known.memory(&r), r.u64(); k >= 0 && !r.broken {
			p.live[k].KnowFingerprint(print)
		}
	}
}

// findings writes what the plan found out; known itself when that is all of it.
func (p *planner) findings(known []byte) []byte {
	f := &findings{rows: len(p.live)}
	same := p.stayed
	for part, t := range map[int]*trace{partMerge: p.merged, partUpdates: p.asked} {
		if same && t != nil && t.same {
			f.parts[part] = p.known.parts[part]
		} else {
			f.parts[part] = p.appendTrace(t)
		}
	}
	f.parts[partCitations] = p.appendCitations()
	for i, m := range p.Memories {
		if print := m.KnownFingerprint(); print != 0 {
			f.parts[partPrints] = binary.LittleEndian.AppendUint64(appendU32(f.parts[partPrints], int32(i)), print)
		}
	}
	if same && !p.learnt {
		for _, part := range []int{partMerge, partUpdates, partCitations, partPrints} {
			same = same && bytes.Equal(f.parts[part], p.known.parts[part])
		}
		if same {
			return known
		}
	}
	for _, place := range p.places {
		f.parts[partOrder] = appendU32(f.parts[partOrder], place)
	}
	for k, s := range p.knownSketches() {
		if s.known {
			f.parts[partSketches] = appendSketch(appendU32(f.parts[partSketches], p.places[k]), s.Sketch)
		}
	}
	out := binary.LittleEndian.AppendUint32(nil, findingsVersion)
	out = binary.LittleEndian.AppendUint64(out, p.shape())
	out = appendU32(out, int32(f.rows))
	for _, part := range f.parts {
		out = appendString(out, part)
	}
	return out
}

func appendSketch(out []byte, s similarity.Sketch) []byte {
	out = binary.LittleEndian.AppendUint32(out, s.Words)
	for _, word := range s.Signature {
		out = binary.LittleEndian.AppendUint64(out, word)
	}
	return out
}

// appendTrace writes how many parts there are, and a hash of the kind of each; of each
// memory its part; how many visits. Of each of these: part, memory, with how many it was visited, each with the
// overlap of the tags, the similarity of the content, and one more than the length of
// the finding, then that; how many the visit took out, and these.
func (p *planner) appendTrace(t *trace) []byte {
	if t == nil {
		return nil
	}
	number := make([]int32, len(t.kinds)) // without those in which nobody is left
	for i := range number {
		number[i] = -1
	}
	of := make([]int32, len(p.live))
	var kinds []byte
	parts := int32(0)
	for k, n := range t.of {
		if n >= 0 {
			if number[n] < 0 {
				number[n] = parts
				parts++
				kinds = binary.LittleEndian.AppendUint64(kinds, t.kinds[n])
			}
			n = number[n]
		}
		of[p.places[k]] = n
	}
	out := make([]byte, 0, 4*len(of)+64*len(t.events)+len(kinds)+8)
	out = append(appendU32(out, parts), kinds...)
	for _, n := range of {
		out = appendU32(out, n)
	}
	slices.SortStableFunc(t.events, func(a, b event) int { return int(number[a.part]) - int(number[b.part]) })
	out = appendU32(out, int32(len(t.events)))
	for _, e := range t.events {
		out = appendU32(appendU32(out, number[e.part]), p.places[e.of])
		out = appendU32(out, int32(len(e.pairs)))
		for _, pair := range e.pairs {
			out = appendFloat(appendFloat(appendU32(out, p.places[pair.with]), pair.tags), pair.content)
			if pair.finding == nil {
				out = appendU32(out, 0)
				continue
			}
			out = append(appendU32(out, int32(len(pair.finding)+1)), pair.finding...)
		}
		out = appendU32(out, int32(len(e.out)))
		for _, k := range e.out {
			out = appendU32(out, p.places[k])
		}
	}
	return out
}

// appendCitations writes between whom it was looked who replaces whom, in that order,
// and what was found; then of each memory the hashes of the names that it cites, and of
// each those that it goes by.
func (p *planner) appendCitations() []byte {
	c := p.cites
	switch {
	case c == nil:
		return nil
	case c.same != nil:
		return c.same
	}
	out := appendU32(nil, int32(len(c.order)))
	for _, pair := range c.order {
		out = appendString(appendU32(appendU32(out, p.places[pair[0]]), p.places[pair[1]]), c.stated[pair])
	}
	at := make([]int32, len(p.live)) // by place
	for k, place := range p.places {
		at[place] = int32(k)
	}
	for _, lists := range [][][]uint64{c.cites, c.names} {
		for _, k := range at {
			if lists[k] == nil {
				out = appendU32(out, 0)
				continue
			}
			out = appendU32(out, int32(len(lists[k])+1))
			for _, hash := range lists[k] {
				out = binary.LittleEndian.AppendUint64(out, hash)
			}
		}
	}
	return out
}
