package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
)

// dayOf is the day on which a time lies in a zone, as midnight in UTC, where all days are equally long.
func dayOf(t time.Time, zone *time.Location) time.Time {
	year, month, day := t.In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// maxDays bounds the span of the trends: ten years.
const maxDays = 3660

// spans are the choices of a span, in days.
var spans = []int{30, 90, 365, maxDays}

// trendsOf tells what there was on each of the last days. It is derived of what the files say: when a memory was
// created, and when it came into the archive; of what the log and the receipts say. Memories whose birth is unknown count from the first day on.
func trendsOf(s *Server, snap *memory.Snapshot, days int) ([]trend, error) {
	log, err := s.Store.Log().Read()
	if err != nil {
		return nil, err
	}
	receipts, err := app.Receipts(s.Store)
	if err != nil {
		return nil, err
	}
	zone := s.days()
	first := dayOf(snap.At, zone).AddDate(0, 0, 1-days)
	since := func(t time.Time) int { return int(dayOf(t, zone).Sub(first) / (24 * time.Hour)) }
	all := make([]trend, days)
	for i := range all {
		all[i] = trend{Day: first.AddDate(0, 0, i).Format(time.DateOnly), Types: map[string]int{}, Actions: map[string]int{}, Rules: map[string]int{}}
	}
	index := func(t time.Time) int { return min(max(0, since(t)), days) }
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
		left := m.Newest()
		if o, ok := memory.OriginOf(m, snap.Indexes); ok && !o.ArchivedAt.IsZero() {
			left = o.ArchivedAt
		}
		note(born, index(m.Born()), cmp.Or(m.Type, "none"))
		note(gone, max(index(left), index(m.Born())), cmp.Or(m.Type, "none"))
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
		if i := since(e.Timestamp); i >= 0 && i < days {
			all[i].Runs++
			for _, a := range e.Actions {
				all[i].Actions[a.Type]++
				all[i].Rules[cmp.Or(a.Rule, "by hand")]++
			}
		}
	}
	longer := make([]int, days+1) // by how much the queue is longer than on the day before
	for _, w := range waits(snap, log) {
		longer[index(w.from)]++
		if !w.to.IsZero() {
			longer[index(w.to)]--
		}
	}
	queue := 0
	for i := range all {
		queue += longer[i]
		all[i].Queue = queue
	}
	for _, rec := range receipts {
		if i := since(rec.At); i >= 0 && i < days {
			all[i].Tokens += rec.Tokens
		}
	}
	return all, nil
}

// trendsBody is what the template of the trends is given.
type trendsBody struct {
	Days  []trend // the latest first
	Span  int
	Spans []int
	Queue int
	Types []string
	Chart chart
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

// requestedTrends are those of the days that a request names.
func requestedTrends(s *Server, r *http.Request) (days int, snap *memory.Snapshot, all []trend, err error) {
	if days, err = spanOf(r); err != nil {
		return 0, nil, nil, err
	}
	if snap, err = s.live.Refresh(r.Context()); err != nil {
		return 0, nil, nil, err
	}
	all, err = trendsOf(s, snap, days)
	return days, snap, all, err
}

func trendsPage(s *Server, r *http.Request) (*reply, error) {
	days, snap, all, err := requestedTrends(s, r)
	if err != nil {
		return nil, err
	}
	all = folded(all)
	body := trendsBody{Span: days, Spans: spans, Queue: len(snap.Open()), Types: typesOf(all), Chart: newChart(all)}
	for _, t := range slices.Backward(all) {
		if len(body.Days) < daysListed {
			body.Days = append(body.Days, t)
		}
	}
	return &reply{page: &page{Template: "trends", Title: "Trends", At: snap.At, Body: body}}, nil
}

func trendsCSV(s *Server, r *http.Request) (*reply, error) {
	_, _, all, err := requestedTrends(s, r)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	out.WriteString("day,live,archived,review,runs,tokens_given\n")
	for _, t := range all {
		fmt.Fprintf(&out, "%s,%d,%d,%d,%d,%d\n", t.Day, t.Live, t.Archived, t.Queue, t.Runs, t.Tokens)
	}
	return &reply{csv: out.String()}, nil
}
