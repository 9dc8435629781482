package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/live"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// feedPath is where the feed is.
const feedPath = "/api/v1/feed"

// Times of the feed.
const (
	feedEvery = time.Second // between two looks at the files, while somebody listens
	heartbeat = 15 * time.Second
)

// news says what kinds of things have changed; pages that show them fetch them again.
type news struct {
	Revision int      `json:"revision"`
	Kinds    []string `json:"kinds"`
}

// feed tells browsers that something has changed. It tells no contents.
type feed struct {
	mu        sync.Mutex
	listeners map[chan news]bool
	revision  int // counts what was told
	ended     chan struct{}
	ending    sync.Once

	looking sync.Mutex // guards what follows
	seen    signs
	state   int // counts the changes of files
}

func (f *feed) end() chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended == nil {
		f.ended = make(chan struct{})
	}
	return f.ended
}

// close ends all connections of the feed: a server that ends waits for none of them.
func (f *feed) close() {
	ended := f.end()
	f.ending.Do(func() { close(ended) })
}

func (f *feed) listen() (chan news, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listeners == nil {
		f.listeners = map[chan news]bool{}
	}
	l := make(chan news, 1)
	f.listeners[l] = true
	return l, f.revision
}

func (f *feed) leave(l chan news) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.listeners, l)
}

func (f *feed) heard() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.listeners) > 0
}

// tell tells all listeners. One that has not taken the last news yet gets both at once.
func (f *feed) tell(kinds []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.revision++
	for l := range f.listeners {
		n := news{f.revision, kinds}
		select {
		case old := <-l:
			n.Kinds = slices.Compact(slices.Sorted(slices.Values(slices.Concat(old.Kinds, kinds))))
		default:
		}
		l <- n // there is room: only tell sends
	}
}

// run looks at the files while somebody listens.
func (f *feed) run(ctx context.Context, s *Server) {
	tick := time.NewTicker(feedEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !f.heard() {
			continue
		}
		if s.Guest != nil {
			if err := s.Guest.Refresh(ctx); err != nil {
				s.Log.Warn("the feed tells of no changes by others", "error", err)
			}
		}
		f.look(ctx, s)
	}
}

// look tells what has changed since it last looked, and gives the revision of which listeners know then, and the state of the files: it is
// another number where something has changed of which figures are made.
func (f *feed) look(ctx context.Context, s *Server) (revision, state int) {
	f.looking.Lock()
	defer f.looking.Unlock()
	now := s.signs(ctx)
	kinds := f.seen.differing(now)
	first := f.seen.files == nil
	f.seen = now
	if len(kinds) > 0 && !first {
		if slices.ContainsFunc(kinds, func(kind string) bool { return kind != "watch" && kind != "receipts" }) {
			f.state++
		}
		f.tell(kinds)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.revision, f.state
}

// signs tell whether something has changed: the memories as they were read, and of files their sizes and times.
type signs struct {
	live, archived []*memory.Memory
	files          map[string]string // by kind
}

func (s *Server) signs(ctx context.Context) (now signs) {
	if snap, err := s.live.View(ctx); err == nil {
		now.live, now.archived = snap.Memories(), snap.Archived()
	}
	now.files = map[string]string{}
	for kind, name := range map[string]string{"log": memory.LogFile, "review": memory.ReviewFile, "watch": ops.WatchFile, "receipts": app.ReceiptsFile, "schedules": memory.ConfigFile} {
		now.files[kind] = live.Stamp(s.Store, name)
	}
	now.files["log"] += live.Stamp(s.Store, memory.SavesFile) // its end
	return now
}

// differing are the kinds of which signs differ.
func (g signs) differing(now signs) (kinds []string) {
	for _, kind := range []string{"log", "receipts", "review", "schedules", "watch"} {
		if g.files[kind] != now.files[kind] {
			kinds = append(kinds, kind)
		}
	}
	if !slices.Equal(g.live, now.live) || !slices.Equal(g.archived, now.archived) { // an unchanged memory stays the same one
		kinds = append(kinds, "memories")
	}
	return kinds
}

// serveFeed sends the news as server-sent events.
func (s *Server) serveFeed(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	if err := control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.Log.Debug("the feed ends early", "error", err)
	}
	listener, revision := s.feed.listen()
	defer s.feed.leave(listener)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	send := func(n news) bool {
		text, err := json.Marshal(n)
		if err != nil {
			return false
		}
		_, err = fmt.Fprintf(w, "event: changed\ndata: %s\n\n", text)
		return err == nil && control.Flush() == nil
	}
	if !send(news{revision, []string{}}) {
		return
	}
	for {
		select {
		case n := <-listener:
			if !send(n) {
				return
			}
		case <-beat.C:
			s.used() // a page that is open
			if _, err := fmt.Fprint(w, ": still here\n\n"); err != nil || control.Flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.feed.end():
			return
		}
	}
}
