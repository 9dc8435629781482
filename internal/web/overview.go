package web

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/repair"
)

// overviewBody is what the template of the overview is given.
type overviewBody struct {
	*document.Status
	ByType  []share
	ByScope []share
	ByTier  []share
	Runs    []document.ScheduledRun

	PlannedAt time.Time // when what a run would do was worked out; zero: not yet
	Planning  bool      // it is being worked out anew

	MoreUnread int // files that can't be read and aren't listed
}

// share is a part of all memories.
type share struct {
	Name string
	N    int
	Of   int
	To   string // its list
}

// sharesShown is how many rows a table of shares has.
const sharesShown = 8

func shares(counts map[string]int, all int, to func(name string) string) (out []share) {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	rest := 0
	for i, name := range names {
		if i >= sharesShown {
			rest += counts[name]
			continue
		}
		s := share{named(name), counts[name], all, ""}
		if s.Name == name { // else it can't be asked for
			s.To = to(name)
		}
		out = append(out, s)
	}
	if rest > 0 {
		out = append(out, share{"all others", rest, all, ""})
	}
	return out
}

// statusOf is the document of "memory status". What the next run would do is waited for so long; 0: until it is known.
func statusOf(s *Server, ctx context.Context, wait time.Duration) (*overviewBody, error) {
	next, err := outlookOf(s, ctx, wait)
	if err != nil {
		return nil, err
	}
	doc, err := countsOf(s, ctx)
	if err != nil {
		return nil, err
	}
	doc.Next, doc.LastCheck = next.value, repair.LastCheck(s.Store)
	doc.Watch, err = s.Watched()
	return &overviewBody{Status: doc, PlannedAt: next.at, Planning: !next.Fresh}, err
}

func overviewPage(s *Server, r *http.Request) (*reply, error) {
	body, err := statusOf(s, r.Context(), figureWait)
	if err != nil {
		return nil, err
	}
	snap, err := s.live.Refresh(r.Context())
	if err != nil {
		return nil, err
	}
	doc := body.Status
	body.MoreUnread = max(0, len(doc.Unread)-namedAtMost)
	doc.Unread = rowsIn(doc.Unread, 0, namedAtMost)
	body.ByType = shares(doc.Types, doc.Memories, func(n string) string { return filter{Type: n}.At(0) })
	body.ByScope = shares(doc.Scopes, doc.Memories, func(n string) string { return filter{Scope: n}.At(0) })
	body.ByTier = shares(doc.Tiers, doc.Memories, func(n string) string { return filter{Tier: n}.At(0) })
	schedule, err := s.Schedule(r.Context(), snap, false)
	if err != nil {
		return nil, err
	}
	body.Runs = schedule.Runs[:min(3, len(schedule.Runs))]
	return &reply{page: &page{Template: "overview", Title: "Overview", At: snap.At, Body: body}}, nil
}
