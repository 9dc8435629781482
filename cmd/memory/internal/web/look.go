package web

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/memory"
)

// forecastBody is what the template of the forecast is given.
type forecastBody struct {
	app.ForecastDocument
	Months []month
	Day    string // only this day; "" for all
	Rows   []app.ForecastedMemory
	paging
}

// month is a page of the calendar.
type month struct {
	Name  string
	Weeks [][7]calendarDay
}

// calendarDay is a day and how many memories change on it.
type calendarDay struct {
	Day  int    // 0: of another month
	Date string // 2026-03-01
	N    int
	Heat int // 0 to 4
}

// monthsShown is how far the calendar goes.
const monthsShown = 6

func (s *Server) forecastPage(r *http.Request) (*reply, error) {
	snap, request, err := s.asked(r.Context())
	if err != nil {
		return nil, err
	}
	all, err := app.Forecast(s.Store, snap, request, nil)
	if err != nil {
		return nil, err
	}
	body := forecastBody{ForecastDocument: app.NewForecastDocument(snap, all, snap.At, snap.At.AddDate(10, 0, 0), 0), Day: r.URL.Query().Get("day")}
	perDay := map[string]int{}
	var rows []app.ForecastedMemory
	for _, m := range body.Memories {
		if m.At == nil {
			continue
		}
		day := max((*m.At)[:10], snap.At.Format(time.DateOnly))
		perDay[day]++
		if body.Day == "" || body.Day == day {
			rows = append(rows, m)
		}
	}
	body.Months = calendar(snap.At, perDay)
	var end int
	if body.paging, end, err = pageOf(r, len(rows)); err != nil {
		return nil, err
	}
	body.Rows = rows[body.From:end]
	return &reply{page: &page{Template: "forecast", Title: "Forecast", At: snap.At, Body: body}}, nil
}

// calendar lays out the months from that of now on. Weeks begin on Monday.
func calendar(now time.Time, perDay map[string]int) (all []month) {
	most := 0
	for _, n := range perDay {
		most = max(most, n)
	}
	for i := range monthsShown {
		first := time.Date(now.Year(), now.Month()+time.Month(i), 1, 0, 0, 0, 0, time.UTC)
		m := month{Name: first.Format("January 2006")}
		column := (int(first.Weekday()) + 6) % 7
		for day := first; day.Month() == first.Month(); day = day.AddDate(0, 0, 1) {
			if column == 0 || len(m.Weeks) == 0 {
				m.Weeks = append(m.Weeks, [7]calendarDay{})
			}
			date := day.Format(time.DateOnly)
			n := perDay[date]
			heat := 0
			if n > 0 {
				heat = min(4, 1+3*n/most)
			}
			m.Weeks[len(m.Weeks)-1][column] = calendarDay{day.Day(), date, n, heat}
			column = (column + 1) % 7
		}
		all = append(all, m)
	}
	return all
}

// linksBody is what the template of the links is given.
type linksBody struct {
	*neighbourhood
	Focus  string
	Depth  int
	Known  bool // whether there is a memory of that id
	Recent []row
}

// neighbourhood is what is linked around one memory.
type neighbourhood struct {
	Nodes []node `json:"nodes"`
	Edges []edge `json:"edges"`
	More  bool   `json:"more"` // nodes were left out
}

type node struct {
	ID       string `json:"id"`
	Line     string `json:"line"`
	Type     string `json:"type"`
	Distance int    `json:"distance"`
	Archived bool   `json:"archived"`
}

type edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	How  string `json:"how"`
}

// Limits of the graph.
const (
	maxDepth = 3
	maxNodes = 300
)

