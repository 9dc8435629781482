package rules

import (
	"encoding/binary"
	"sort"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// sketchOf is that of a text whose words were counted, as an earlier plan may have done; else nil, as
// for most.
func (p *planner) sketchOf(k int32) *similarity.Sketch {
	own := &p.sketches()[k]
	if *own == nil {
		*own = unknown
		if p.known != nil && p.known.now[p.places[k]] >= 0 {
			*own = p.known.sketch(p.known.now[p.places[k]])
		}
	}
	if *own == unknown {
		return nil
	}
	return *own
}

// unknown stands for the sketch of a text whose words nobody has counted.
var unknown = new(similarity.Sketch)

// sketch is that of the text of a row, or unknown; they stand in the order of the rows.
func (f *findings) sketch(row int32) *similarity.Sketch {
	all := f.parts[partSketches]
	n := len(all) / sketchRow
	i := sort.Search(n, func(i int) bool { return int64(binary.LittleEndian.Uint32(all[i*sketchRow:])) >= int64(row) })
	if i == n {
		return unknown
	}
	r := reader{rest: all[i*sketchRow:][:sketchRow]}
	if r.u32() != uint32(row) {
		return unknown
	}
	return &similarity.Sketch{Words: r.u32(), Signature: [4]uint64{r.u64(), r.u64(), r.u64(), r.u64()}}
}

// knowPrints tells the memories their fingerprints.
func (p *planner) knowPrints() {
	const row = 4 + 8
	known := p.known.parts[partPrints]
	parallel.For(len(known)/row, func(i int) {
		r := reader{rest: known[i*row:][:row]}
		if k, print := p.known.memory(&r), r.u64(); k >= 0 {
			p.KnowFingerprint(int(p.places[k]), print)
		}
	})
}

// sketchRow is a row and what appendSketch adds.
const sketchRow = 4 + 4 + 4*8

func appendSketch(out []byte, s *similarity.Sketch) []byte {
	out = binary.LittleEndian.AppendUint32(out, s.Words)
	for _, word := range s.Signature {
		out = binary.LittleEndian.AppendUint64(out, word)
	}
	return out
}

// features returns the prepared text of the covered memory at k. It reads nothing
// before they are compared.
func (p *planner) features(k int32) *similarity.Features {
	return similarity.Later(&lateText{planner: p, of: k})
}

// lateText is the text of a memory, which is not made for it.
type lateText struct {
	*planner
	of   int32
	text string // if somebody has kept it
}

func (l *lateText) Text() string {
	if l.text != "" {
		return l.text
	}
	look := looks.Get().(*workspace.Room)
	defer looks.Put(look)
	return l.glance(l.of, look).Text()
}

// show gives see the memory at k, which is not made for it, and keeps its fingerprint if somebody
// has asked for that. Nothing of it but strings is to be kept.
func (p *planner) show(k int32, see func(*workspace.Memory)) {
	room := looks.Get().(*workspace.Room)
	defer looks.Put(room)
	m := p.glance(k, room)
	known := m.KnownFingerprint()
	see(m)
	if print := m.KnownFingerprint(); print != known {
		p.KnowFingerprint(int(p.places[k]), print)
	}
}

var looks = sync.Pool{New: func() any { return new(workspace.Room) }}

func (p *planner) appendSketches() []byte {
	var known []byte
	var standing []int32 // of each row of what is known, one more than that of its sketch
	if p.known != nil {
		known, standing = p.known.parts[partSketches], make([]int32, p.known.rows)
		for i := range len(known) / sketchRow {
			if row := binary.LittleEndian.Uint32(known[i*sketchRow:]); int64(row) < int64(len(standing)) {
				standing[row] = int32(i + 1)
			}
		}
	}
	out := make([]byte, 0, len(known)+int(p.learnt.Load())*sketchRow)
	own := p.sketches()
	for place, k := range p.byPlace() {
		if k--; k < 0 {
			continue
		}
		if s := own[k]; s != nil && s != unknown {
			out = appendSketch(appendU32(out, int32(place)), s)
		} else if s == nil && standing != nil && p.known.now[place] >= 0 {
			if i := standing[p.known.now[place]]; i > 0 {
				out = append(appendU32(out, int32(place)), known[int(i-1)*sketchRow:][4:sketchRow]...)
			}
		}
	}
	return out
}
