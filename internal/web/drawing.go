package web

import (
	"math"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/text"
)

// drawing is a neighbourhood laid out on rings around its middle: a node stands in the direction of the one
// that led to it (a radial tree; G. M. Draper, Y. Livnat, R. F. Riesenfeld, "A Survey of Radial Methods for Information Visualization", 2009).
type drawing struct {
	Width, Height int
	Top           int // where the picture begins: above and below all nodes it is cut
	Nodes         []drawnNode
	Edges         []drawnEdge
}

type drawnNode struct {
	document.Node
	X, Y, R int
	Label   string
	Anchor  string // of the label: start, middle, end
	LX, LY  int
}

type drawnEdge struct {
	document.Edge
	X1, Y1, X2, Y2 int
	Kind           string // class
}

// point is a place in a drawing.
type point struct{ x, y float64 }

const (
	drawingWidth, drawingHeight = 960, 720
	labelRoom                   = 190 // beside the outermost ring
	labelsUpTo                  = 60  // nodes: with more, labels would lie on each other
)

// Drawing lays the neighbourhood out.
func (b *linksBody) Drawing() drawing {
	d := drawing{Width: drawingWidth}
	at, radius := b.rings(), map[string]int{}
	for _, n := range b.Nodes {
		radius[n.ID] = max(5, 11-2*n.Distance)
	}
	for _, e := range b.Edges {
		from, to := at[e.From], at[e.To]
		x1, y1 := towards(from, to, float64(radius[e.From]))
		x2, y2 := towards(to, from, float64(radius[e.To]+3))
		d.Edges = append(d.Edges, drawnEdge{e, x1, y1, x2, y2, strings.ReplaceAll(how(e.Type), " ", "-") + " " + e.Origin})
	}
	for _, n := range b.Nodes {
		d.Nodes = append(d.Nodes, newDrawnNode(n, at[n.ID], radius[n.ID], len(b.Nodes) <= labelsUpTo))
	}
	const space = 60 // for labels
	bottom := drawingHeight/2 + space
	d.Top = drawingHeight/2 - space
	for _, n := range d.Nodes {
		d.Top, bottom = min(d.Top, n.Y-space), max(bottom, n.Y+space)
	}
	d.Height = bottom - d.Top
	return d
}

// towards is the place on the way from one point to another, so far from the first.
func towards(from, to point, far float64) (x, y int) {
	dx, dy := to.x-from.x, to.y-from.y
	if length := math.Hypot(dx, dy); length > 2*far {
		return int(math.Round(from.x + dx*far/length)), int(math.Round(from.y + dy*far/length))
	}
	return int(math.Round(from.x)), int(math.Round(from.y))
}

// rings gives each node its place.
func (b *linksBody) rings() map[string]point {
	distance, depth := map[string]int{}, 1
	for _, n := range b.Nodes {
		distance[n.ID], depth = n.Distance, max(depth, n.Distance)
	}
	children, parent := map[string][]string{}, map[string]string{}
	for _, n := range b.Nodes { // the nearest first: each is led to by the first that knows it
		for _, e := range b.Edges {
			other := otherEnd(&e, n.ID)
			if (e.From == n.ID || e.To == n.ID) && distance[other] == n.Distance+1 && parent[other] == "" {
				parent[other] = n.ID
				children[n.ID] = append(children[n.ID], other)
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
	at := map[string]point{}
	stepX, stepY := float64(drawingWidth/2-labelRoom)/float64(depth), float64(drawingHeight/2-50)/float64(depth)
	var place func(id string, from, to float64)
	place = func(id string, from, to float64) {
		angle, ring := (from+to)/2, float64(distance[id])
		at[id] = point{drawingWidth/2 + ring*stepX*math.Cos(angle), drawingHeight/2 + ring*stepY*math.Sin(angle)}
		for _, c := range children[id] {
			next := from + (to-from)*float64(leaves[c])/float64(leaves[id])
			place(c, from, next)
			from = next
		}
	}
	first := math.Pi / float64(leaves[b.Focus]) // so that the first stands at the right of the middle
	place(b.Focus, -first, 2*math.Pi-first)
	return at
}

func newDrawnNode(n document.Node, at point, radius int, labelled bool) drawnNode {
	x, y := int(math.Round(at.x)), int(math.Round(at.y))
	out := drawnNode{Node: n, X: x, Y: y, R: radius, Anchor: "middle", LX: x, LY: y - 16}
	switch {
	case x > drawingWidth/2+20:
		out.Anchor, out.LX, out.LY = "start", x+12, y+4
	case x < drawingWidth/2-20:
		out.Anchor, out.LX, out.LY = "end", x-12, y+4
	case y > drawingHeight/2:
		out.LY = y + 24
	}
	if labelled || n.Distance == 0 {
		out.Label = text.TruncateWords(n.Summary, 24)
	}
	return out
}
