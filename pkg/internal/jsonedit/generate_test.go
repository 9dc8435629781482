package jsonedit

import (
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// node is a JSON value of a generated document. It knows where it stands
// because the generator put it there, not because anything was parsed.
type node struct {
	literal  string // of a scalar
	object   bool
	children []*node
	key      string // decoded, in an object
	keyRaw   string
	parent   *node

	from, start, end int // of key or value, of value, after value
	open, close      int // after the opening bracket, at the closing one
}

type document struct {
	bytes []byte
	root  *node
	nodes []*node // all, parents first
}

// nesting tells containers from scalars.
func (n *node) nesting() bool { return n.literal == "" }

// path of n; clear is false when an object on it has duplicate keys.
func (n *node) path() (path []string, clear bool) {
	clear = true
	for ; n.parent != nil; n = n.parent {
		name := n.key
		if !n.parent.object {
			name = itoa(slices.Index(n.parent.children, n))
		}
		path = append(path, name)
		clear = clear && n.parent.unique()
	}
	slices.Reverse(path)
	return path, clear
}

func (n *node) unique() bool {
	seen := map[string]bool{}
	for _, c := range n.children {
		if n.object && seen[c.key] {
			return false
		}
		seen[c.key] = true
	}
	return true
}

var (
	literals = []string{`null`, `true`, `false`, `0`, `-0`, `1.10`, `1E+2`, `1e400`, `12345678901234567890123`, `0.1`,
		`""`, `"a"`, `"\u00e9\/"`, `"é € 日本"`, `"\ud800"`, `"\ud800\u0041"`, `"{[,:]}"`, `"\\\""`, `"// no"`, `"😀\n"`}
	// key literals with their text; the first two are the same key
	keyPool = [][2]string{{`"a"`, "a"}, {`"\u0061"`, "a"}, {`"b"`, "b"}, {`""`, ""}, {`":x"`, ":x"}, {`"a.b"`, "a.b"}, {`"#"`, "#"},
		{`"@this"`, "@this"}, {`"0"`, "0"}, {`"1"`, "1"}, {`"é"`, "é"}, {`"\\"`, "\\"}, {`"\""`, `"`}, {`"*?"`, "*?"}, {`"\u0000"`, "\x00"},
		{`"id"`, "id"}, {`"a|b"`, "a|b"}, {`"\ud83d\ude00"`, "😀"}}
)

func drawNode(t *rapid.T, depth int) *node {
	n := &node{}
	shape := rapid.IntRange(0, 9).Draw(t, "shape") // small numbers are drawn more often
	if depth == 0 || shape > 6 {
		n.literal = rapid.SampledFrom(literals).Draw(t, "literal")
		return n
	}
	n.object = shape < 3
	for range rapid.SampledFrom([]int{2, 3, 1, 5, 0}).Draw(t, "size") {
		c := drawNode(t, depth-1)
		c.parent = n
		k := rapid.SampledFrom(keyPool).Draw(t, "key")
		c.keyRaw, c.key = k[0], k[1]
		n.children = append(n.children, c)
	}
	return n
}

// style names how white space is written; motley has any anywhere.
var styles = []string{"compact", "spaced", "pretty", "mixed", "motley"}

type printer struct {
	t                    *rapid.T
	style, unit, newline string
	doc                  document
}

// drawDocument draws a document in a style, any if empty.
func drawDocument(t *rapid.T, style string) document {
	n := drawNode(t, 4)
	return printDocument(t, n, style)
}

func printDocument(t *rapid.T, root *node, style string) document {
	if style == "" {
		style = rapid.SampledFrom(styles).Draw(t, "style")
	}
	p := &printer{t: t, style: style}
	p.unit = rapid.SampledFrom([]string{"  ", "\t", "    ", " "}).Draw(t, "unit")
	p.newline = rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
	p.write(rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "bom"))
	p.space("")
	p.doc.root = root
	p.node(root, 0, false)
	p.space("")
	p.write(rapid.SampledFrom([]string{"", p.newline}).Draw(t, "end"))
	return p.doc
}

func (p *printer) write(s string) { p.doc.bytes = append(p.doc.bytes, s...) }

// space writes white space: what the style wants, or anything.
func (p *printer) space(styled string) {
	if p.style == "motley" {
		styled = rapid.SampledFrom([]string{"", " ", "", "\n", "\r\n\t", "  \t", "\n\n   "}).Draw(p.t, "space")
	}
	p.write(styled)
}

func (p *printer) node(n *node, level int, oneLine bool) {
	p.doc.nodes = append(p.doc.nodes, n)
	n.start = len(p.doc.bytes)
	defer func() { n.end = len(p.doc.bytes) }()
	if !n.nesting() {
		p.write(n.literal)
		return
	}
	brackets := "[]"
	if n.object {
		brackets = "{}"
	}
	// mixed documents put arrays of scalars on one line
	flat := !slices.ContainsFunc(n.children, (*node).nesting) && !n.object
	oneLine = oneLine || p.style == "compact" || p.style == "spaced" || p.style == "mixed" && flat
	lead, comma, tail, colon := "", ", ", "", ": "
	switch {
	case p.style == "compact":
		comma, colon = ",", ":"
	case !oneLine:
		tail = p.newline + strings.Repeat(p.unit, level)
		lead = tail + p.unit
		comma = "," + lead
	}
	p.write(brackets[:1])
	n.open = len(p.doc.bytes)
	for i, c := range n.children {
		if i == 0 {
			p.space(lead)
		} else {
			p.space("")
			p.write(",")
			p.space(comma[1:])
		}
		c.from = len(p.doc.bytes)
		if n.object {
			p.write(c.keyRaw)
			p.space("")
			p.write(":")
			p.space(colon[1:])
		}
		p.node(c, level+1, oneLine)
	}
	if len(n.children) > 0 {
		p.space(tail)
	} else {
		p.space("")
	}
	n.close = len(p.doc.bytes)
	p.write(brackets[1:])
}
