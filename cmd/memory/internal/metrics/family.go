package metrics

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

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
