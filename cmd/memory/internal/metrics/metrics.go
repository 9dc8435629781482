package metrics

import (
	"runtime"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Metrics are the counts of one process.
type Metrics struct {
	registry *prometheus.Registry

	runs, changed, errors, differences *prometheus.CounterVec
	events                             prometheus.Counter
	runTime                            *prometheus.HistogramVec
	comparisonTime, lag                prometheus.Histogram
	memories, lastRun                  *prometheus.GaugeVec
	pending, invalid, due              prometheus.Gauge
	lastEvent, lastCompared, lastFull  prometheus.Gauge
}

// Outcomes of a run.
const (
	Done    = "done"
	Failed  = "failed"   // to be tried again
	GivenUp = "given_up" // not tried again
)

// New begins to count. The version and the revision are those of the program.
func New(version, revision string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "memoryd", Name: name, Help: help}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "memoryd", Name: name, Help: help})
	}
	gauges := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "memoryd", Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets ...float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Namespace: "memoryd", Name: name, Help: help, Buckets: buckets}
	}
	m.runs = counter("runs_total", "Consolidations that began by themselves, by trigger and outcome.", "trigger", "outcome")
	m.changed = counter("memories_changed_total", "Memories that consolidations merged away, promoted, summarized, archived or flagged for review.", "action")
	m.errors = counter("errors_total", "What failed, by operation.", "operation")
	m.differences = counter("index_differences_total", "Differences between files and indexes that were found and mended; heard is false for those that no event had told of.", "heard")
	m.events = prometheus.NewCounter(prometheus.CounterOpts{Namespace: "memoryd", Name: "events_total", Help: "Changes of files that were seen."})
	m.runTime = prometheus.NewHistogramVec(histogram("run_duration_seconds", "How long consolidations took.", .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 900), []string{"trigger"})
	m.comparisonTime = prometheus.NewHistogram(histogram("comparison_duration_seconds", "How long comparisons of files and indexes took.", .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10))
	m.lag = prometheus.NewHistogram(histogram("index_lag_seconds", "Time from the first change seen until the indexes agreed with the files.", .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30))
	m.memories = gauges("memories", "Live memories, by type and kind of scope.", "type", "scope")
	m.lastRun = gauges("last_run_timestamp_seconds", "When a consolidation last ended, by trigger.", "trigger")
	m.pending = gauge("files_pending", "Files and directories that have changed and were not compared yet.")
	m.invalid = gauge("files_invalid", "Files that can't be read.")
	m.due = gauge("runs_due", "Consolidations that are due and have not begun.")
	m.lastEvent = gauge("last_event_timestamp_seconds", "When a change was last seen.")
	m.lastCompared = gauge("last_comparison_timestamp_seconds", "When files and indexes were last compared.")
	m.lastFull = gauge("last_full_comparison_timestamp_seconds", "When all files and indexes were last compared.")
	build := gauges("build_info", "The program; always 1.", "version", "revision", "goversion")
	build.WithLabelValues(version, revision, runtime.Version()).Set(1)
	m.registry.MustRegister(
		m.runs, m.changed, m.errors, m.differences, m.events, m.runTime, m.comparisonTime, m.lag, m.memories, m.lastRun,
		m.pending, m.invalid, m.due, m.lastEvent, m.lastCompared, m.lastFull, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// Event counts a change that was seen.
func (m *Metrics) Event(at time.Time) {
	if m != nil {
		m.events.Inc()
		m.lastEvent.Set(seconds(at))
	}
}

// Pending tells how much has changed and was not compared, and how many runs are due.
func (m *Metrics) Pending(files, runs int) {
	if m != nil {
		m.pending.Set(float64(files))
		m.due.Set(float64(runs))
	}
}

// Comparison is one of files and indexes.
type Comparison struct {
	Begun, Ended time.Time
	First        time.Time // the first change that led to it; zero: none did
	All          bool      // of all files
	Differences  int       // found and mended
	Invalid      int       // files that can't be read
}

// Compared counts a comparison.
func (m *Metrics) Compared(c Comparison) {
	if m == nil {
		return
	}
	m.comparisonTime.Observe(c.Ended.Sub(c.Begun).Seconds())
	m.lastCompared.Set(seconds(c.Ended))
	if c.All {
		m.lastFull.Set(seconds(c.Ended))
	}
	heard := "false"
	if !c.First.IsZero() {
		heard = "true"
		m.lag.Observe(c.Ended.Sub(c.First).Seconds())
	}
	m.differences.WithLabelValues(heard).Add(float64(c.Differences))
	m.invalid.Set(float64(c.Invalid))
}

// knownTypes are the types that have a name of their own in the counts.
var knownTypes = []string{workspace.Factual, workspace.Procedural, workspace.Episodic, workspace.Semantic, workspace.Working}

// Census counts memories by type and kind of scope. It is plain data, to be made
// anywhere.
type Census map[[2]string]int

// Count takes a census.
func Count(memories []*workspace.Memory) Census {
	c := Census{}
	for _, m := range memories {
		kind := m.Type
		if !slices.Contains(knownTypes, kind) {
			kind = "other"
		}
		c[[2]string{kind, m.Scope.Kind}]++
	}
	return c
}

// Holds tells what the workspace holds.
func (m *Metrics) Holds(c Census) {
	if m == nil {
		return
	}
	m.memories.Reset()
	for of, n := range c {
		m.memories.WithLabelValues(of[0], of[1]).Set(float64(n))
	}
}

// Ran counts a consolidation, with what it did before it ended in whatever way.
func (m *Metrics) Ran(trigger, outcome string, begun, ended time.Time, did oplog.Stats) {
	if m == nil {
		return
	}
	m.runs.WithLabelValues(trigger, outcome).Inc()
	m.runTime.WithLabelValues(trigger).Observe(ended.Sub(begun).Seconds())
	m.lastRun.WithLabelValues(trigger).Set(seconds(ended))
	for action, n := range map[string]int{
		"merged": did.MemoriesMerged, "promoted": did.MemoriesPromoted, "summarized": did.MemoriesSummarized, "archived": did.MemoriesArchived, "flagged": did.MemoriesFlagged,
	} {
		m.changed.WithLabelValues(action).Add(float64(n))
	}
}

// Failed counts what failed.
func (m *Metrics) Failed(operation string) {
	if m != nil {
		m.errors.WithLabelValues(operation).Inc()
	}
}

func seconds(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }
