package web

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
)

// overviewBody is what the template of the overview is given.
type overviewBody struct {
	*app.StatusDocument
	ByType  []share
	ByScope []share
	ByTier  []share
	Runs    []app.ScheduledRun
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
		out = append(out, share{name, counts[name], all, to(name)})
	}
	if rest > 0 {
		out = append(out, share{"all others", rest, all, ""})
	}
	return out
}

// status is the document of "memory status", but for what the next run would do: the page of the plan shows that.
func (s *Server) status(ctx context.Context) (*memory.Snapshot, *app.StatusDocument, error) {
	snap, err := s.live.View(ctx)
	if err != nil {
		return nil, nil, err
	}
	conf, err := s.Settings()
	if err != nil {
		return nil, nil, &problem{status: http.StatusInternalServerError, what: err.Error(), todo: "Mend memory.toml; \"memory check\" tells more.", cause: err}
	}
	request, err := s.request(ctx)
	if err != nil {
		return nil, nil, err
	}
	plan, err := app.MakePlan(s.Store, snap, request)
	if err != nil {
		return nil, nil, err
	}
	log, logErr := s.Store.Log()
	if logErr != nil {
		log = nil
	}
	doc := app.NewStatusDocument(snap, conf.Settings, plan.Stats(), log)
	if logErr != nil {
		doc.Errors++
		doc.Unread = append(doc.Unread, app.UnreadFile{File: memory.LogFile, Message: logErr.Error()})
	}
	doc.Workspace, doc.Preset, doc.LastCheck = s.Store.Dir(), conf.Preset, app.LastCheck(s.Store)
	doc.Watch, err = s.Watched()
	return snap, doc, err
}

func (s *Server) overviewPage(r *http.Request) (*reply, error) {
	snap, doc, err := s.status(r.Context())
	if err != nil {
		return nil, err
	}
	body := overviewBody{StatusDocument: doc}
	body.ByType = shares(doc.Types, doc.Memories, func(n string) string { return filter{Type: n}.At(0) })
	body.ByScope = shares(doc.Scopes, doc.Memories, func(n string) string { return filter{Scope: n}.At(0) })
	body.ByTier = shares(doc.Tiers, doc.Memories, func(n string) string { return filter{Tier: n}.At(0) })
	schedule, err := s.Schedule(r.Context(), snap)
	if err != nil {
		return nil, err
	}
	body.Runs = schedule.Runs[:min(3, len(schedule.Runs))]
	return &reply{page: &page{Template: "overview", Title: "Overview", At: snap.At, Body: body}}, nil
}