// around collects what is linked to a memory within so many steps, the nearest first.
func around(snap *memory.Snapshot, id string, depth int) *neighbourhood {
	edges := map[string][]edge{} // by either end
	add := func(e edge) {
		edges[e.From] = append(edges[e.From], e)
		if e.To != e.From {
			edges[e.To] = append(edges[e.To], e)
		}
	}
	for _, ms := range [][]*memory.Memory{snap.Memories(), snap.Archived()} {
		for _, m := range ms {
			for _, l := range linksOf(snap, m) {
				if l.How == "supersedes" || l.How == "promoted from" || len(snap.Find(l.ID)) == 0 {
					continue // told from the other side, or to nothing
				}
				add(edge{m.ID, l.ID, l.How})
			}
		}
	}
	for _, p := range snap.Open() {
		add(edge{p.A, p.B, "to review"})
	}
	out, distance := &neighbourhood{Nodes: []node{}, Edges: []edge{}}, map[string]int{id: 0}
	queue := []string{id}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		n := node{ID: at, Distance: distance[at]}
		if found := snap.Find(at); len(found) > 0 {
			n.Line, n.Type, n.Archived = summaryOf(found[0]), found[0].Type, found[0].Archived
		}
		out.Nodes = append(out.Nodes, n)
		if n.Distance == depth {
			continue
		}
		for _, e := range edges[at] {
			other := e.From
			if other == at {
				other = e.To
			}
			if _, ok := distance[other]; ok {
				continue
			}
			if len(distance) == maxNodes {
				out.More = true
				continue
			}
			distance[other] = n.Distance + 1
			queue = append(queue, other)
		}
	}
	told := map[edge]bool{}
	for _, n := range out.Nodes {
		for _, e := range edges[n.ID] {
			_, from := distance[e.From]
			if _, to := distance[e.To]; from && to && !told[e] {
				told[e] = true
				out.Edges = append(out.Edges, e)
			}
		}
	}
	return out
}

func (s *Server) neighbourhoodOf(r *http.Request) (*memory.Snapshot, *linksBody, error) {
	snap, err := s.live.Refresh(r.Context())
	if err != nil {
		return nil, nil, err
	}
	body := &linksBody{Focus: r.FormValue("id"), Depth: 1}
	if text := r.FormValue("depth"); text != "" {
		if body.Depth, err = strconv.Atoi(text); err != nil || body.Depth < 1 || body.Depth > maxDepth {
			return nil, nil, badRequest("depth: write 1 to %d", maxDepth)
		}
	}
	if body.Known = len(snap.Find(body.Focus)) > 0; !body.Known && body.Focus != "" {
		return nil, nil, notFound("no memory has the id %s", shown(body.Focus))
	}
	if body.Known {
		body.neighbourhood = around(snap, body.Focus, body.Depth)
	}
	return snap, body, nil
}

func (s *Server) linksPage(r *http.Request) (*reply, error) {
	snap, body, err := s.neighbourhoodOf(r)
	if err != nil {
		return nil, err
	}
	if !body.Known { // offer those that have links
		for _, ms := range [][]*memory.Memory{snap.Memories(), snap.Archived()} {
			for _, m := range ms {
				if len(body.Recent) < 30 && len(linksOf(snap, m)) > 0 {
					body.Recent = append(body.Recent, row{Memory: m, Line: summaryOf(m)})
				}
			}
		}
	}
	return &reply{page: &page{Template: "links", Title: "Links", At: snap.At, Body: body}}, nil
}

// trend is what there was on one day.
type trend struct {
	Day      string         `json:"day"`
	Live     int            `json:"live"`
	Archived int            `json:"archived"`
	Types    map[string]int `json:"types"` // live ones, by type
	Runs     int            `json:"runs"`
	Actions  map[string]int `json:"actions"` // by type
	Tokens   int            `json:"tokens_given"`
}

// maxDays bounds the span of the trends: ten years.
const maxDays = 3660

// spans are the choices of a span, in days.
var spans = []int{30, 90, 365, maxDays}

