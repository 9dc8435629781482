package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sample is what the rounds of one row gave.
type sample struct {
	took   []time.Duration
	floors []time.Duration
	peaks  []int64 // bytes
	silent int     // rounds that printed nothing though they should
	leaves leaves
}

// leaves is what all rounds together have left on the disk.
type leaves struct {
	files  int
	bytes  int64
	rounds int
}

// String says it of one round; "" where it isn't known.
func (l leaves) String() string {
	if l.rounds == 0 {
		return ""
	}
	return fmt.Sprintf("leaves %.1f KB in %s files, the note and its line of the index with it",
		float64(l.bytes)/1000/float64(l.rounds), short(float64(l.files)/float64(l.rounds)))
}

// median is the middle of the values, or the mean of the two in the middle; 0 of none.
func median(values []time.Duration) time.Duration {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// p99 is the least of the values that 99 of a hundred don't exceed (nearest rank); 0 of none.
func p99(values []time.Duration) time.Duration {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	return s[int(math.Ceil(0.99*float64(len(s))))-1]
}

// peakMB is the highest peak in megabytes; 0 where it is unknown.
func (s sample) peakMB() float64 {
	if len(s.peaks) == 0 {
		return 0
	}
	return float64(slices.Max(s.peaks)) / 1e6
}

// figure is the figure of a sample that a row's budget is about.
func (r row) figure(s sample) float64 {
	switch r.judged {
	case byP99:
		return milliseconds(p99(s.took))
	case byPeak:
		return s.peakMB()
	}
	return milliseconds(median(s.took))
}

// budgetFor is the budget of a row for n memories; 0: none is given.
func (r row) budgetFor(n int) float64 {
	for i, anchor := range anchors {
		if n <= anchor {
			return r.budget[i]
		}
	}
	return 0
}

// verdict compares a figure with a budget.
func verdict(figure, budget float64) string {
	switch {
	case budget == 0 || figure == 0:
		return ""
	case figure <= budget:
		return "ok"
	}
	return fmt.Sprintf("**%.0f %% over**", 100*(figure/budget-1))
}

// printTable prints the rows of one size. Rows that were not measured are left out.
func printTable(w io.Writer, n int, samples map[rowName]sample) {
	fmt.Fprintln(w, "| what | budget | median | p99 | × floor | peak | |")
	fmt.Fprintln(w, "|---|--:|--:|--:|--:|--:|---|")
	for _, r := range rows {
		s, ok := samples[r.name]
		if !ok {
			continue
		}
		budget, unit := r.budgetFor(n), [...]string{" ms", " ms p99", " MB"}[r.judged]
		cells := []string{string(r.name), "", "", "", "", "", verdict(r.figure(s), budget)}
		if budget > 0 {
			cells[1] = strconv.FormatFloat(budget, 'f', -1, 64) + unit
		}
		if len(s.took) > 0 {
			cells[2], cells[3] = short(milliseconds(median(s.took))), short(milliseconds(p99(s.took)))
		}
		if f := median(s.floors); f > 0 {
			cells[4] = fmt.Sprintf("%s %s", short(float64(median(s.took))/float64(f)), r.floor)
		}
		if mb := s.peakMB(); mb > 0 {
			cells[5] = fmt.Sprintf("%.0f MB", mb)
		}
		if s.silent > 0 {
			cells[6] = fmt.Sprintf("**%d of %d gave nothing**", s.silent, len(s.took))
		}
		cells[6] = strings.Trim(cells[6]+"; "+s.leaves.String(), "; ")
		fmt.Fprintln(w, "| "+strings.Join(cells, " | ")+" |")
	}
}

// printGrowth prints how many times each figure grows from one size to the next.
func printGrowth(w io.Writer, ns []int, samples []map[rowName]sample) {
	if len(ns) < 2 {
		return
	}
	fmt.Fprint(w, "\n| growth |")
	for i := 1; i < len(ns); i++ {
		fmt.Fprintf(w, " %s → %s |", thousands(ns[i-1]), thousands(ns[i]))
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("--:|", len(ns)-1))
	for _, r := range rows {
		fmt.Fprintf(w, "| %s |", r.name)
		for i := 1; i < len(ns); i++ {
			before, after := r.figure(samples[i-1][r.name]), r.figure(samples[i][r.name])
			if before > 0 && after > 0 {
				fmt.Fprintf(w, " %s ×", short(after/before))
			}
			fmt.Fprint(w, " |")
		}
		fmt.Fprintln(w)
	}
}

// machine says what the times were measured on.
func machine() string {
	return fmt.Sprintf("%s/%s, %s%d cores, %s", runtime.GOOS, runtime.GOARCH, processor(), runtime.NumCPU(), runtime.Version())
}

// milliseconds of a duration.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// short writes a figure with as many digits as its size makes readable.
func short(x float64) string {
	switch {
	case x < 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case x < 1000:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return thousands(int(math.Round(x)))
}

// thousands writes a number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// processor names the processor, with a comma behind it, where Linux tells.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if key, name, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(name) + ", "
		}
	}
	return ""
}
