package web

import "net/http"

// Handler answers all requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range s.routes() {
		mux.Handle(pattern, s.answer(handle))
	}
	mux.Handle("GET /static/", static())
	mux.Handle("GET /api/v1/feed", http.HandlerFunc(s.serveFeed))
	return s.guard.protect(s.noteUse(s.recovered(mux)))
}

func (s *Server) routes() map[string]handler {
	return map[string]handler{
		"GET /{$}":                    s.overviewPage,
		"GET /plan":                   s.planPage,
		"GET /plan/{run}":             s.shownPlanPage,
		"GET /plan/{run}/{n}":         s.planActionPage,
		"POST /plan/{run}":            s.applyPlan,
		"GET /review":                 s.reviewPage,
		"POST /review":                s.decide,
		"GET /memories":               s.memoriesPage,
		"GET /memories/{id}":          s.memoryPage,
		"POST /memories/{id}/tags":    s.tagMemory,
		"POST /memories/{id}/content": s.editMemory,
		"POST /memories/{id}/archive": s.archiveMemory,
		"POST /memories/{id}/restore": s.restoreMemory,
		"GET /runs":                   s.runsPage,
		"GET /runs/{run}":             s.runPage,
		"GET /runs/{run}/undo":        s.undoPage,
		"POST /runs/{run}/undo":       s.undo,
		"GET /forecast":               s.forecastPage,
		"GET /links":                  s.linksPage,
		"GET /trends":                 s.trendsPage,
		"GET /trends.csv":             s.trendsCSV,
		"GET /receipts":               s.receiptsPage,
		"GET /schedules":              s.schedulesPage,
		"POST /schedules":             s.setSchedule,
		"GET /api/v1/{document}":      s.document,
		"GET /api/v1/{document}/{id}": s.documentOf,
		"POST /api/v1/key":            s.keyDocument,
		"POST /api/v1/plan/{run}":     s.applyPlan,
		"POST /api/v1/review":         s.decide,
		"GET /":                       s.nothingHere,
	}
}
