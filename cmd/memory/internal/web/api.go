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

// documents are what commands print with --json, by their names.
var documents = map[string]func(*Server, *http.Request) (any, error){
	"status": func(s *Server, r *http.Request) (any, error) {
		body, err := s.status(r.Context(), 0)
		if err != nil {
			return nil, err
		}
		return body.StatusDocument, nil
	},
	"plan": func(s *Server, r *http.Request) (any, error) {
		plan, err := s.makePlan(r)
		if err != nil {
			return nil, err
		}
		return app.NewPlanDocument(plan.Plan, nil), nil
	},
	"log": func(s *Server, _ *http.Request) (any, error) {
		log, err := s.Store.Log()
		if err != nil {
			return nil, err
		}
		entries := append([]oplog.Entry{}, log.Entries...)
		slices.Reverse(entries)
		return entries, nil
	},
	"receipts": func(s *Server, _ *http.Request) (any, error) { return app.Receipts(s.Store) },
	"links": func(s *Server, r *http.Request) (any, error) {
		_, body, err := s.neighbourhoodOf(r)
		if err != nil {
			return nil, err
		}
		return body.neighbourhood, nil
	},
	"list":     ofSnapshot((*Server).listDocument),
	"recall":   ofSnapshot((*Server).recallDocument),
	"review":   ofSnapshot(reviewDocument),
	"forecast": (*Server).forecastDocument,
	"schedule": ofSnapshot(func(s *Server, r *http.Request, snap *memory.Snapshot, _ rules.Request) (any, error) {
		return s.Schedule(r.Context(), snap, true)
	}),
	"trends": ofSnapshot(func(s *Server, r *http.Request, snap *memory.Snapshot, _ rules.Request) (any, error) {
		days, err := spanOf(r)
		if err != nil {
			return nil, err
		}
		return s.trendsOf(snap, days)
	}),
	"check": ofSnapshot(func(s *Server, _ *http.Request, snap *memory.Snapshot, _ rules.Request) (any, error) {
		problems, err := app.CheckAll(s.Store, snap)
		if err != nil {
			return nil, err
		}
		doc := app.CheckDocument{Problems: problems, Memories: len(snap.Memories())}
		doc.Errors, doc.Warnings = app.CountProblems(problems)
		return doc, nil
	}),
}

// ofSnapshot is a document of the memories as they stand.
func ofSnapshot(make func(*Server, *http.Request, *memory.Snapshot, rules.Request) (any, error)) func(*Server, *http.Request) (any, error) {
	return func(s *Server, r *http.Request) (any, error) {
		snap, request, err := s.asked(r.Context())
		if err != nil {
			return nil, err
		}
		return make(s, r, snap, request)
	}
}

func (s *Server) document(r *http.Request) (*reply, error) {
	make, ok := documents[r.PathValue("document")]
	if !ok {
		return nil, notFound("there is no document %s", shown(r.PathValue("document")))
	}
	doc, err := make(s, r)
	return &reply{document: doc}, err
}

func (s *Server) listDocument(r *http.Request, snap *memory.Snapshot, request rules.Request) (any, error) {
	found, err := s.list(snap, request.Settings, filterOf(r.URL.Query()))
	if err != nil {
		return nil, err
	}
	page, end, err := pageOf(r, len(found))
	if err != nil {
		return nil, err
	}
	return app.NewMemoryDocuments(found[page.From:end], snap.At, request.Settings), nil
}

func (s *Server) recallDocument(r *http.Request, snap *memory.Snapshot, request rules.Request) (any, error) {
	rows, err := s.search(snap, request.Settings, filterOf(r.URL.Query()), rowsShown)
	if err != nil {
		return nil, err
	}
	ms := make([]*memory.Memory, len(rows))
	for i := range ms {
		ms[i] = rows[i].Memory
	}
	return app.NewMemoryDocuments(ms, snap.At, request.Settings), nil
}

func reviewDocument(_ *Server, _ *http.Request, snap *memory.Snapshot, _ rules.Request) (any, error) {
	pairs := []app.PairDocument{}
	for _, p := range snap.Open() {
		pairs = append(pairs, app.NewPairDocument(p))
	}
	return pairs, nil
}

func (s *Server) forecastDocument(r *http.Request) (any, error) {
	all, err := s.forecasts(r.Context(), 0)
	if err != nil {
		return nil, err
	}
	return all.value.document(all.value.all[:min(rowsShown, len(all.value.all))]), nil
}

// documentsOfAll tell of all memories.
var documentsOfAll = map[string]bool{"log": true, "receipts": true, "trends": true, "check": true, "history": true}

// memoryDocuments are what commands print with --json of one memory.
var memoryDocuments = map[string]func(*Server, *memory.Snapshot, rules.Request, *memory.Memory) (any, error){
	"show": func(_ *Server, _ *memory.Snapshot, request rules.Request, m *memory.Memory) (any, error) {
		clean, _ := request.Secrets.RedactRecord(m.Raw())
		return rawJSON(clean), nil
	},
	"explain": func(_ *Server, snap *memory.Snapshot, request rules.Request, m *memory.Memory) (any, error) {
		if m.Archived {
			return app.NewArchivedDocument(snap, m), nil
		}
		return rules.Explain(snap, request, m), nil
	},
	"tier": func(_ *Server, snap *memory.Snapshot, request rules.Request, m *memory.Memory) (any, error) {
		return retention.Of(m, snap.At, request.Settings), nil
	},
	"history": func(s *Server, snap *memory.Snapshot, _ rules.Request, m *memory.Memory) (any, error) {
		versions, err := s.Store.History(m.ID)
		if err != nil {
			return nil, err
		}
		return app.Changes(versions, snap.Find(m.ID)), nil
	},
}

// documentOf answers with what a command prints of one memory or run.
func (s *Server) documentOf(r *http.Request) (*reply, error) {
	name, id := r.PathValue("document"), r.PathValue("id")
	if name == "log" {
		r.SetPathValue("run", id)
		entry, _, err := s.entry(r)
		return &reply{document: entry}, err
	}
	make, ok := memoryDocuments[name]
	if !ok {
		return nil, notFound("there is no document %s", shown(name))
	}
	snap, request, err := s.asked(r.Context())
	if err != nil {
		return nil, err
	}
	m, err := find(snap, id)
	if err != nil {
		return nil, err
	}
	doc, err := make(s, snap, request, m)
	return &reply{document: doc}, err
}

// rawJSON is a document that stands as it is.
type rawJSON []byte

// MarshalJSON gives the bytes.
func (j rawJSON) MarshalJSON() ([]byte, error) { return j, nil }

// keyDocument gives a program with a bearer token a link that opens the dashboard once.
func (s *Server) keyDocument(r *http.Request) (*reply, error) {
	if s.listener == nil {
		return nil, notFound("there are no links here: people sign in with a token")
	}
	if !strings.HasPrefix(strings.ToLower(r.Header.Get("Authorization")), "bearer ") {
		return nil, &problem{status: http.StatusForbidden, what: "a link is given to programs with a token only", todo: "Run \"memory serve --open\"."}
	}
	return &reply{document: map[string]string{"url": s.URL()}}, nil
}
