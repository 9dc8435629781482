package rules

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// marks are what the traits of a memory come from, but for the clock. With the seconds of
// its birth and of its last read they are findings: a later plan looks at a memory again
// only if that is not enough to tell its traits now.
type marks uint8

const (
	markBound    marks = 1 << iota // see bound
	markLong                       // an episode of a known date that is longer than it may be
	markPattern                    // see pattern
	markStanding                   // see stands
	markUnread
	markUnsure // nothing is told: it is to be looked at
)

// A part of marks: a hash of the settings that shape them and the second at which they were
// found; then for each memory a row: its marks, and the seconds of its birth and of its
// last read, 0 for none.
const (
	marksHead = 16
	markRow   = 9
)

// marksOf looks at a memory.
func (p *planner) marksOf(m *workspace.Memory) (has marks) {
	if p.bound(m) {
		has |= markBound
	}
	switch m.Type {
	case workspace.Episodic:
		if _, ok := p.verbose(m); ok && !m.CreatedAt.IsZero() {
			has |= markLong
		}
	case workspace.Procedural:
		if _, ok := p.pattern(m); ok {
			has |= markPattern
		}
		if stands(m) {
			has |= markStanding
		}
	}
	return has
}

// look gives the traits of the i-th live memory, and keeps its marks and what it says.
func (p *planner) look(i int, m *workspace.Memory, heard *[]heardAt) traits {
	has := p.marksOf(m)
	if p.keeps {
		p.putMarks(p.marks[marksHead+i*markRow:][:markRow], m, has)
		if has&(markPattern|markStanding) != 0 {
			*heard = append(*heard, heardAt{int32(i), sayingOf(m)})
		}
	}
	return p.traitsOf(m, has)
}

func (p *planner) newMarks() []byte {
	out := make([]byte, marksHead+p.Len()*markRow)
	binary.LittleEndian.PutUint64(out, p.marksShape())
	binary.LittleEndian.PutUint64(out[8:], uint64(p.now.Unix()))
	return out
}

// allMarks are the marks of this plan, and of memories that it did not look at those that are known, which
// are most: only who keeps them needs these, too.
func (p *planner) allMarks() []byte {
	if known := p.knownMarks; known != nil {
		p.knownMarks = nil
		parallel.For(p.Len(), func(i int) {
			if row := p.known.now[i]; row >= 0 {
				if own := p.marks[marksHead+i*markRow:][:markRow]; [markRow]byte(own) == [markRow]byte{} {
					copy(own, known[marksHead+row*markRow:])
				}
			}
		})
	}
	return p.marks
}

// marksShape is a hash of the settings that marks depend on.
func (p *planner) marksShape() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%+v %+v %+v", p.Settings.Exclude, p.Settings.Promote, p.Settings.Summarise)
	return h.Sum64()
}

// putMarks writes a row. One that was updated at this second or later may be so at that of
// a later plan, and reads that stand in the access log only are not those of its record.
func (p *planner) putMarks(row []byte, m *workspace.Memory, has marks) {
	born, ok := second(m.Born())
	read, readable := second(m.LastAccessed)
	if !ok || !readable || m.Unfolded > 0 || !m.UpdatedAt.Before(p.now) {
		row[0] = byte(markUnsure)
		return
	}
	if m.AccessCount == 0 {
		has |= markUnread
	}
	row[0] = byte(has)
	binary.LittleEndian.PutUint32(row[1:], born)
	binary.LittleEndian.PutUint32(row[5:], read)
}

// second is that of a moment, 0 for none; not ok for one that doesn't fit.
func second(t time.Time) (s uint32, ok bool) {
	if t.IsZero() {
		return 0, true
	}
	at := t.Unix()
	return uint32(at), 0 < at && at <= math.MaxUint32
}

// traitsKnowing gives the traits of all live memories, and looks at those of which the
// marks that were found don't tell them.
func (p *planner) traitsKnowing(f *findings) []traits {
	all, known := make([]traits, p.Len()), f.parts[partMarks]
	ok := len(known) == marksHead+f.rows*markRow && binary.LittleEndian.Uint64(known) == p.marksShape() &&
		int64(binary.LittleEndian.Uint64(known[8:])) <= p.now.Unix()
	keep := !ok || !f.stayed // else there is nothing to write
	if p.marks = known; keep {
		if p.marks = p.newMarks(); ok {
			p.knownMarks = known
		}
	}
	if !ok {
		p.learnt.Add(int64(len(all)))
	}
	ok = ok && p.flaggedNow == nil
	parallel.Ranges(len(all), func(from, to int) {
		var room workspace.Room
		var heard []heardAt
		told := p.told()
		for i := from; i < to; i++ {
			if row := f.now[i]; row >= 0 && ok {
				found := known[marksHead+row*markRow:][:markRow]
				if t, ok := told.traits(i, found); ok {
					all[i] = t
					continue
				}
			}
			if m := p.Glance(i, &room); keep {
				all[i] = p.look(i, m, &heard)
			} else {
				all[i] = p.traitsOf(m, p.marksOf(m))
			}
		}
		p.heard.add(heard)
	})
	return all
}

// told tells traits by marks, on one goroutine.
type told struct {
	*planner
	m                             workspace.Memory // what traitsOf asks for, and nothing else
	minAge, unread, idle, episode uint32
	byID                          bool // traits depend on ids, too

	known [1 << sideBits]bool // by their sides, whether traits have been found
	found [1 << sideBits]traits
}

const sideBits = 6 + 5

// sides are the marks of a memory and on which side of each limit its times are: all that its
// traits come from, but for its id.
func (t *told) sides(has marks, born, read uint32) (n int) {
	for _, is := range [...]bool{born == 0, born < t.minAge, born < t.unread, born < t.episode, read == 0, read < t.idle} {
		if n <<= 1; is {
			n++
		}
	}
	return n<<5 | int(has&(markUnsure-1))
}

func (p *planner) told() told {
	second := func(t time.Time) uint32 { return uint32(t.Unix()) }
	return told{
		planner: p, minAge: second(p.minAge), unread: second(p.unread), idle: second(p.idle), episode: second(p.episode),
		byID: p.repeats || len(p.Restored) > 0,
	}
}

// traits are those of the i-th live memory, of which a row of marks was found; not ok when it
// is to be looked at: also if the seconds don't tell what came first.
func (t *told) traits(i int, row []byte) (traits, bool) {
	has, born, read := marks(row[0]), binary.LittleEndian.Uint32(row[1:]), binary.LittleEndian.Uint32(row[5:])
	if has&markUnsure != 0 || born == t.minAge || born == t.unread || born == t.episode || read == t.idle {
		return 0, false
	}
	if m := t.Made(i); m != nil && m.Unfolded > 0 {
		return 0, false
	}
	if t.byID {
		t.m.ID = t.ID(i)
		if _, ok := t.Restored[t.m.ID]; ok {
			return 0, false
		}
	}
	sides := t.sides(has, born, read)
	if t.known[sides] && !t.byID {
		return t.found[sides], true
	}
	t.m.CreatedAt, t.m.LastAccessed, t.m.AccessCount = moment(born), moment(read), 1
	if has&markUnread != 0 {
		t.m.AccessCount = 0
	}
	t.known[sides], t.found[sides] = true, t.traitsOf(&t.m, has)
	return t.found[sides], true
}

// moment undoes second, but for fractions.
func moment(s uint32) time.Time {
	if s == 0 {
		return time.Time{}
	}
	return time.Unix(int64(s), 0)
}
