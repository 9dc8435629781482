package web

import (
	"net/http"
	"sync"
)

// Handler answers all requests.
func (s *Server) Handler() http.Handler { return s.guard.protect(s.pages()) }

// pages answers requests that have been let in.
func (s *Server) pages() http.Handler {
	mux := http.NewServeMux()
	for pattern, route := range routes() {
		mux.Handle(pattern, s.answer(route))
	}
	mux.Handle("GET /static/", static())
	mux.Handle("GET "+feedPath, http.HandlerFunc(s.serveFeed))
	return s.noteUse(s.recovered(mux))
}

// routes are all addresses but those of files and of the feed.
var routes = sync.OnceValue(func() map[string]route {
	return map[string]route{
		"GET /{$}":                    {reads, overviewPage},
		"GET /plan":                   {reads, planPage},
		"GET /plan/{run}":             {reads, shownPlanPage},
		"GET /plan/{run}/{n}":         {reads, planActionPage},
		"POST /plan/{run}":            {runs, applyPlan},
		"GET /review":                 {reads, reviewPage},
		"POST /review":                {reviews, decide},
		"GET /memories":               {reads, memoriesPage},
		"GET /memories/{id}":          {reads, memoryPage},
		"POST /memories/{id}/tags":    {writes, tagMemory},
		"POST /memories/{id}/content": {writes, editMemory},
		"POST /memories/{id}/archive": {writes, archiveMemory},
		"POST /memories/{id}/restore": {writes, restoreMemory},
		"GET /runs":                   {readsAll, runsPage},
		"GET /runs/{run}":             {readsAll, runPage},
		"GET /runs/{run}/undo":        {undoes, undoPage},
		"POST /runs/{run}/undo":       {undoes, undoRun},
		"GET /forecast":               {reads, forecastPage},
		"GET /links":                  {reads, linksPage},
		"GET /trends":                 {readsAll, trendsPage},
		"GET /trends.csv":             {readsAll, trendsCSV},
		"GET /receipts":               {readsAll, receiptsPage},
		"GET /schedules":              {reads, schedulesPage},
		"POST /schedules":             {sets, setSchedule},
		"GET /api/v1/{document}":      {reads, documentNamed},
		"GET /api/v1/{document}/{id}": {reads, documentOf},
		"POST /api/v1/key":            {reads, keyDocument},
		"POST /api/v1/plan/{run}":     {runs, applyPlan},
		"POST /api/v1/review":         {reviews, decide},
		"GET /":                       {reads, nothingHere},
	}
})
