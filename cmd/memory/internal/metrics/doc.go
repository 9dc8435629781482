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
// The format is version 0.0.4 of
// https://prometheus.io/docs/instrumenting/exposition_formats/. We write it
// ourselves: three kinds of families are all that is needed, and a library costs
// every start of the program, hooks among them, for what one process uses. Measured
// with Go 1.26, linux/amd64, stripped:
//
//	memory without metrics           11.3 MB
//	with net/http and this package   15.3 MB
//	with client_golang v1.25.0       17.8 MB, 0.8 ms more to start, 8 modules more
//	VictoriaMetrics/metrics v1.35.1  (the newest to be had) its histograms have vmrange, which
//	                                 histogram_quantile doesn't read, and no HELP
//
// The tests read what we write with Prometheus' own parser and its linter.
//
// Limits: counts begin anew with the process. No compression, no TLS and no
// passwords: put a proxy before it.
package metrics
