package watch

import (
	"context"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace"
)

const (
	// Of a core, looking at the files takes so little: one part in so many.
	glanceShare = 500
	lookShare   = 300
	// mostTold is how many changes are reported one by one.
	mostTold = 1000
)

// look looks at the files again and again: at directories and what changed lately each
// time, at everything as seldom as that is dear.
func (f *follower) look(ctx context.Context, p *workspace.Poll) {
	var glances, looks pace
	var looked time.Time
	next := time.NewTimer(f.poll)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
			if err := f.check(); err != nil {
				f.emit(change{err: err})
				return
			}
			begun := time.Now()
			var told []string
			if begun.Sub(looked) >= max(f.poll, looks.apart(lookShare)) {
				told = p.FullScan()
				looked = time.Now()
				looks.took(looked.Sub(begun))
			} else {
				told = p.QuickScan()
				glances.took(time.Since(begun))
			}
			if len(told) > mostTold {
				f.emit(change{all: true})
				told = nil
			}
			for _, name := range told {
				f.emit(change{path: name})
			}
			next.Reset(max(f.poll, glances.apart(glanceShare)))
		}
	}
}

// pace is how long something took the last times. The shortest is what it costs:
// others waited for a processor.
type pace struct {
	last [4]time.Duration
	n    int
}

func (p *pace) took(d time.Duration) {
	p.last[p.n%len(p.last)] = d
	p.n++
}

// apart is how far apart it is to begin, to take so small a share of the time.
func (p *pace) apart(share int) time.Duration {
	if p.n == 0 {
		return 0
	}
	return time.Duration(share) * slices.Min(p.last[:min(p.n, len(p.last))])
}
