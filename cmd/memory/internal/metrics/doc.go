// Package metrics counts what the process that watches a workspace does, and serves
// it in Prometheus' text format.
//
// Guarantees:
//
//   - It serves to this machine only, unless whoever starts it says otherwise; to
//     requests that name another host, as those of a web page under a false name do,
//     it answers nothing.
//   - Nothing in it grows without bound: labels have few values, whatever the
//     memories say.
//   - Counting waits for nobody: neither for a request nor for the disk.
//   - A nil *Metrics counts nothing.
//
// The counting and the format are github.com/prometheus/client_golang, with a
// registry of our own. Compared (stripped, Go 1.26, beside net/http which adds 1.5 MB):
//
//	client_golang v1.25.0          +2.9 MB  histograms that histogram_quantile reads; HELP; the parser and
//	                                        the linter of the format that the tests use
//	VictoriaMetrics/metrics 1.35.1 (the newest to be had) its histograms have vmrange instead of le; no HELP
//	our own                        about 150 lines, and the parser of the first for its tests
//
// Limits: counts begin anew with the process. No TLS and no passwords: put a proxy
// before it.
package metrics
