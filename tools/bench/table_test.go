package main

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestQuantiles(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100 - i)
	}
	for _, c := range []struct {
		values      []time.Duration
		median, p99 time.Duration
	}{
		{nil, 0, 0},
		{[]time.Duration{7}, 7, 7},
		{[]time.Duration{9, 1, 5}, 5, 9},
		{[]time.Duration{4, 8}, 6, 8},
		{hundred, 50, 99},
		{append(slices.Clone(hundred), 1000), 51, 100},
	} {
		if m, p := median(c.values), p99(c.values); m != c.median || p != c.p99 {
			t.Errorf("%v: median %d, p99 %d, want %d, %d", c.values, m, p, c.median, c.p99)
		}
	}
}

func TestBudgets(t *testing.T) {
	r := row{budget: [...]float64{40, 100, 600}}
	for n, want := range map[int]float64{1: 40, 1000: 40, 1001: 100, 10_000: 100, 100_000: 600, 100_001: 0} {
		if got := r.budgetFor(n); got != want {
			t.Errorf("%d memories: budget %v, want %v", n, got, want)
		}
	}
	for _, c := range []struct {
		figure, budget float64
		want           string
	}{{40, 40, "ok"}, {50, 40, "**25 % over**"}, {50, 0, ""}, {0, 40, ""}} {
		if got := verdict(c.figure, c.budget); got != c.want {
			t.Errorf("%v of %v: %q, want %q", c.figure, c.budget, got, c.want)
		}
	}
	for _, r := range rows {
		if !slices.IsSorted(r.budget[:]) || r.budget[0] <= 0 {
			t.Errorf("%s: budgets %v", r.name, r.budget)
		}
	}
}

func TestTables(t *testing.T) {
	const ms = time.Millisecond
	small := map[rowName]sample{
		rowPlan:     {took: []time.Duration{30 * ms, 20 * ms, 25 * ms}, floors: []time.Duration{10 * ms, 10 * ms, 10 * ms}, peaks: []int64{20e6, 26e6, 22e6}},
		rowSearch:   {took: []time.Duration{1 * ms, 9 * ms}},
		rowPrompt:   {took: []time.Duration{10 * ms, 10 * ms}, silent: 1},
		rowPlanPeak: {peaks: []int64{39e6, 41e6}},
	}
	var out strings.Builder
	printTable(&out, 1000, small)
	want := []string{
		"| `plan`, nothing changed | 40 ms | 25 | 30 | 2.5 stat | 26 MB | ok |",
		"| hook at a prompt | 40 ms | 10 | 10 |  |  | **1 of 2 gave nothing** |",
		"| MCP search, in a running server | 5 ms p99 | 5.0 | 9.0 |  |  | **80 % over** |",
		"| peak memory, plan | 40 MB |  |  |  | 41 MB | **2 % over** |",
	}
	if got := strings.Split(strings.TrimSpace(out.String()), "\n")[2:]; !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	out.Reset()
	printGrowth(&out, []int{1000, 10_000}, []map[rowName]sample{small, {rowPlan: {took: []time.Duration{100 * ms}}}})
	for _, line := range []string{"| growth | 1,000 → 10,000 |", "| `plan`, nothing changed | 4.0 × |", "| `check` | |"} {
		if !strings.Contains(out.String(), line+"\n") {
			t.Errorf("no line %q in\n%s", line, out.String())
		}
	}
}

func TestShort(t *testing.T) {
	for x, want := range map[float64]string{0.04: "0.0", 3.14: "3.1", 31.4: "31", 999: "999", 1234.5: "1,235", 1234567: "1,234,567"} {
		if got := short(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	o, err := parse([]string{"-n", "10,200", "-rounds", "3"}, io.Discard)
	if err != nil || !slices.Equal(o.sizes, []int{10, 200}) || o.rounds != 3 {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := parse([]string{"-scopes", "one", "-rows", "save"}, io.Discard); err != nil || !slices.Equal(o.layouts, []layout{oneScope}) || !o.only.MatchString(string(rowSave)) || o.only.MatchString(string(rowPlan)) {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range []string{"-n 0", "-n 1,", "-n many", "-rounds -1", "-per-file 0", "-make d -scopes one", "-scopes two", "-rows (", "x", "-unknown"} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%s: no error", args)
		}
	}
}

// The floors visit each file of the workspace once, and nothing below ops.
func TestFloors(t *testing.T) {
	dir := t.TempDir()
	w := &folder{dir: dir}
	for _, name := range []string{"global/a.json", "agents/x/b.json", "ops/c.json"} {
		if err := w.write(name, record{ID: "m"}); err != nil {
			t.Fatal(err)
		}
	}
	seen := make(chan string, 9)
	if err := eachFile(dir, func(name string) error { seen <- name; return nil }); err != nil || len(seen) != 2 {
		t.Errorf("%d files, %v", len(seen), err)
	}
	for _, f := range []floor{statFloor, readFloor} {
		if took, err := f.measure(dir); err != nil || took <= 0 {
			t.Errorf("%s: %v, %v", f, took, err)
		}
	}
	if _, err := readFloor.measure(dir + "/absent"); err == nil {
		t.Error("absent: no error")
	}
	if n := lookOnce(`{"a": 1, "b": {"c": 2}}`); n != 2 {
		t.Errorf("%d values", n)
	}
}
