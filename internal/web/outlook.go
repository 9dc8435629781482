package web

import (
	"context"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// For how long a page waits for a figure that is soon there; for one that it is about, where there is no older one to be shown.
const (
	figureWait = 50 * time.Millisecond
	firstWait  = time.Second
)

// outlookOf is what a run would do now. To plan for many memories takes seconds.
func outlookOf(s *Server, ctx context.Context, wait time.Duration) (worked[oplog.Stats], error) {
	return s.next.get(ctx, s, "plan", wait, func(ctx context.Context) (oplog.Stats, error) {
		snap, request, err := s.asked(ctx)
		if err != nil {
			return oplog.Stats{}, err
		}
		plan, err := app.MakePlan(s.Store, snap, request)
		if err != nil {
			return oplog.Stats{}, err
		}
		return plan.Stats(), nil
	})
}

// countsOf are those of "memory status": of memories by type, scope and tier.
func countsOf(s *Server, ctx context.Context) (*document.Status, error) {
	all, err := s.counted.get(ctx, s, "counts", 0, func(ctx context.Context) (*document.Status, error) {
		snap, err := s.live.Refresh(ctx)
		if err != nil {
			return nil, err
		}
		conf, err := s.conf()
		if err != nil {
			return nil, err
		}
		var log *oplog.Log
		var logErr error
		if s.may(readsAll) {
			if log, logErr = s.Store.Log().Read(); logErr != nil {
				log = nil
			}
		}
		doc := document.NewStatus(snap, conf.Settings, oplog.Stats{}, app.NewestRun(log))
		if logErr != nil {
			doc.Errors++
			doc.Unread = append(doc.Unread, document.UnreadFile{File: memory.LogFile, Message: logErr.Error()})
		}
		doc.Workspace, doc.Preset = s.name(), conf.Preset
		return doc, nil
	})
	if err != nil {
		return nil, err
	}
	doc := *all.value
	return &doc, nil
}

// foretold is when the rules will change each memory.
type foretold struct {
	snap   *memory.Snapshot
	zone   *time.Location      // in which its days are told
	all    []forecast.Forecast // the soonest first
	totals map[string]int      // by what is done
	perDay map[string]int      // memories that are changed on a day, such as 2026-03-01
}

// forecastYears is how far the forecast looks.
const forecastYears = 10

// forecastsOf takes longer than a plan.
func forecastsOf(s *Server, ctx context.Context, wait time.Duration) (worked[*foretold], error) {
	return s.foretold.get(ctx, s, "forecast", wait, func(ctx context.Context) (*foretold, error) {
		snap, request, err := s.asked(ctx)
		if err != nil {
			return nil, err
		}
		all, err := app.Forecast(s.Store.Cache(), snap, request, nil)
		if err != nil {
			return nil, err
		}
		doc := document.NewForecast(snap, all, snap.At, snap.At.AddDate(forecastYears, 0, 0), 1)
		out := &foretold{snap: snap, zone: request.Settings.Triggers.Days(), totals: doc.Totals, perDay: map[string]int{}}
		until := snap.At.AddDate(forecastYears, 0, 0)
		for _, f := range all {
			if f.Action != "" && !f.At.After(until) {
				out.all = append(out.all, f)
				out.perDay[out.dayOf(f)]++
			}
		}
		return out, nil
	})
}

// dayOf is the day of a change. One that is due is that of today.
func (x *foretold) dayOf(f forecast.Forecast) string {
	return max(dayOf(f.At, x.zone).Format(time.DateOnly), dayOf(x.snap.At, x.zone).Format(time.DateOnly))
}

// on are the forecasts of a day; "": all.
func (x *foretold) on(day string) (all []forecast.Forecast) {
	if day == "" {
		return x.all
	}
	for _, f := range x.all {
		if x.dayOf(f) == day {
			all = append(all, f)
		}
	}
	return all
}

// document tells some of the forecasts.
func (x *foretold) document(some []forecast.Forecast) document.Forecast {
	doc := document.NewForecast(x.snap, some, x.snap.At, time.Time{}, 0)
	doc.Totals = x.totals
	return doc
}
