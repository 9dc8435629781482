package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/rules"
)

// document answers with what a command prints with --json.
func (s *Server) document(r *http.Request) (*reply, error) {
	switch name := r.PathValue("document"); name {
	case "status":
		_, doc, err := s.status(r.Context())
		return &reply{document: doc}, err
	case "plan":
		plan, err := s.makePlan(r)
		if err != nil {
			return nil, err
		}
		return &reply{document: app.NewPlanDocument(plan.Plan, nil)}, nil
	case "log":
		log, err := s.Store.Log()
		if err != nil {
			return nil, err
		}
		entries := append([]oplog.Entry{}, log.Entries...)
		slices.Reverse(entries)
		return &reply{document: entries}, nil
	case "receipts":
		all, err := app.Receipts(s.Store)
		return &reply{document: all}, err
	case "list", "review", "forecast", "schedule", "check", "links", "trends", "recall":
		return s.snapshotDocument(r, name)
	}
	return nil, notFound("there is no document %s", shown(r.PathValue("document")))
}

// snapshotDocument answers with a document about the memories as they are.
func (s *Server) snapshotDocument(r *http.Request, name string) (*reply, error) {
	if name == "links" {
		_, body, err := s.neighbourhoodOf(r)
		if err != nil {
			return nil, err
		}
		return &reply{document: body.neighbourhood}, nil
	}
	snap, err := s.live.Load(r.Context(), s.Now())
	if err != nil {
		return nil, err
	}
	request, err := s.request(r.Context())
	if err != nil {
		return nil, err
	}
	switch name {
	case "list":
		found, err := s.list(snap, request.Settings, filterOf(r.URL.Query()))
		if err != nil {
			return nil, err
		}
		from, err := place(r, len(found))
		if err != nil {
			return nil, err
		}
		return &reply{document: app.NewMemoryDocuments(found[from:min(len(found), from+rowsShown)], snap.At, request.Settings)}, nil
	case "recall":
		rows, err := s.search(snap, request.Settings, filterOf(r.URL.Query()))
		if err != nil {
			return nil, err
		}
		ms := make([]*memory.Memory, min(len(rows), rowsShown))
		for i := range ms {
			ms[i] = rows[i].Memory
		}
		return &reply{document: app.NewMemoryDocuments(ms, snap.At, request.Settings)}, nil
	case "review":
		pairs := []app.PairDocument{}
		for _, p := range snap.Open() {
			pairs = append(pairs, app.NewPairDocument(p))
		}
		return &reply{document: pairs}, nil
	case "forecast":
		all, err := app.Forecast(s.Store, snap, request, nil)
		if err != nil {
			return nil, err
		}
		return &reply{document: app.NewForecastDocument(snap, all, snap.At, snap.At.AddDate(10, 0, 0), rowsShown)}, nil
	case "schedule":
		doc, err := s.Schedule(r.Context(), snap)
		return &reply{document: doc}, err
	case "trends":
		days, err := spanOf(r)
		if err != nil {
			return nil, err
		}
		all, err := s.trendsOf(snap, days)
		return &reply{document: all}, err
	}
	problems, err := app.CheckAll(s.Store, snap)
	if err != nil {
		return nil, err
	}
	doc := app.CheckDocument{Problems: problems, Memories: len(snap.Memories())}
	doc.Errors, doc.Warnings = app.CountProblems(problems)
	return &reply{document: doc}, nil
}

// documentOf answers with what a command prints of one memory or run.
func (s *Server) documentOf(r *http.Request) (*reply, error) {
	name, id := r.PathValue("document"), r.PathValue("id")
	if name == "log" {
		r.SetPathValue("run", id)
		entry, _, err := s.entry(r)
		return &reply{document: entry}, err
	}
	if !slices.Contains([]string{"show", "explain", "history", "tier"}, name) {
		return nil, notFound("there is no document %s", shown(name))
	}
	snap, err := s.live.Load(r.Context(), s.Now())
	if err != nil {
		return nil, err
	}
	m, err := find(snap, id)
	if err != nil {
		return nil, err
	}
	request, err := s.request(r.Context())
	if err != nil {
		return nil, err
	}
	switch name {
	case "show":
		clean, _ := request.Secrets.RedactRecord(m.Raw())
		return &reply{document: rawJSON(clean)}, nil
	case "explain":
		if m.Archived {
			return &reply{document: app.NewArchivedDocument(snap, m)}, nil
		}
		return &reply{document: rules.Explain(snap, request, m)}, nil
	case "tier":
		return &reply{document: retention.Of(m, snap.At, request.Settings)}, nil
	}
	versions, err := s.Store.History(id)
	if err != nil {
		return nil, err
	}
	return &reply{document: app.Changes(versions, snap.Find(id))}, nil
}

// rawJSON is a document that stands as it is.
type rawJSON []byte

// MarshalJSON gives the bytes.
func (j rawJSON) MarshalJSON() ([]byte, error) { return j, nil }

// keyDocument gives a program with a bearer token a link that opens the dashboard once.
func (s *Server) keyDocument(r *http.Request) (*reply, error) {
	if !strings.HasPrefix(strings.ToLower(r.Header.Get("Authorization")), "bearer ") {
		return nil, &problem{status: http.StatusForbidden, what: "a link is given to programs with a token only", todo: "Run \"memory serve --open\"."}
	}
	return &reply{document: map[string]string{"url": s.URL()}}, nil
}
