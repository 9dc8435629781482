package web

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
)

// trend is what there was on one day.
type trend = document.Day

// chart is memories over days, to be drawn as SVG: live ones by type, one band upon the other, and a line of archived ones.
type chart struct {
	Width, Height int
	Left, Right   int // between which days stand
	Bands         []band
	Archived      string // points, as the attribute "points" wants them
	Marks         []mark // at the left
	Days          []mark // below
	Strips        []strip
}

type mark struct {
	X, Y int
	Text string
}

// band is the memories of one type: an area upon those of the types before it.
type band struct {
	Name   string
	Shade  int    // 0 to 5, the darkest first
	Points string // of the polygon
	N      int    // on the last day
}

// strip is a row of bars, one a day: how often something happened, or how many there were.
type strip struct {
	Name  string
	Level bool // how many there were at the end of the day
	Total int  // of a level that of the last day
	Most  int  // in one bar
	Bars  []bar
}

// bar is what happened on a day, or on the days of a few pixels.
type bar struct {
	X, Y, Width, Height int
	Days                string // first and last day
	N                   int
}

// Sizes of a chart, in units of its view box.
const (
	chartWidth, chartHeight = 960, 280
	chartLeft, chartRight   = 70, 8 // at the left a million is written
	chartTop, chartBottom   = 12, 26
	stripHeight             = 44
	bandsShown              = 6
)

// plotWidth is the room for days.
const plotWidth = chartWidth - chartLeft - chartRight

func newChart(all []trend) chart {
	c := chart{Width: chartWidth, Height: chartHeight, Left: chartLeft, Right: chartWidth - chartRight}
	top := 1
	for _, t := range all {
		top = max(top, t.Live, t.Archived)
	}
	step := niceStep(top)
	top = (top + step - 1) / step * step
	y := func(n int) int { return chartTop + (top-n)*(chartHeight-chartTop-chartBottom)/top }
	x := func(i int) int { return chartLeft + i*plotWidth/max(1, len(all)-1) }
	drawn := onePerPixel(len(all), x)
	below := make([]int, len(all))
	for i, name := range typesOf(all) {
		above := make([]int, len(all))
		for d, t := range all {
			above[d] = below[d] + t.Types[name]
			if i == bandsShown-1 {
				above[d] = t.Live // all others
			}
		}
		b := band{Name: name, Shade: i, N: above[len(all)-1] - below[len(all)-1], Points: area(drawn, x, y, above, below)}
		if i == bandsShown-1 {
			b.Name = "all others"
			c.Bands = append(c.Bands, b)
			break
		}
		c.Bands, below = append(c.Bands, b), above
	}
	var archived strings.Builder
	for _, d := range drawn {
		fmt.Fprintf(&archived, "%d,%d ", x(d), y(all[d].Archived))
	}
	c.Archived = archived.String()
	for n := 0; n <= top; n += step {
		c.Marks = append(c.Marks, mark{chartLeft - 10, y(n), app.Thousands(n)})
	}
	for i := 0; i < len(all); i += max(1, (len(all)+5)/6) {
		c.Days = append(c.Days, mark{x(i), chartHeight - 6, all[i].Day})
	}
	c.Strips = strips(all)
	return c
}

// onePerPixel are the days that are drawn: the last one at each place.
func onePerPixel(days int, x func(int) int) (drawn []int) {
	for i := range days {
		if i == days-1 || x(i) != x(i+1) {
			drawn = append(drawn, i)
		}
	}
	return drawn
}

// area is the polygon between two lines.
func area(drawn []int, x, y func(int) int, above, below []int) string {
	var b strings.Builder
	for _, d := range drawn {
		fmt.Fprintf(&b, "%d,%d ", x(d), y(above[d]))
	}
	for _, d := range slices.Backward(drawn) {
		fmt.Fprintf(&b, "%d,%d ", x(d), y(below[d]))
	}
	return b.String()
}

// typesOf are the types that there were, those with most memories on the last day first.
func typesOf(all []trend) []string {
	most := map[string]int{}
	for _, t := range all {
		for name := range t.Types {
			most[name] = all[len(all)-1].Types[name]
		}
	}
	return slices.SortedFunc(maps.Keys(most), func(a, b string) int { return cmp.Or(most[b]-most[a], cmp.Compare(a, b)) })
}

// folded are the trends with names that fit a chart: types beyond the commonest count as one.
func folded(all []trend) []trend {
	const most = 8 // a table has a column for each
	name, changed := map[string]string{}, false
	for i, kind := range typesOf(all) {
		name[kind] = named(kind)
		if i >= most {
			name[kind] = "all others"
		}
		changed = changed || name[kind] != kind
	}
	if !changed {
		return all
	}
	all = slices.Clone(all)
	for i := range all {
		types := map[string]int{}
		for kind, n := range all[i].Types {
			types[name[kind]] += n
		}
		all[i].Types = types
	}
	return all
}

// strips are the queue, the runs, the actions of each rule and the tokens given, each as a row of bars over the same days.
func strips(all []trend) (rows []strip) {
	rules := map[string]int{}
	for _, t := range all {
		for rule, n := range t.Rules {
			rules[rule] += n
		}
	}
	add := func(name string, level bool, count func(trend) int) {
		if s := newStrip(name, level, all, count); len(s.Bars) > 0 {
			rows = append(rows, s)
		}
	}
	add("pairs that wait for you", true, func(t trend) int { return t.Queue })
	add("runs", false, func(t trend) int { return t.Runs })
	for _, rule := range slices.SortedFunc(maps.Keys(rules), func(a, b string) int { return cmp.Or(rules[b]-rules[a], cmp.Compare(a, b)) }) {
		add(rule, false, func(t trend) int { return t.Rules[rule] })
	}
	add("tokens given", false, func(t trend) int { return t.Tokens })
	return rows
}

// leastBar is how wide a bar is at least: where days are narrower, one bar stands for several.
const leastBar = 3

func newStrip(name string, level bool, all []trend, count func(trend) int) strip {
	s := strip{Name: name, Level: level}
	perBar := max(1, (leastBar*len(all)+plotWidth-1)/plotWidth)
	width := max(leastBar-1, min(24, plotWidth*perBar/len(all)-1))
	for from := 0; from < len(all); from += perBar {
		to := min(len(all), from+perBar)
		b := bar{X: chartLeft + from*(plotWidth-width)/max(1, len(all)-1), Width: width, Days: all[from].Day}
		if to-1 > from {
			b.Days += " to " + all[to-1].Day
		}
		for _, t := range all[from:to] {
			if level {
				b.N, s.Total = max(b.N, count(t)), count(t)
				continue
			}
			b.N += count(t)
			s.Total += count(t)
		}
		if b.N > 0 {
			s.Bars = append(s.Bars, b)
			s.Most = max(s.Most, b.N)
		}
	}
	for i := range s.Bars {
		b := &s.Bars[i]
		b.Height = max(2, b.N*(stripHeight-6)/s.Most)
		b.Y = stripHeight - b.Height
	}
	return s
}

// niceStep is the distance of about four marks up to a number: 1, 2 or 5 times a power of ten.
func niceStep(top int) int {
	for power := 1; ; power *= 10 {
		for _, m := range []int{1, 2, 5} {
			if top <= 5*m*power {
				return m * power
			}
		}
	}
}
