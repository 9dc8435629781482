package metrics

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"net/http"
	"runtime"
	runtimemetrics "runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// Metrics are the counts of one process. Its methods may be called at any time.
type Metrics struct {
	mu       sync.Mutex
	families []*family

	runs, changed, failures, differences, events *family
	runTime, comparisonTime, lag                 *family
	requests                                     *family
	memories, lastRun, pending, invalid, due     *family
	lastEvent, lastCompared, lastFull, memory    *family
}

// Outcomes of a run.
const (
	Done    = "done"
	Failed  = "failed"   // to be tried again
	GivenUp = "given_up" // not tried again
)

// New begins to count. The version and the revision are those of the program.
func New(version, revision string, now time.Time) *Metrics {
	m := &Metrics{}
	add := func(kind, name, help string, labels ...string) *family {
		f := &family{name: "memoryd_" + name, help: help, kind: kind, labels: labels, series: map[string]*series{}}
		m.families = append(m.families, f)
		return f
	}
	timed := func(name, help string, bounds []float64, labels ...string) *family {
		f := add(histogram, name, help, labels...)
		f.bounds = bounds
		return f
	}
	short := []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	add(gauge, "build_info", "The program; always 1.", "version", "revision", "goversion").of(version, revision, runtime.Version()).value = 1
	add(gauge, "start_time_seconds", "When the process began to watch.").of().value = seconds(now)
	m.memory = add(gauge, "memory_bytes", "Memory that the process holds, as its runtime counts it.")
	m.events = add(counter, "events_total", "Changes of files that were seen.")
	m.pending = add(gauge, "files_pending", "Files and directories that have changed and were not compared yet.")
	m.invalid = add(gauge, "files_invalid", "Files that can't be read.")
	m.differences = add(counter, "index_differences_total", "Differences between files and indexes that were found and mended; heard is false for those that no event had told of.", "heard")
	m.comparisonTime = timed("comparison_duration_seconds", "How long comparisons of files and indexes took.", short)
	m.lag = timed("index_lag_seconds", "Time from the first change seen until the indexes agreed with the files.", append(short, 30))
	m.lastEvent = add(gauge, "last_event_timestamp_seconds", "When a change was last seen.")
	m.lastCompared = add(gauge, "last_comparison_timestamp_seconds", "When files and indexes were last compared.")
	m.lastFull = add(gauge, "last_full_comparison_timestamp_seconds", "When all files and indexes were last compared.")
	m.memories = add(gauge, "memories", "Live memories, by type and kind of scope.", "type", "scope")
	m.due = add(gauge, "runs_due", "Consolidations that are due and have not begun.")
	m.runs = add(counter, "runs_total", "Consolidations that began by themselves, by trigger and outcome.", "trigger", "outcome")
	m.runTime = timed("run_duration_seconds", "How long consolidations took.", []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 900}, "trigger")
	m.lastRun = add(gauge, "last_run_timestamp_seconds", "When a consolidation last ended, by trigger.", "trigger")
	m.changed = add(counter, "memories_changed_total", "Memories that consolidations merged away, promoted, summarized, archived or flagged for review.", "action")
	m.requests = add(counter, "requests_total", "Requests that a hub has answered, by tool and outcome.", "tool", "outcome")
	m.failures = add(counter, "errors_total", "What failed, by operation.", "operation")
	// What can be counted from the start is there from the start.
	m.events.of()
	for _, heard := range []string{"true", "false"} {
		m.differences.of(heard)
	}
	m.count(oplog.Stats{})
	return m
}

// lock is for counting; it reports whether anybody counts.
func (m *Metrics) lock() bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	return true
}

// Event counts a change that was seen.
func (m *Metrics) Event(at time.Time) {
	if m.lock() {
		defer m.mu.Unlock()
		m.events.of().value++
		m.lastEvent.of().value = seconds(at)
	}
}

// Pending sets how many files have changed and were not compared yet, and how many runs are due.
func (m *Metrics) Pending(files, runs int) {
	if m.lock() {
		defer m.mu.Unlock()
		m.pending.of().value, m.due.of().value = float64(files), float64(runs)
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
	if !m.lock() {
		return
	}
	defer m.mu.Unlock()
	m.comparisonTime.observe(c.Ended.Sub(c.Begun).Seconds())
	m.lastCompared.of().value = seconds(c.Ended)
	if c.All {
		m.lastFull.of().value = seconds(c.Ended)
	}
	heard := "false"
	if !c.First.IsZero() {
		heard = "true"
		m.lag.observe(c.Ended.Sub(c.First).Seconds())
	}
	m.differences.of(heard).value += float64(c.Differences)
	m.invalid.of().value = float64(c.Invalid)
}

// knownTypes are the types that have a name of their own in the counts.
var knownTypes = []string{memory.Factual, memory.Procedural, memory.Episodic, memory.Semantic, memory.Working}

// Census counts memories by type and kind of scope. It is plain data, to be made
// anywhere.
type Census map[[2]string]int

// Count counts memories by type and kind of scope. A file may hold any text as a type.
func Count(memories map[[2]string]int) Census {
	c := Census{}
	for of, n := range memories {
		if !slices.Contains(knownTypes, of[0]) {
			of[0] = "other"
		}
		c[of] += n
	}
	return c
}

// Holds sets what the workspace holds.
func (m *Metrics) Holds(c Census) {
	if m.lock() {
		defer m.mu.Unlock()
		clear(m.memories.series)
		for of, n := range c {
			m.memories.of(of[0], of[1]).value = float64(n)
		}
	}
}

// Ran counts a consolidation, with what it did before it ended in whatever way.
func (m *Metrics) Ran(trigger, outcome string, begun, ended time.Time, did oplog.Stats) {
	if m.lock() {
		defer m.mu.Unlock()
		m.runs.of(trigger, outcome).value++
		m.runTime.observe(ended.Sub(begun).Seconds(), trigger)
		m.lastRun.of(trigger).value = seconds(ended)
		m.count(did)
	}
}

func (m *Metrics) count(did oplog.Stats) {
	for action, n := range map[string]int{
		"merged": did.MemoriesMerged, "promoted": did.MemoriesPromoted, "summarized": did.MemoriesSummarized, "archived": did.MemoriesArchived, "flagged": did.MemoriesFlagged,
	} {
		m.changed.of(action).value += float64(n)
	}
}

// Asked counts a request to a hub.
func (m *Metrics) Asked(tool, outcome string) {
	if m.lock() {
		defer m.mu.Unlock()
		m.requests.of(tool, outcome).value++
	}
}

// Failed counts what failed.
func (m *Metrics) Failed(operation string) {
	if m.lock() {
		defer m.mu.Unlock()
		m.failures.of(operation).value++
	}
}

// text is everything in Prometheus' text format.
func (m *Metrics) text() []byte {
	held := []runtimemetrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	runtimemetrics.Read(held)
	m.mu.Lock()
	defer m.mu.Unlock()
	if held[0].Value.Kind() == runtimemetrics.KindUint64 && held[1].Value.Kind() == runtimemetrics.KindUint64 {
		m.memory.of().value = float64(held[0].Value.Uint64() - held[1].Value.Uint64())
	}
	var b bytes.Buffer
	for _, f := range m.families {
		f.write(&b)
	}
	return b.Bytes()
}

func seconds(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }

// Kinds of families.
const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
)

