package web

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// figure caches a result that takes a reading of all memories, such as what a run would do. It is computed in the background, once for each
// state of the files. Its zero value has no result yet.
type figure[T any] struct {
	mu     sync.Mutex
	last   worked[T]
	making chan struct{} // closed when it has been made; nil while it isn't being made
	missed bool          // a request was answered without it
}

// worked is a figure as it was worked out.
type worked[T any] struct {
	value T
	state int       // of the files; see [feed.look]
	at    time.Time // zero: never
	err   error
	Fresh bool // it is of the files as they are
}

// figureLife is for how long a figure holds: after that, time alone may have changed it.
const figureLife = time.Hour

// get gives the figure. Where that is not of the files as they are, it waits for a new one, for so long at most; 0: until it is there. Pages that were
// answered without it are told by the feed once it is.
func (f *figure[T]) get(ctx context.Context, s *Server, kind string, wait time.Duration, work func(context.Context) (T, error)) (worked[T], error) {
	_, state := s.feed.look(ctx, s)
	var late <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		late = timer.C
	}
	for {
		last, making := f.begin(s, kind, state, work)
		if making == nil {
			return last, nil
		}
		select {
		case <-making:
			if last = f.known(); last.err != nil {
				return last, last.err
			}
		case <-late:
			last = f.without()
			return last, last.err
		case <-ctx.Done():
			return last, ctx.Err()
		case <-s.ctx.Done():
			return last, s.ctx.Err()
		}
	}
}

func (f *figure[T]) known() worked[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// without gives the last figure to a request that waits no longer.
func (f *figure[T]) without() worked[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.missed = f.making != nil
	return f.last
}

// begin gives the last figure; where that is not of a state of the files, or old, with what is closed when there is a new one.
func (f *figure[T]) begin(s *Server, kind string, state int, work func(context.Context) (T, error)) (worked[T], chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last.Fresh = f.last.err == nil && !f.last.at.IsZero() && f.last.state >= state && s.Now().Sub(f.last.at).Abs() < figureLife
	if f.last.Fresh {
		return f.last, nil
	}
	if f.making == nil {
		f.making = make(chan struct{})
		s.beside.Go(func() { f.make(s, kind, work) })
	}
	return f.last, f.making
}

// make works the figure out. What fails is tried again when it is asked for the next time.
func (f *figure[T]) make(s *Server, kind string, work func(context.Context) (T, error)) {
	made := worked[T]{at: s.Now()}
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("panic", "figure", kind, "panic", p, "stack", string(debug.Stack()))
			made.err = fmt.Errorf("memoryd made a mistake when it worked out the %s", kind)
		}
		f.mu.Lock()
		if made.err != nil {
			made.value, made.at = f.last.value, f.last.at
		}
		done, missed := f.making, f.missed
		f.last, f.making, f.missed = made, nil, false
		f.mu.Unlock()
		close(done)
		if missed {
			s.feed.tell([]string{kind})
		}
	}()
	_, made.state = s.feed.look(s.ctx, s) // before it reads: what changes from here on is not in it
	made.value, made.err = work(s.ctx)
}
