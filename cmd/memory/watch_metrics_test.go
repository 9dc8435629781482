//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// scrape reads the metrics of a watcher: the sum of each family, of histograms the
// number of samples.
func scrape(url string) (map[string]float64, error) {
	answer, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil || answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s, %w: %s", answer.Status, err, text)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(text)))
	if err != nil {
		return nil, err
	}
	sums := map[string]float64{}
	for name, family := range families {
		for _, m := range family.Metric {
			sums[name] += m.Counter.GetValue() + m.Gauge.GetValue() + float64(m.Histogram.GetSampleCount())
			for _, l := range m.Label {
				sums[name+" "+l.GetValue()] += m.Counter.GetValue() + m.Gauge.GetValue() + float64(m.Histogram.GetSampleCount())
			}
		}
	}
	return sums, nil
}

// TestWatchMetrics: what the watcher does is in its metrics, read by the parser of
// the format; there are none unless asked for, and none for other machines.
func TestWatchMetrics(t *testing.T) {
	exe := program(t)
	dir := newWorkspace(t, exe)
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	if w := watching(t, exe, dir); strings.Contains(w.log.String(), "metrics") {
		t.Error("metrics are served that nobody asked for")
	} else {
		w.end(t, syscall.SIGTERM)
	}
	for _, args := range [][]string{{"--metrics", "0.0.0.0:0"}, {"--metrics", ":0"}, {"--metrics-public"}} {
		if _, stderr, code, err := call(exe, dir, []string{"MEMORY_WORKSPACE=" + dir}, append([]string{"watch"}, args...)...); err != nil || code != 2 {
			t.Errorf("%v: exit code %d, %v\n%s", args, code, err, stderr)
		}
	}
	w := watching(t, exe, dir, "--metrics", "127.0.0.1:0", "--debounce", "0s")
	found := regexp.MustCompile(`url=(http://127\.0\.0\.1:[0-9]+/metrics)`).FindStringSubmatch(w.log.String())
	if found == nil {
		t.Fatal("it doesn't say where the metrics are")
	}
	write(t, at("agents/A-1/m.json"), record("m", "A text."))
	write(t, at("agents/A-1/bad.json"), `{"id": `)
	write(t, at("sessions/s1/w.json"), workingRecord("w", "high", "The flaky test hides a race."))
	write(t, at("sessions/s1.json"), `{"session_id": "s1", "status": "ended"}`)
	eventually(t, "the metrics tell of it", func() error {
		sums, err := scrape(found[1])
		if err != nil {
			return err
		}
		for series, want := range map[string]float64{
			"memoryd_build_info": 1, "memoryd_memories semantic": 2, "memoryd_memories working": 0, "memoryd_memories global": 1,
			"memoryd_runs_total session_end": 1, "memoryd_runs_total done": 1, "memoryd_run_duration_seconds": 1,
			"memoryd_memories_changed_total promoted": 1, "memoryd_files_invalid": 1, "memoryd_errors_total": 0, "memoryd_files_pending": 0, "memoryd_runs_due": 0,
		} {
			if sums[series] != want {
				return fmt.Errorf("%s is %v, want %v", series, sums[series], want)
			}
		}
		for _, series := range []string{"memoryd_events_total", "memoryd_index_lag_seconds", "memoryd_comparison_duration_seconds", "memoryd_index_differences_total true", "memoryd_last_full_comparison_timestamp_seconds"} {
			if sums[series] < 1 {
				return fmt.Errorf("%s is %v", series, sums[series])
			}
		}
		return nil
	})
	w.end(t, syscall.SIGTERM)
	if _, err := scrape(found[1]); err == nil {
		t.Error("served by nobody")
	}
	write(t, at("agents/A-1/bad.json"), record("bad", "Mended."))
	for _, command := range []string{"reindex", "check"} {
		if stdout, stderr, code, err := call(exe, dir, []string{"MEMORY_WORKSPACE=" + dir}, command); err != nil || code != 0 {
			t.Errorf("%s: exit code %d, %v\n%s%s", command, code, err, stdout, stderr)
		}
	}
}
