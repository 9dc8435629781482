package web

import (
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/op/repair"
	"github.com/memoryd/memoryd/internal/op/reviewing"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/rules"
)

// documents are what commands print with --json, by their names.
var documents = map[string]func(*Server, *http.Request) (any, error){
	"status": func(s *Server, r *http.Request) (any, error) {
		body, err := statusOf(s, r.Context(), 0)
		if err != nil {
			return nil, err
		}
		return statusPart(r, *body.Status)
	},
	"plan": func(s *Server, r *http.Request) (any, error) {
		plan, err := makePlan(s, r)
		if err != nil {
			return nil, err
		}
		return planPart(r, plan)
	},
	"log": func(s *Server, r *http.Request) (any, error) {
		log, err := s.Store.Log().Read()
		if err != nil {
			return nil, err
		}
		return partOf(r, len(log.Entries), rowsShown, func(from, end int) any {
			doc := document.Runs{Runs: []*document.Run{}, Page: document.Page{Total: len(log.Entries)}}
			for i := from; i < end; i++ {
				run := document.NewRun(&log.Entries[len(log.Entries)-1-i])
				run.Actions, run.Deferred = rowsIn(run.Actions, 0, rowsShown), rowsIn(run.Deferred, 0, rowsShown)
				doc.Runs = append(doc.Runs, &run)
			}
			return doc
		})
	},
	"receipts": ofSnapshot(func(s *Server, r *http.Request, snap *memory.Snapshot, _ rules.Request) (any, error) {
		receipts, err := app.Receipts(s.Store)
		if err != nil {
			return nil, err
		}
		doc := document.NewReceipts(receipts, snap, r.URL.Query().Get("session"))
		all := doc.Receipts
		return partOf(r, len(all), rowsShown, func(from, end int) any {
			doc.Receipts = rowsIn(all, from, end)
			return doc
		})
	}),
	"links": func(s *Server, r *http.Request) (any, error) {
		_, body, err := neighbourhoodOf(s, r)
		if err != nil {
			return nil, err
		}
		doc := body.Graph
		nodes, edges := doc.Nodes, doc.Edges
		return partOf(r, max(len(nodes), len(edges)), math.MaxInt, func(from, end int) any {
			doc.Nodes, doc.Edges = rowsIn(nodes, from, end), rowsIn(edges, from, end)
			return doc
		})
	},
	"list":     ofSnapshot(listDocument),
	"recall":   ofSnapshot(recallDocument),
	"review":   ofSnapshot(reviewDocument),
	"forecast": forecastDocument,
	"schedule": ofSnapshot(func(s *Server, r *http.Request, snap *memory.Snapshot, _ rules.Request) (any, error) {
		return s.Schedule(r.Context(), snap, true)
	}),
	"trends": ofSnapshot(func(s *Server, r *http.Request, snap *memory.Snapshot, _ rules.Request) (any, error) {
		days, err := spanOf(r)
		if err != nil {
			return nil, err
		}
		all, err := trendsOf(s, snap, days)
		if err != nil {
			return nil, err
		}
		return partOf(r, len(all), len(all), func(from, end int) any {
			return document.Trends{Days: rowsIn(all, from, end), Page: document.Page{Total: len(all)}}
		})
	}),
	"check": ofSnapshot(func(s *Server, r *http.Request, snap *memory.Snapshot, _ rules.Request) (any, error) {
		problems, err := repair.Problems(s.Store, snap)
		if err != nil {
			return nil, err
		}
		doc := *repair.NewCheck(snap, problems)
		problems = doc.Problems
		return partOf(r, len(problems), rowsShown, func(from, end int) any {
			doc.Problems = rowsIn(problems, from, end)
			return doc
		})
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

func documentNamed(s *Server, r *http.Request) (*reply, error) {
	make, ok := documents[r.PathValue("document")]
	if !ok {
		return nil, notFound("there is no document %s", shown(r.PathValue("document")))
	}
	doc, err := make(s, r)
	return &reply{document: doc}, err
}

func listDocument(s *Server, r *http.Request, snap *memory.Snapshot, request rules.Request) (any, error) {
	found, err := listed(s, snap, request.Settings, filterOf(r.URL.Query()))
	if err != nil {
		return nil, err
	}
	return partOf(r, len(found), rowsShown, func(from, end int) any {
		doc := document.NewMemories(rowsIn(found, from, end), snap.At, request.Settings)
		doc.Total = len(found)
		return doc
	})
}

func recallDocument(s *Server, r *http.Request, snap *memory.Snapshot, request rules.Request) (any, error) {
	q, found, err := findMemories(s, r.Context(), snap, request.Settings, filterOf(r.URL.Query()), rowsShown)
	if err != nil {
		return nil, err
	}
	all := document.NewRecall(&q, found.Hits, found.LeftOut, request.Settings, false, false)
	hits := all.Hits
	return partOf(r, len(hits), rowsShown, func(from, end int) any {
		all.Hits = rowsIn(hits, from, end)
		return all
	})
}

func reviewDocument(_ *Server, r *http.Request, snap *memory.Snapshot, _ rules.Request) (any, error) {
	doc := reviewing.NewReview(snap, reviewing.Groups(snap, snap.Open()))
	pairs := doc.Pairs
	return partOf(r, len(pairs), rowsShown, func(from, end int) any {
		doc.Pairs = rowsIn(pairs, from, end)
		return doc
	})
}

func forecastDocument(s *Server, r *http.Request) (any, error) {
	all, err := forecastsOf(s, r.Context(), 0)
	if err != nil {
		return nil, err
	}
	x := all.value
	return partOf(r, len(x.all), rowsShown, func(from, end int) any { return x.document(rowsIn(x.all, from, end)) })
}

// planPart is a part of a plan. Its id leads to the others.
func planPart(r *http.Request, plan *shownPlan) (*part, error) {
	all := *document.NewPlan(plan.Plan, nil)
	all.Limit = plan.settings.Run.Limit
	return partOf(r, max(len(all.Actions), len(all.Skipped), len(all.Deferred)), rowsShown, func(from, end int) any {
		doc := all
		doc.Actions, doc.Skipped, doc.Deferred = rowsIn(all.Actions, from, end), rowsIn(all.Skipped, from, end), rowsIn(all.Deferred, from, end)
		return doc
	})
}

// statusPart is the status as a whole, if an answer has room for it.
func statusPart(r *http.Request, all document.Status) (*part, error) {
	scopes := slices.Sorted(maps.Keys(all.Scopes))
	return partOf(r, max(len(scopes), len(all.Unread), len(all.Copies), len(all.Conflicts)), math.MaxInt, func(from, end int) any {
		doc := all
		doc.Unread, doc.Copies, doc.Conflicts = rowsIn(all.Unread, from, end), rowsIn(all.Copies, from, end), rowsIn(all.Conflicts, from, end)
		doc.Scopes = map[string]int{}
		for _, name := range rowsIn(scopes, from, end) {
			doc.Scopes[name] = all.Scopes[name]
		}
		return doc
	})
}

// memoryDocuments are what commands print with --json of one memory.
var memoryDocuments = map[string]func(*Server, *http.Request, *memory.Snapshot, rules.Request, *memory.Memory) (any, error){
	"show": func(_ *Server, _ *http.Request, _ *memory.Snapshot, request rules.Request, m *memory.Memory) (any, error) {
		clean, _ := request.Secrets.RedactRecord(m.Raw())
		return rawJSON(clean), nil
	},
	"explain": func(_ *Server, _ *http.Request, snap *memory.Snapshot, request rules.Request, m *memory.Memory) (any, error) {
		if m.Archived {
			return document.NewArchived(snap, m), nil
		}
		return document.NewExplanation(m, rules.Explain(snap, request, m)), nil
	},
	"tier": func(_ *Server, _ *http.Request, snap *memory.Snapshot, request rules.Request, m *memory.Memory) (any, error) {
		return retention.Of(m, snap.At, request.Settings), nil
	},
	"history": func(s *Server, r *http.Request, snap *memory.Snapshot, _ rules.Request, m *memory.Memory) (any, error) {
		versions, err := s.Store.History(m.ID)
		if err != nil {
			return nil, err
		}
		all := document.Changes(versions, snap.Find(m.ID))
		return partOf(r, len(all), rowsShown, func(from, end int) any {
			return document.History{ID: m.ID, Changes: rowsIn(all, from, end), Page: document.Page{Total: len(all)}}
		})
	},
}

// documentOf answers with what a command prints of one memory or run.
func documentOf(s *Server, r *http.Request) (*reply, error) {
	name, id := r.PathValue("document"), r.PathValue("id")
	switch name {
	case "log":
		return runDocument(s, r, id)
	case "plan":
		r.SetPathValue("run", id)
		plan, err := keptPlan(s, r)
		if err != nil {
			return nil, err
		}
		doc, err := planPart(r, plan)
		return &reply{document: doc}, err
	}
	make, ok := memoryDocuments[name]
	if !ok {
		return nil, notFound("there is no document %s", shown(name))
	}
	snap, request, err := s.asked(r.Context())
	if err != nil {
		return nil, err
	}
	m, err := find.One(snap, id)
	if err != nil {
		return nil, err
	}
	doc, err := make(s, r, snap, request, m)
	return &reply{document: doc}, err
}

// runDocument is the log's entry of a run.
func runDocument(s *Server, r *http.Request, id string) (*reply, error) {
	r.SetPathValue("run", id)
	entry, _, err := entryOf(s, r)
	if err != nil {
		return nil, err
	}
	doc, err := partOf(r, max(len(entry.Actions), len(entry.Deferred)), rowsShown, func(from, end int) any {
		doc := document.NewRun(entry)
		doc.Actions, doc.Deferred = rowsIn(entry.Actions, from, end), rowsIn(entry.Deferred, from, end)
		return doc
	})
	return &reply{document: doc}, err
}

// rawJSON is a document that stands as it is.
type rawJSON []byte

// MarshalJSON gives the bytes.
func (j rawJSON) MarshalJSON() ([]byte, error) { return j, nil }

// keyDocument gives a program with a bearer token a link that opens the dashboard once.
func keyDocument(s *Server, r *http.Request) (*reply, error) {
	if s.listener == nil {
		return nil, notFound("there are no links here: people sign in with a token")
	}
	if !strings.HasPrefix(strings.ToLower(r.Header.Get("Authorization")), "bearer ") {
		return nil, &problem{status: http.StatusForbidden, what: "a link is given to programs with a token only", todo: "Run \"memory serve --open\"."}
	}
	return &reply{document: map[string]string{"url": s.URL()}}, nil
}
