package web

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// chart is two lines over days, to be drawn as SVG: live memories, and archived ones.
type chart struct {
	Width, Height  int
	Live, Archived string // points, as the attribute "points" wants them
	Area           string // below the line of live memories
	Marks          []mark // at the left
	Days           []mark // below
	Bars           []bar  // actions a day
	Most           int    // actions on one day
}

type mark struct {
	X, Y int
	Text string
}

// bar is the actions of one day.
type bar struct{ X, Y, Width, Height int }

// Sizes of a chart, in units of its view box.
const (
	chartWidth, chartHeight = 960, 260
	chartLeft, chartTop     = 48, 12
	chartBottom             = 24
)

func newChart(all []trend) chart {
	c := chart{Width: chartWidth, Height: chartHeight}
	top := 1
	for _, t := range all {
		top = max(top, t.Live, t.Archived)
		n := 0
		for _, a := range t.Actions {
			n += a
		}
		c.Most = max(c.Most, n)
	}
	step := niceStep(top)
	top = (top + step - 1) / step * step
	x := func(i int) int { return chartLeft + i*(chartWidth-chartLeft-8)/max(1, len(all)-1) }
	y := func(n int) int { return chartTop + (top-n)*(chartHeight-chartTop-chartBottom)/top }
	var live, archived strings.Builder
	for i, t := range all {
		fmt.Fprintf(&live, "%d,%d ", x(i), y(t.Live))
		fmt.Fprintf(&archived, "%d,%d ", x(i), y(t.Archived))
	}
	c.Live, c.Archived = live.String(), archived.String()
	c.Area = fmt.Sprintf("%d,%d %s%d,%d", x(0), y(0), c.Live, x(len(all)-1), y(0))
	for n := 0; n <= top; n += step {
		c.Marks = append(c.Marks, mark{chartLeft - 8, y(n), fmt.Sprint(n)})
	}
	for i := 0; i < len(all); i += max(1, (len(all)+5)/6) {
		c.Days = append(c.Days, mark{x(i), chartHeight - 6, all[i].Day})
	}
	for i, t := range all {
		n := 0
		for _, a := range t.Actions {
			n += a
		}
		if n > 0 {
			h := max(2, n*60/c.Most)
			c.Bars = append(c.Bars, bar{x(i), 64 - h, max(2, (chartWidth-chartLeft)/len(all)-1), h})
		}
	}
	return c
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

// drawing is a neighbourhood laid out on rings around its middle: a node stands in the direction of the one
// that led to it (a radial tree; G. M. Draper, Y. Livnat, R. F. Riesenfeld, "A Survey of Radial Methods for Information Visualization", 2009).
type drawing struct {
	Width, Height int
	Nodes         []drawnNode
	Edges         []drawnEdge
}

type drawnNode struct {
	node
	X, Y, R int
	Label   string
	Anchor  string // of the label: start, middle, end
	LX, LY  int
}

type drawnEdge struct {
	edge
	X1, Y1, X2, Y2 int
	Kind           string // class
}

const (
	drawingSize = 860
	labelsUpTo  = 60 // nodes: with more, labels would lie on each other
)

// Drawing lays the neighbourhood out.
func (b *linksBody) Drawing() drawing {
	d := drawing{Width: drawingSize, Height: drawingSize}
	children, depth := map[string][]string{}, 0
	distance := map[string]int{}
	for _, n := range b.Nodes {
		distance[n.ID], depth = n.Distance, max(depth, n.Distance)
	}
	parent := map[string]string{}
	for _, e := range b.Edges {
		for _, pair := range [][2]string{{e.From, e.To}, {e.To, e.From}} {
			if distance[pair[1]] == distance[pair[0]]+1 && parent[pair[1]] == "" {
				parent[pair[1]] = pair[0]
				children[pair[0]] = append(children[pair[0]], pair[1])
			}
		}
	}
	leaves := map[string]int{}
	for _, n := range slices.Backward(b.Nodes) { // the farthest first
		for _, c := range children[n.ID] {
			leaves[n.ID] += leaves[c]
		}
		leaves[n.ID] = max(1, leaves[n.ID])
	}
	at := map[string][2]int{}
	middle, ring := drawingSize/2, (drawingSize/2-120)/max(1, depth)
	var place func(id string, from, to float64)
	place = func(id string, from, to float64) {
		angle, radius := (from+to)/2, float64(distance[id]*ring)
		at[id] = [2]int{middle + int(math.Round(radius*math.Cos(angle))), middle + int(math.Round(radius*math.Sin(angle)))}
		for _, c := range children[id] {
			next := from + (to-from)*float64(leaves[c])/float64(leaves[id])
			place(c, from, next)
			from = next
		}
	}
	place(b.Focus, -math.Pi/2, 1.5*math.Pi)
	for _, e := range b.Edges {
		p, q := at[e.From], at[e.To]
		d.Edges = append(d.Edges, drawnEdge{e, p[0], p[1], q[0], q[1], strings.ReplaceAll(e.How, " ", "-")})
	}
	for _, n := range b.Nodes {
		p := at[n.ID]
		out := drawnNode{node: n, X: p[0], Y: p[1], R: max(5, 11-2*n.Distance), Anchor: "middle", LX: p[0], LY: p[1] - 16}
		switch {
		case p[0] > middle+20:
			out.Anchor, out.LX, out.LY = "start", p[0]+12, p[1]+4
		case p[0] < middle-20:
			out.Anchor, out.LX, out.LY = "end", p[0]-12, p[1]+4
		case p[1] > middle:
			out.LY = p[1] + 24
		}
		if len(b.Nodes) <= labelsUpTo || n.Distance == 0 {
			out.Label = clip(n.Line, 22)
		}
		d.Nodes = append(d.Nodes, out)
	}
	return d
}

// clip is the beginning of a text, of so many characters at most.
func clip(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return strings.TrimRight(string(r[:n-1]), " ") + "…"
}