// family is a name with what is counted under it, by the values of its labels. The
// lock is that of [Metrics].
type family struct {
	name, help, kind string
	labels           []string
	bounds           []float64 // of a histogram's buckets, ascending, without infinity
	series           map[string]*series
}

// series is the value of one combination of labels.
type series struct {
	value  float64 // of a histogram the sum
	counts []uint64
	count  uint64
}

// of returns the series of some values of the labels.
func (f *family) of(values ...string) *series {
	var key strings.Builder
	for i, name := range f.labels {
		if i > 0 {
			key.WriteByte(',')
		}
		fmt.Fprintf(&key, `%s="%s"`, name, escape.Replace(strings.ToValidUTF8(values[i], "\ufffd")))
	}
	s := f.series[key.String()]
	if s == nil {
		s = &series{counts: make([]uint64, len(f.bounds))}
		f.series[key.String()] = s
	}
	return s
}

// observe adds a sample to a histogram.
func (f *family) observe(v float64, values ...string) {
	s := f.of(values...)
	s.value += v
	s.count++
	for i, bound := range f.bounds {
		if v <= bound {
			s.counts[i]++
		}
	}
}

// escape is for the values of labels; for HELP it would not be wrong.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// write writes the family in the text format, its series in the order of their
// labels. One without series is left out.
func (f *family) write(b *bytes.Buffer) {
	if len(f.series) == 0 {
		return
	}
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
	for _, labels := range slices.Sorted(maps.Keys(f.series)) {
		s := f.series[labels]
		if f.kind != histogram {
			line(b, f.name, labels, s.value)
			continue
		}
		before := labels
		if before != "" {
			before += ","
		}
		for i, bound := range f.bounds {
			line(b, f.name+"_bucket", before+`le="`+number(bound)+`"`, float64(s.counts[i]))
		}
		line(b, f.name+"_bucket", before+`le="+Inf"`, float64(s.count))
		line(b, f.name+"_sum", labels, s.value)
		line(b, f.name+"_count", labels, float64(s.count))
	}
}

func line(b *bytes.Buffer, name, labels string, value float64) {
	b.WriteString(name)
	if labels != "" {
		b.WriteString("{" + labels + "}")
	}
	b.WriteString(" " + number(value) + "\n")
}

func number(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// ErrPublic is an address that other machines can reach.
var ErrPublic = errors.New("other machines can reach that address")

// Path is where the metrics are.
const Path = "/metrics"

// Server serves metrics until it is closed.
type Server struct {
	URL    string
	server *http.Server
	ended  chan error
}

// Serve listens at an address, such as 127.0.0.1:9464; port 0 is any free one. One
// that other machines can reach is an ErrPublic, unless public is set.
func (m *Metrics) Serve(address string, public bool) (*Server, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("serve metrics at %s: %w", address, err)
	}
	if !public && !config.IsLoopback(host) {
		return nil, fmt.Errorf("serve metrics at %s: %w", address, ErrPublic)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve metrics at %s: %w", address, err)
	}
	at := listener.Addr().String()
	if real, _, err := net.SplitHostPort(at); err == nil && !public && !config.IsLoopback(real) { // what localhost stands for here
		return nil, errors.Join(fmt.Errorf("serve metrics at %s: %w", at, ErrPublic), listener.Close())
	}
	s := &Server{
		URL:   "http://" + at + Path,
		ended: make(chan error, 1),
		server: &http.Server{
			Handler: m.Handler(public), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second,
			WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		},
	}
	go func() { s.ended <- s.server.Serve(listener) }()
	return s, nil
}

// Handler answers at one path. On this machine only, a request must name it as
// such: a page of the web that has its own name point here may read nothing.
func (m *Metrics) Handler(public bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = strings.Trim(r.Host, "[]")
		}
		if !public && !config.IsLoopback(host) {
			http.Error(w, "ask for 127.0.0.1", http.StatusForbidden)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(m.text()) // who asks may have gone
	})
	return mux
}

// Close ends it at once.
func (s *Server) Close() error {
	err := s.server.Close()
	if served := <-s.ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
