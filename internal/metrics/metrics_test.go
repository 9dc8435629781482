package metrics

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/oplog"
)

func get(t *testing.T, h http.Handler, method, host, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	r.Host = host
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// samples reads the text format: by series, without what the runtime tells.
func samples(t *testing.T, text string) map[string]float64 {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	all := map[string]float64{}
	for name, family := range families {
		if !strings.HasPrefix(name, "memoryd_") {
			continue
		}
		if family.GetHelp() == "" {
			t.Errorf("%s has no help", name)
		}
		for _, m := range family.Metric {
			var labels []string
			for _, l := range m.Label {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			slices.Sort(labels)
			series := strings.TrimPrefix(name, "memoryd_") + " " + strings.Join(labels, ",")
			switch {
			case m.Counter != nil:
				all[series] = m.Counter.GetValue()
			case m.Gauge != nil:
				all[series] = m.Gauge.GetValue()
			case m.Histogram != nil:
				all[series] = float64(m.Histogram.GetSampleCount())
				var below uint64
				for _, b := range m.Histogram.Bucket {
					if b.GetCumulativeCount() < below {
						t.Errorf("%s: a bucket holds less than the one before", series)
					}
					below = b.GetCumulativeCount()
				}
			}
		}
	}
	return all
}

func TestText(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	m := New("v1.2.3", "abc", at)
	m.Event(at)
	m.Event(at.Add(time.Second))
	m.Pending(3, 1)
	m.Compared(Comparison{Begun: at, Ended: at.Add(20 * time.Millisecond), First: at.Add(-200 * time.Millisecond), Differences: 2, Invalid: 1})
	m.Compared(Comparison{Begun: at, Ended: at.Add(time.Second), All: true, Differences: 5})
	m.Holds(Census{{"gone", "agent"}: 9})
	m.Holds(Count(map[[2]string]int{{"semantic", "global"}: 2, {"working", "agent"}: 1, {"x\"\n", "global"}: 1, {"y", "global"}: 1}))
	m.Ran("weekly", Done, at, at.Add(2*time.Second), oplog.Stats{MemoriesMerged: 1, MemoriesArchived: 7})
	m.Ran("weekly", Failed, at, at.Add(2*time.Second), oplog.Stats{MemoriesArchived: 1})
	m.Failed("comparison")
	text := get(t, m.Handler(false), "GET", "localhost:1", Path)
	if text.Code != http.StatusOK || !strings.HasPrefix(text.Header().Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("%d, %s", text.Code, text.Header())
	}
	if problems, err := promlint.New(strings.NewReader(text.Body.String())).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v, %v", problems, err)
	}
	got := samples(t, text.Body.String())
	for series := range got {
		if strings.HasPrefix(series, "build_info ") && strings.HasSuffix(series, "revision=abc,version=v1.2.3") || series == "memory_bytes " && got[series] > 1e6 {
			delete(got, series)
		}
	}
	want := map[string]float64{
		"events_total ": 2, "start_time_seconds ": 1_800_000_000, "last_event_timestamp_seconds ": 1_800_000_001, "files_pending ": 3, "runs_due ": 1,
		"comparison_duration_seconds ": 2, "index_lag_seconds ": 1, "files_invalid ": 0,
		"last_comparison_timestamp_seconds ": 1_800_000_001, "last_full_comparison_timestamp_seconds ": 1_800_000_001,
		"index_differences_total heard=true": 2, "index_differences_total heard=false": 5,
		"memories scope=global,type=semantic": 2, "memories scope=agent,type=working": 1, "memories scope=global,type=other": 2,
		"runs_total outcome=done,trigger=weekly": 1, "runs_total outcome=failed,trigger=weekly": 1, "run_duration_seconds trigger=weekly": 2,
		"last_run_timestamp_seconds trigger=weekly": 1_800_000_002,
		"memories_changed_total action=merged":      1, "memories_changed_total action=archived": 8, "memories_changed_total action=promoted": 0,
		"memories_changed_total action=summarized": 0, "memories_changed_total action=flagged": 0,
		"errors_total operation=comparison": 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.Contains(text.Body.String(), `memoryd_run_duration_seconds_bucket{trigger="weekly",le="2.5"} 2`) {
		t.Error("the buckets are not those of Prometheus")
	}
}

// TestAnyLabels: whatever the labels and values are, the parser reads what was meant.
func TestAnyLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &family{name: "x", help: "X.", kind: gauge, labels: []string{"a", "b"}, series: map[string]*series{}}
		want := map[[2]string]float64{}
		for range rapid.IntRange(1, 5).Draw(t, "n") {
			labels := [2]string{rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")}
			want[labels] = rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.Inf(1), math.Inf(-1), 0, 1e300})).Draw(t, "v")
			f.of(labels[0], labels[1]).value = want[labels]
		}
		h := &family{name: "y", help: "Y.", kind: histogram, bounds: []float64{.1, 1}, series: map[string]*series{}}
		samples := rapid.SliceOf(rapid.Float64Range(0, 2)).Draw(t, "samples")
		low := 0
		for _, v := range samples {
			h.observe(v)
			if v <= .1 {
				low++
			}
		}
		var b bytes.Buffer
		f.write(&b)
		h.write(&b)
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(&b)
		if err != nil {
			t.Fatal(err)
		}
		got := map[[2]string]float64{}
		for _, m := range families["x"].Metric {
			got[[2]string{m.Label[0].GetValue(), m.Label[1].GetValue()}] = m.Gauge.GetValue()
		}
		if !maps.Equal(got, want) {
			t.Fatalf("read %v, want %v", got, want)
		}
		if len(samples) > 0 {
			y := families["y"].Metric[0].Histogram
			if y.GetSampleCount() != uint64(len(samples)) || y.Bucket[0].GetCumulativeCount() != uint64(low) || y.Bucket[2].GetCumulativeCount() != uint64(len(samples)) {
				t.Fatalf("%v of %v", y, samples)
			}
		}
	})
}

