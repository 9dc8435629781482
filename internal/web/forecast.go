package web

import (
	"net/http"
	"time"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// forecastBody is what the template of the forecast is given.
type forecastBody struct {
	document.Forecast
	WorkedAt time.Time // zero: not yet
	Working  bool      // it is being worked out anew
	Fates    []share
	Months   []month
	Day      string // only this day; "" for all
	Rows     []document.Forecasted
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

func forecastPage(s *Server, r *http.Request) (*reply, error) {
	wait := figureWait
	if s.foretold.known().at.IsZero() {
		wait = firstWait
	}
	all, err := forecastsOf(s, r.Context(), wait)
	if err != nil {
		return nil, err
	}
	body := forecastBody{WorkedAt: all.at, Working: !all.Fresh, Day: r.URL.Query().Get("day")}
	at := s.Now()
	if x := all.value; x != nil {
		rows := x.on(body.Day)
		var end int
		if body.paging, end, err = pageOf(r, len(rows)); err != nil {
			return nil, err
		}
		at = x.snap.At
		body.Forecast = x.document(rows[body.From:end])
		body.Rows = body.Memories
		body.Fates = fates(x.totals)
		body.Months = calendar(dayOf(at, x.zone), x.perDay)
	}
	return &reply{page: &page{Template: "forecast", Title: "Forecast", At: at, Body: body}}, nil
}

// fates says in words how many memories the rules will do what to.
func fates(totals map[string]int) (all []share) {
	for _, w := range []struct{ action, words string }{
		{oplog.Archive, "archived"}, {oplog.Merge, "merged"}, {oplog.Promote, "promoted"}, {oplog.Summarize, "summarised"}, {"never", "left as they are"},
	} {
		if n := totals[w.action]; n > 0 {
			all = append(all, share{Name: w.words, N: n})
		}
	}
	return all
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
