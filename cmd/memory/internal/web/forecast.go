package web

import (
	"net/http"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/timestamp"
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
	zone := request.Settings.Triggers.Days()
	today, perDay := dayOf(snap.At, zone), map[string]int{}
	var rows []app.ForecastedMemory
	for _, m := range body.Memories {
		if m.At == nil {
			continue
		}
		day := max(dayOf(timestamp.Parse(*m.At), zone).Format(time.DateOnly), today.Format(time.DateOnly))
		perDay[day]++
		if body.Day == "" || body.Day == day {
			rows = append(rows, m)
		}
	}
	body.Months = calendar(today, perDay)
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
