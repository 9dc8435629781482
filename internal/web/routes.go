package web

import (
	"net/http"
)

// Handler answers all requests.
func (s *Server) Handler() http.Handler { return s.guard.protect(s.pages()) }

// pages answers requests that have been let in.
func (s *Server) pages() http.Handler {
	mux := http.NewServeMux()
	for pattern, route := range s.routes() {
		mux.Handle(pattern, s.answer(route))
	}
	mux.Handle("GET /static/", static())
	mux.Handle("GET "+feedPath, http.HandlerFunc(s.serveFeed))
	return s.noteUse(s.recovered(mux))
}

func (s *Server) routes() map[string]route {
	return map[string]route{
		"GET /{$}":                    {reads, s.overviewPage},
		"GET /plan":                   {reads, s.planPage},
		"GET /plan/{run}":             {reads, s.shownPlanPage},
		"GET /plan/{run}/{n}":         {reads, s.planActionPage},
		"POST /plan/{run}":            {runs, s.applyPlan},
		"GET /review":                 {reads, s.reviewPage},
		"POST /review":                {reviews, s.decide},
		"GET /memories":               {reads, s.memoriesPage},
		"GET /memories/{id}":          {reads, s.memoryPage},
		"POST /memories/{id}/tags":    {writes, s.tagMemory},
		"POST /memories/{id}/content": {writes, s.editMemory},
		"POST /memories/{id}/archive": {writes, s.archiveMemory},
		"POST /memories/{id}/restore": {writes, s.restoreMemory},
		"GET /runs":                   {readsAll, s.runsPage},
		"GET /runs/{run}":             {readsAll, s.runPage},
		"GET /runs/{run}/undo":        {undoes, s.undoPage},
		"POST /runs/{run}/undo":       {undoes, s.undo},
		"GET /forecast":               {reads, s.forecastPage},
		"GET /links":                  {reads, s.linksPage},
		"GET /trends":                 {readsAll, s.trendsPage},
		"GET /trends.csv":             {readsAll, s.trendsCSV},
		"GET /receipts":               {readsAll, s.receiptsPage},
		"GET /schedules":              {reads, s.schedulesPage},
		"POST /schedules":             {sets, s.setSchedule},
		"GET /api/v1/{document}":      {reads, s.document},
		"GET /api/v1/{document}/{id}": {reads, s.documentOf},
		"POST /api/v1/key":            {reads, s.keyDocument},
		"POST /api/v1/plan/{run}":     {runs, s.applyPlan},
		"POST /api/v1/review":         {reviews, s.decide},
		"GET /":                       {reads, s.nothingHere},
	}
}
