package web

import (
	"fmt"
	"strings"
	"testing"
)

// days makes so many days, with a memory more on each.
func days(n int) (all []trend) {
	for i := range n {
		all = append(all, trend{
			Day: fmt.Sprint("day ", i), Live: 2 * i, Archived: i / 2, Types: map[string]int{"factual": i, "semantic": i}, Runs: i % 2, Rules: map[string]int{"merge": i % 3},
		})
	}
	return all
}

// A chart has one band for each type, and counts all that happened, however many days there are.
func TestChart(t *testing.T) {
	for _, n := range []int{1, 2, 30, 365, maxDays} {
		c := newChart(days(n))
		if len(c.Bands) != 2 || c.Bands[0].N != n-1 {
			t.Errorf("%d days: bands %+v", n, c.Bands)
		}
		for _, s := range c.Strips {
			sum := 0
			for _, b := range s.Bars {
				sum += b.N
				if b.X < 0 || b.X+b.Width > chartWidth || b.Y < 0 || b.Y+b.Height > stripHeight {
					t.Errorf("%d days: a bar of %s at %+v", n, s.Name, b)
				}
			}
			if want := map[string]int{"runs": n / 2, "merge": sumOf(n)}[s.Name]; sum != want || s.Total != want {
				t.Errorf("%d days: %s has %d and says %d, want %d", n, s.Name, sum, s.Total, want)
			}
		}
		if points := len(strings.Fields(c.Archived)); points > plotWidth+1 || points < min(n, plotWidth/2) {
			t.Errorf("%d days: %d points", n, points)
		}
	}
}

func sumOf(n int) (sum int) {
	for i := range n {
		sum += i % 3
	}
	return sum
}

// More types than a chart has shades for are one band at the end.
func TestChartOfManyTypes(t *testing.T) {
	day := trend{Types: map[string]int{}}
	for i := range 10 {
		day.Types[fmt.Sprint("type", i)] = 10 - i
		day.Live += 10 - i
	}
	c := newChart([]trend{day, day})
	last := c.Bands[len(c.Bands)-1]
	if len(c.Bands) != bandsShown || last.Name != "all others" || last.N != 5+4+3+2+1 {
		t.Errorf("%+v", c.Bands)
	}
}
