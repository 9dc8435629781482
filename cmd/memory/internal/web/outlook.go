package web

import (
	"context"
	"sync"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// outlook is what a run would do now. To plan for many memories takes seconds: it is done beside the requests, once for each state
// of the files.
type outlook struct {
	mu     sync.Mutex
	last   planned
	making chan struct{} // closed when it has been made; nil while nobody plans
}

// planned is the outcome of a plan that nobody was shown.
type planned struct {
	state int // of the files; see [feed.look]
	stats oplog.Stats
	at    time.Time
	err   error
}

const (
	outlookLife = time.Hour              // after so long time alone may have changed it
	outlookWait = 100 * time.Millisecond // for a plan that takes no longer a page waits
)

// outlook gives what was planned last, and whether that is of the files as they are. Where it isn't, it waits for a plan for so long; 0: until it is there.
func (s *Server) outlook(ctx context.Context, wait time.Duration) (planned, bool, error) {
	_, state := s.feed.look(ctx, s)
	var late <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		late = timer.C
	}
	for {
		last, making := s.planBeside(state)
		if making == nil {
			return last, true, last.err
		}
		select {
		case <-making:
		case <-late:
			return last, false, nil
		case <-ctx.Done():
			return last, false, ctx.Err()
		case <-s.ctx.Done():
			return last, false, s.ctx.Err()
		}
	}
}

// planBeside gives what was planned last; where that is not of a state of the files, or old, with what is closed when a plan is made.
func (s *Server) planBeside(state int) (planned, chan struct{}) {
	o := &s.next
	o.mu.Lock()
	defer o.mu.Unlock()
	fresh := !o.last.at.IsZero() && o.last.state >= state && s.Now().Sub(o.last.at).Abs() < outlookLife
	if o.making == nil && !fresh {
		made := make(chan struct{})
		o.making = made
		s.beside.Go(func() {
			result := s.planNow()
			o.mu.Lock()
			o.last, o.making = result, nil
			o.mu.Unlock()
			close(made)
			s.feed.tell([]string{"plan"})
		})
	}
	if fresh {
		return o.last, nil
	}
	return o.last, o.making
}

func (s *Server) planNow() planned {
	_, state := s.feed.look(s.ctx, s)
	p := planned{state: state, at: s.Now()}
	snap, request, err := s.asked(s.ctx)
	if err != nil {
		p.err = err
		return p
	}
	plan, err := app.MakePlan(s.Store, snap, request)
	if p.err = err; err == nil {
		p.stats = plan.Stats()
	}
	return p
}
