package app

import (
	"cmp"
	"time"

	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// ForecastDocument is a forecast as --json prints it.
type ForecastDocument struct {
	At       string              `json:"at"`
	Memories []ForecastedMemory  `json:"memories"`
	Totals   map[string]int      `json:"totals"` // by action, over all memories asked about
	Listed   []forecast.Forecast `json:"-"`      // what Memories describes
}

// ForecastedMemory is what will become of a memory.
type ForecastedMemory struct {
	MemoryID string  `json:"memory_id"`
	Place    string  `json:"place"`
	Action   string  `json:"action"` // merge, promote, summarize, archive; never
	At       *string `json:"at"`
	Rule     string  `json:"rule,omitempty"`
	ResultID string  `json:"result_id,omitempty"`
	Reason   string  `json:"reason,omitempty"`
	Detail   string  `json:"detail,omitempty"`

	LastRead  *time.Time `json:"last_read,omitempty"`
	LastGiven *time.Time `json:"last_given,omitempty"`
}

// NewForecastDocument describes forecasts, which it sorts. It counts all, and lists
// those until a time, if that is not zero, and at most limit of them, if that is not 0.
func NewForecastDocument(snap *memory.Snapshot, all []forecast.Forecast, at, until time.Time, limit int) ForecastDocument {
	forecast.Sort(all)
	doc := ForecastDocument{At: timestamp.Format(at), Memories: []ForecastedMemory{}, Totals: map[string]int{}}
	for _, f := range all {
		if doc.Totals[cmp.Or(f.Action, "never")]++; until.IsZero() || f.Action != "" && !f.At.After(until) {
			doc.Listed = append(doc.Listed, f)
		}
	}
	if limit > 0 {
		doc.Listed = doc.Listed[:min(limit, len(doc.Listed))]
	}
	for _, f := range doc.Listed {
		doc.Memories = append(doc.Memories, forecastedMemory(snap, f))
	}
	return doc
}

func forecastedMemory(snap *memory.Snapshot, f forecast.Forecast) ForecastedMemory {
	out := ForecastedMemory{MemoryID: f.Memory.ID, Place: f.Memory.Ref.String(), Action: f.Action, Rule: f.Rule, ResultID: f.Result, Detail: f.Detail,
		LastRead: orNull(f.Memory.LastAccessed), LastGiven: orNull(snap.LastGiven(f.Memory).At)}
	if f.Action == "" {
		out.Action, out.Reason, out.Detail = "never", f.Never.Reason, f.Never.Detail
		return out
	}
	at := timestamp.Format(f.At)
	out.At = &at
	return out
}
