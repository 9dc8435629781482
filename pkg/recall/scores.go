package recall

import (
	"math"
	"sync/atomic"
	"time"
)

// scores are what was said of how much memories matter, by document: as it never grows, the most
// that will be said of them. Asking again takes longer than all the rest of a search, where most
// memories have fallen too far to be found. Safe for concurrent use.
type scores struct{ last atomic.Pointer[said] }

// said is by one way to score.
type said struct {
	by any
	// For each document the score as a float32, rounded up, and in the lower half the second, also
	// rounded up, from which on it holds; 0: nobody has asked.
	list []atomic.Uint64
}

// of are those that a query may use, of an index of so many documents; nil for none.
func (s *scores) of(ask *Ask, size uint32) *said {
	if ask.By == nil || ask.Score == nil || ask.At.IsZero() {
		return nil
	}
	now := s.last.Load()
	if now == nil || now.by != ask.By || len(now.list) < int(size) {
		grown := &said{ask.By, make([]atomic.Uint64, size+size/16)}
		if now != nil && now.by == ask.By {
			for d := range now.list {
				grown.list[d].Store(now.list[d].Load())
			}
		}
		s.last.Store(grown)
		now = grown
	}
	return now
}

// forget is for documents that get other numbers.
func (s *scores) forget() { s.last.Store(nil) }

// note takes down what is said of a document.
func (s *said) note(d uint32, at time.Time, score float64) {
	second := ceil(at)
	if s == nil || second <= 0 || second > math.MaxUint32 {
		return
	}
	most := math.Nextafter32(float32(score*(1+1e-6)), math.MaxFloat32) // to be sure, whatever the last bits are
	s.list[d].Store(uint64(math.Float32bits(most))<<32 | uint64(second))
}

// most is the most that can be said of a document; of one of which nothing is known, all.
func (s *said) most(d uint32, at time.Time) float64 {
	if s == nil {
		return 1
	}
	known := s.list[d].Load()
	if known == 0 || at.Unix() < int64(known&math.MaxUint32) {
		return 1
	}
	return float64(math.Float32frombits(uint32(known >> 32)))
}
