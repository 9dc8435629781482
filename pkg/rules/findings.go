package rules

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// findingsVersion changes when the rules find something else in the same texts, or
// findings are written otherwise.
const findingsVersion = 7

// Findings of a plan, in this order, each as its length and that many bytes; memories
// are named by their positions in the snapshot of the plan.
//
//	order     of each memory, oldest first, its position
//	merge     what looking for duplicates came to: see appendTrace
//	updates   what looking for updates came to; empty when nobody asked
//	citations what memories say of others by name; empty when nobody asked
//	sketches  of each text whose words were counted
//	prints    of each memory whose fingerprint was asked for
//	summaries of each episode that was to be shortened
//	marks     of each memory what its traits come from: see marks.go
//	sayings   of each that may rise, or stands where others would: see saying.go
//	late      which of them the run before the plan had deferred: see late.go
//	digests   of those that actions are about: see digests.go
//	tag bits  of each memory its tags: see tagbits.go
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
	partSummaries
	partMarks
	partSayings
	partLate
	partDigests
	partTagBits
	findingsParts
)

// Findings are what a plan has found out.
type Findings struct {
	grown bool
	bytes func() []byte
}

// Bytes are the findings as the next plan wants them known, to be kept beside the order
// of the snapshot's memories: what was known itself when there is nothing to add to it.
// It takes time for each memory at the first call.
func (f *Findings) Bytes() []byte { return f.bytes() }

// Grown reports whether they tell much that was not known: writing them saves time.
func (f *Findings) Grown() bool { return f.grown }

// learntPair is how many texts whose words were counted a comparison of two is worth.
const learntPair = 4

// grown reports whether nothing was known, or much is new besides what memories have
// changed.
func (p *planner) grown() bool {
	known := p.known
	if known == nil {
		return true
	}
	first := func(now bool, part int) bool { return now && len(known.parts[part]) == 0 }
	prints := 0
	for i := range p.Len() {
		if p.KnownFingerprint(i) != 0 {
			prints++
		}
	}
	return first(p.asked != nil, partUpdates) || first(p.cites != nil, partCitations) || int(p.learnt.Load())+p.taken+prints-len(known.parts[partPrints])/12 > 64+known.rows/64
}

// findings are what an earlier plan found out.
type findings struct {
	rows  int
	parts [findingsParts][]byte
	at    []int32 // of each memory of then the covered one that is the same; -1 for none
	now   []int32 // of each memory of now its row; -1 for none

	stayed bool // all are where and what they were, and there are no others
}

// shape is a hash of what findings depend on besides the memories.
func (p *planner) shape() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d %+v %+v %+v", findingsVersion, DeriveVersion, p.Settings.Merge, p.Settings.Supersede, p.Settings.Summarise)
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
func (f *findings) follow(p *planner) ([]int32, bool) {
	f.now = make([]int32, p.Len())
	parallel.For(len(f.now), func(i int) { f.now[i] = int32(p.Row(i)) })
	if f.stayed = f.rows == p.Len() && !slices.ContainsFunc(f.now, misplaced()); f.stayed {
		return f.order()
	}
	now := make([]int32, f.rows) // by row
	for i := range now {
		now[i] = -1
	}
	var fresh []int32
	stayed := 0
	rows := f.now
	for i, row := range rows {
		if row >= 0 && int(row) < f.rows && now[row] < 0 {
			now[row] = int32(i)
			stayed++
		} else {
			rows[i] = -1
			fresh = append(fresh, int32(i))
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
	order, older := make([]int32, 0, len(rows)), p.older()
	for _, place := range p.sorted(fresh, func(place int32) int64 { return p.Memory(int(place)).Born().Unix() }, false) {
		n, _ := slices.BinarySearchFunc(stay, place, older)
		order = append(append(order, stay[:n]...), place)
		stay = stay[n:]
	}
	order = append(order, stay...)
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

// misplaced gives who finds, in their order, the first memory that is not where it was.
func misplaced() func(row int32) bool {
	next := int32(-1)
	return func(row int32) bool {
		next++
		return row != next
	}
}

// order is that of the memories when all are what they were; not ok if some are missing.
func (f *findings) order() (order []int32, ok bool) {
	order, f.at = make([]int32, f.rows), make([]int32, f.rows)
	for i := range f.at {
		f.at[i] = -1
	}
	r := reader{rest: f.parts[partOrder]}
	for k := range order {
		row := r.u32()
		if int(row) >= f.rows || f.at[row] >= 0 {
			return nil, false
		}
		order[k], f.at[row] = int32(row), int32(k)
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

// findings writes what the plan found out; known itself when that is all of it.
func (p *planner) findings(known []byte) []byte {
	f := &findings{rows: len(p.places)}
	same := p.stayed
	if p.asked == nil { // for the next one that asks
		p.asked = p.known.updated(p)
	}
	if p.cites == nil && p.known != nil && len(p.known.parts[partCitations]) > 0 {
		p.cites = p.known.cited(p)
	}
	p.byPlace() // for all that ask
	traced := func(part int, t *trace) func() []byte {
		if same && t != nil && t.same {
			return func() []byte { return p.known.parts[part] }
		}
		return func() []byte { return p.appendTrace(t) }
	}
	f.write(map[int]func() []byte{
		partMerge: traced(partMerge, p.merged), partUpdates: traced(partUpdates, p.asked),
		partCitations: p.appendCitations, partPrints: p.appendPrints, partDigests: p.appendDigests,
	})
	if same && p.learnt.Load() == 0 {
		for _, part := range []int{partMerge, partUpdates, partCitations, partPrints, partDigests} {
			same = same && bytes.Equal(f.parts[part], p.known.parts[part])
		}
		if same {
			return known
		}
	}
	f.parts[partMarks] = p.allMarks()
	f.write(map[int]func() []byte{
		partOrder: p.appendOrder, partSketches: p.appendSketches, partSummaries: p.appendSummaries, partSayings: p.heard.bytes, partLate: p.appendLate,
		partTagBits: p.appendTagBits,
	})
	out := binary.LittleEndian.AppendUint32(nil, findingsVersion)
	out = binary.LittleEndian.AppendUint64(out, p.shape())
	out = appendU32(out, int32(f.rows))
	var at [findingsParts]int
	size := len(out)
	for i, part := range f.parts {
		at[i] = size
		size += 4 + len(part)
	}
	out = slices.Grow(out, size-len(out))[:size]
	parallel.Tasks(len(at), func(i int) {
		binary.LittleEndian.PutUint32(out[at[i]:], uint32(len(f.parts[i])))
		copy(out[at[i]+4:], f.parts[i])
	})
	return out
}

// write writes parts, on all cores.
func (f *findings) write(parts map[int]func() []byte) {
	which := slices.Sorted(maps.Keys(parts))
	parallel.Tasks(len(which), func(i int) { f.parts[which[i]] = parts[which[i]]() })
}

func (p *planner) appendOrder() []byte {
	out := make([]byte, 0, 4*len(p.places))
	for _, place := range p.places {
		out = appendU32(out, place)
	}
	return out
}

func (p *planner) appendPrints() (out []byte) {
	for i := range p.Len() {
		if print := p.KnownFingerprint(i); print != 0 {
			out = binary.LittleEndian.AppendUint64(appendU32(out, int32(i)), print)
		}
	}
	return out
}