// TestNobodyCounts: what isn't wanted costs nothing, and breaks nothing.
func TestNobodyCounts(t *testing.T) {
	var m *Metrics
	m.Event(time.Now())
	m.Pending(1, 1)
	m.Compared(Comparison{})
	m.Holds(Census{})
	m.Ran("weekly", Done, time.Now(), time.Now(), oplog.Stats{})
	m.Failed("run")
}

func TestFewSeries(t *testing.T) {
	all := map[[2]string]int{}
	for i := range 10_000 {
		all[[2]string{fmt.Sprint("type", i), "agent"}]++
	}
	if c := Count(all); len(c) != 1 || c[[2]string{"other", "agent"}] != 10_000 {
		t.Errorf("%d series", len(c))
	}
}

func TestHandler(t *testing.T) {
	m := New("", "", time.Now())
	for _, tt := range []struct {
		method, host, path string
		public             bool
		want               int
	}{
		{"GET", "127.0.0.1:9464", "/metrics", false, 200},
		{"GET", "localhost", "/metrics", false, 200},
		{"GET", "[::1]:9464", "/metrics", false, 200},
		{"GET", "[::1]", "/metrics", false, 200},
		{"HEAD", "127.0.0.1", "/metrics", false, 200},
		{"GET", "evil.example:9464", "/metrics", false, 403},
		{"GET", "localhost.evil.example", "/metrics", false, 403},
		{"GET", "", "/metrics", false, 403},
		{"GET", "host.example:9464", "/metrics", true, 200},
		{"POST", "127.0.0.1:9464", "/metrics", false, 405},
		{"GET", "127.0.0.1:9464", "/", false, 404},
		{"GET", "127.0.0.1:9464", "/debug/pprof/", false, 404},
	} {
		if got := get(t, m.Handler(tt.public), tt.method, tt.host, tt.path).Code; got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
}

func TestServe(t *testing.T) {
	m := New("", "", time.Now())
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "host.example:0"} {
		if s, err := m.Serve(address, false); !errors.Is(err, ErrPublic) {
			t.Errorf("%s: %v, %v", address, s, err)
		}
	}
	for _, address := range []string{"", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:x"} {
		if s, err := m.Serve(address, true); err == nil {
			t.Errorf("%s: served at %s", address, s.URL)
		}
	}
	s, err := m.Serve("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil || len(samples(t, string(text))) == 0 {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := m.Serve(strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), Path), false); err == nil {
		t.Error("an address is served twice")
	}
	// A request that never ends doesn't keep it from closing.
	slow, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), Path))
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	if _, err := io.WriteString(slow, "GET /metrics HTTP/1.1\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
