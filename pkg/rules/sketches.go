package rules

import (
	"encoding/binary"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// knownSketches returns those of the texts whose words were counted; nil for the others,
// which are most.
func (p *planner) knownSketches() []*similarity.Sketch {
	sketches := make([]*similarity.Sketch, len(p.places))
	if p.known == nil {
		return sketches
	}
	r := reader{rest: p.known.parts[partSketches]}
	all := make([]similarity.Sketch, len(r.rest)/(4+sketchSize))
	for i := range all {
		k := p.known.memory(&r)
		all[i] = similarity.Sketch{Words: r.u32(), Signature: [4]uint64{r.u64(), r.u64(), r.u64(), r.u64()}}
		if k >= 0 {
			sketches[k] = &all[i]
		}
	}
	return sketches
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

// sketchSize is what appendSketch adds.
const sketchSize = 4 + 4*8

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
	all, counted := p.sketches(), 0
	for _, s := range all {
		if s != nil {
			counted++
		}
	}
	out := make([]byte, 0, counted*(4+sketchSize))
	for k, s := range all {
		if s != nil {
			out = appendSketch(appendU32(out, p.places[k]), s)
		}
	}
	return out
}