// trendsOf tells what there was on each of the last days. It is derived of what the files say: when a memory was
// created, and when it came into the archive; of what the log and the receipts say. Memories whose birth is unknown count from the first day on.
func (s *Server) trendsOf(snap *memory.Snapshot, days int) ([]trend, error) {
	log, err := s.Store.Log()
	if err != nil {
		return nil, err
	}
	receipts, err := app.Receipts(s.Store)
	if err != nil {
		return nil, err
	}
	end := snap.At.Truncate(24 * time.Hour)
	first := end.AddDate(0, 0, 1-days)
	all := make([]trend, days)
	for i := range all {
		all[i] = trend{Day: first.AddDate(0, 0, i).Format(time.DateOnly), Types: map[string]int{}, Actions: map[string]int{}}
	}
	index := func(t time.Time) int { return min(max(0, int(t.UTC().Sub(first)/(24*time.Hour))), days) }
	born, gone := make([]map[string]int, days+1), make([]map[string]int, days+1)
	note := func(at []map[string]int, i int, kind string) {
		if at[i] == nil {
			at[i] = map[string]int{}
		}
		at[i][kind]++
	}
	for _, m := range snap.Memories() {
		note(born, index(m.Born()), cmp.Or(m.Type, "none"))
	}
	for _, m := range snap.Archived() {
		since := m.Newest()
		if o, ok := snap.Origin(m); ok && !o.ArchivedAt.IsZero() {
			since = o.ArchivedAt
		}
		note(born, index(m.Born()), cmp.Or(m.Type, "none"))
		note(gone, max(index(since), index(m.Born())), cmp.Or(m.Type, "none"))
	}
	live, archived := map[string]int{}, 0
	for i := range all {
		for kind, n := range born[i] {
			live[kind] += n
		}
		for kind, n := range gone[i] {
			live[kind] -= n
			archived += n
		}
		all[i].Archived = archived
		for kind, n := range live {
			if n > 0 {
				all[i].Types[kind] = n
				all[i].Live += n
			}
		}
	}
	for _, e := range log.Entries {
		if i := int(e.Timestamp.UTC().Sub(first) / (24 * time.Hour)); !e.Timestamp.Before(first) && i < days {
			all[i].Runs++
			for _, a := range e.Actions {
				all[i].Actions[a.Type]++
			}
		}
	}
	for _, rec := range receipts {
		if i := int(rec.At.UTC().Sub(first) / (24 * time.Hour)); !rec.At.Before(first) && i < days {
			all[i].Tokens += rec.Tokens
		}
	}
	return all, nil
}

// trendsBody is what the template of the trends is given.
type trendsBody struct {
	Days   []trend // the latest first
	Span   int
	Spans  []int
	Queue  int
	Types  []string
	Totals map[string]int // actions by type
	Chart  chart
}

// daysListed is how many days the table beside the charts lists.
const daysListed = 60

func spanOf(r *http.Request) (int, error) {
	text := r.FormValue("days")
	if text == "" {
		return spans[1], nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxDays {
		return 0, badRequest("days: write 1 to %d", maxDays)
	}
	return n, nil
}

func (s *Server) trendsPage(r *http.Request) (*reply, error) {
	days, err := spanOf(r)
	if err != nil {
		return nil, err
	}
	snap, err := s.live.Refresh(r.Context())
	if err != nil {
		return nil, err
	}
	all, err := s.trendsOf(snap, days)
	if err != nil {
		return nil, err
	}
	body := trendsBody{Span: days, Spans: spans, Queue: len(snap.Open()), Totals: map[string]int{}, Chart: newChart(all)}
	types := map[string]bool{}
	for _, t := range all {
		for kind := range t.Types {
			types[kind] = true
		}
		for kind, n := range t.Actions {
			body.Totals[kind] += n
		}
	}
	body.Types = slices.Sorted(maps.Keys(types))
	for _, t := range slices.Backward(all) {
		if len(body.Days) < daysListed {
			body.Days = append(body.Days, t)
		}
	}
	return &reply{page: &page{Template: "trends", Title: "Trends", At: snap.At, Body: body}}, nil
}

func (s *Server) trendsCSV(r *http.Request) (*reply, error) {
	days, err := spanOf(r)
	if err != nil {
		return nil, err
	}
	snap, err := s.live.Refresh(r.Context())
	if err != nil {
		return nil, err
	}
	all, err := s.trendsOf(snap, days)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	out.WriteString("day,live,archived,runs,tokens_given\n")
	for _, t := range all {
		fmt.Fprintf(&out, "%s,%d,%d,%d,%d\n", t.Day, t.Live, t.Archived, t.Runs, t.Tokens)
	}
	return &reply{csv: out.String()}, nil
}

// receiptsBody is what the template of the receipts is given.
type receiptsBody struct {
	Receipts []briefing.Receipt // the latest first
	paging
	Session string
}

func (s *Server) receiptsPage(r *http.Request) (*reply, error) {
	receipts, err := app.Receipts(s.Store)
	if err != nil {
		return nil, err
	}
	body := receiptsBody{Session: r.URL.Query().Get("session")}
	var rows []briefing.Receipt
	for _, rec := range slices.Backward(receipts) {
		if body.Session == "" || rec.Session == body.Session {
			rows = append(rows, rec)
		}
	}
	var end int
	if body.paging, end, err = pageOf(r, len(rows)); err != nil {
		return nil, err
	}
	body.Receipts = rows[body.From:end]
	return &reply{page: &page{Template: "receipts", Title: "Receipts", At: s.Now(), Body: body}}, nil
}
