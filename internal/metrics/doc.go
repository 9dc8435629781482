// Package metrics counts what the watching process does, and serves the counts in the
// text format of Prometheus.
//
// Guarantees:
//
//   - It serves this machine only, unless told otherwise, and refuses requests whose Host
//     is another name (DNS rebinding).
//   - Memory use is bounded: labels have few values, whatever memories contain.
//   - Counting never waits for a request or for the disk.
//   - A nil *Metrics counts nothing.
//
// The format is version 0.0.4 of
// https://prometheus.io/docs/instrumenting/exposition_formats/. It is
// written here, since it needs three kinds of families, while a library slows every
// start of the program, hooks included, for one process that uses it. Measured
// with Go 1.26, linux/amd64, stripped:
//
//	memory without metrics           11.3 MB
//	with net/http and this package   15.3 MB
//	with client_golang v1.25.0       17.8 MB, 0.8 ms more to start, 8 modules more
//	VictoriaMetrics/metrics v1.35.1  (the newest to be had) its histograms have vmrange, which
//	                                 histogram_quantile doesn't read, and no HELP
//
// The tests read the output with Prometheus' own parser and linter.
//
// Limits: counts start at zero with the process. There is no compression, TLS or
// authentication: use a proxy.
package metrics
