package edgefile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Types of edges. Others are kept.
const (
	RelatesTo   = "RELATES_TO"
	DependsOn   = "DEPENDS_ON"
	BlockedBy   = "BLOCKED_BY"
	Implements  = "IMPLEMENTS"
	Fixes       = "FIXES"
	Contradicts = "CONTRADICTS"
	Supersedes  = "SUPERSEDES"
	SummaryOf   = "SUMMARISES"
	PromotedTo  = "PROMOTED_TO"
)

// Types lists the types that a person or a model may state.
func Types() []string {
	return []string{RelatesTo, DependsOn, BlockedBy, Implements, Fixes, Contradicts, Supersedes}
}

// User is who states an edge that no model may change.
const User = "USER"

// Name tells an edge from others.
type Name struct{ From, Type, To string }

func (n Name) String() string { return n.From + " " + n.Type + " " + n.To }

// Compare orders names as they stand in a file.
func (n Name) Compare(m Name) int {
	return cmp.Or(strings.Compare(n.From, m.From), strings.Compare(n.Type, m.Type), strings.Compare(n.To, m.To))
}

// Edge is a judged edge. Raw is all of it as the file has it.
type Edge struct {
	Name
	Confidence float64   // 0 to 1; 0 where nobody says
	By         string    // USER, or the name of a model
	Reason     string    // why, in somebody's words
	Quote      string    // the sentence that shows it
	Digests    [2]string // of the two memories as they were judged
	Rejected   bool

	File string // that it stands in, relative to the workspace; whoever has read it knows
	Raw  string
}

// Settles reports whether the edge says, by a person, that one memory supersedes another.
func (e Edge) Settles() bool {
	return e.Type == Supersedes && e.By == User && !e.Rejected && e.From != e.To
}

// JSON is the edge as a line of the file. Members that say nothing are left out.
func (e Edge) JSON() string {
	var b strings.Builder
	add := func(key string, value []byte) {
		fmt.Fprintf(&b, ", %q: %s", key, value)
	}
	text := func(key, value string) {
		if value != "" {
			add(key, jsonedit.Quote(value))
		}
	}
	text("from", e.From)
	text("type", e.Type)
	text("to", e.To)
	if e.Confidence > 0 && e.Confidence <= 1 {
		add("confidence", strconv.AppendFloat(nil, e.Confidence, 'g', 4, 64))
	}
	text("by", e.By)
	text("reason", e.Reason)
	text("quote", e.Quote)
	if e.Digests != [2]string{} {
		add("digests", fmt.Appendf(nil, "[%s, %s]", jsonedit.Quote(e.Digests[0]), jsonedit.Quote(e.Digests[1])))
	}
	if e.Rejected {
		add("rejected", []byte("true"))
	}
	return "{" + strings.TrimPrefix(b.String(), ", ") + "}"
}

// Parse reads the edges of a document, of several with one name the first. No JSON, or no list of edges, is an error; elements that are no
// edges are passed over.
func Parse(doc []byte) ([]Edge, error) {
	if err := jsonedit.Check(doc); err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	elements, ok := jsonedit.Elements(doc, "edges")
	if !ok {
		return nil, errors.New(`no list "edges"`)
	}
	var edges []Edge
	met := map[Name]bool{}
	for _, v := range elements {
		if e, ok := read(v); ok && !met[e.Name] {
			met[e.Name] = true
			edges = append(edges, e)
		}
	}
	return edges, nil
}

// read reads an edge; what has no ends and no type is none.
func read(v gjson.Result) (e Edge, ok bool) {
	if !v.IsObject() {
		return e, false
	}
	e.Raw = strings.Clone(v.Raw)
	v.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "from":
			e.From = jsonedit.Text(v)
		case "type":
			e.Type = jsonedit.Text(v)
		case "to":
			e.To = jsonedit.Text(v)
		case "confidence":
			e.Confidence = min(max(v.Num, 0), 1)
		case "by":
			e.By = jsonedit.Text(v)
		case "reason":
			e.Reason = jsonedit.Text(v)
		case "quote":
			e.Quote = jsonedit.Text(v)
		case "digests":
			copy(e.Digests[:], jsonedit.Texts(v))
		case "rejected":
			e.Rejected = v.Type == gjson.True
		}
		return true
	})
	return e, e.From != "" && e.Type != "" && e.To != ""
}

// Change is what becomes of one edge. It is data: a transaction keeps it, and applies it with Patch.
type Change struct {
	File string // the document, relative to the workspace
	Name
	Was string `json:",omitempty"` // as it is expected; empty: there is none
	Now string `json:",omitempty"` // as it is to be; empty: there is to be none
}

// Inverse takes the change back.
func (c Change) Inverse() Change {
	c.Was, c.Now = c.Now, c.Was
	return c
}

// empty is a document without edges.
const empty = "{\n  \"version\": \"1.0.0\",\n  \"edges\": []\n}\n"

// Patch makes changes in a document, which may be nil. A change whose edge is neither as it was nor as it is to be is left out.
func Patch(doc []byte, changes []Change) ([]byte, error) {
	if len(doc) == 0 {
		if !slices.ContainsFunc(changes, func(c Change) bool { return c.Now != "" }) {
			return doc, nil
		}
		doc = []byte(empty)
	}
	elements, ok := jsonedit.Elements(doc, "edges")
	if !ok {
		return nil, errors.New(`no list "edges": mend or move the file`)
	}
	p := newPatch(elements)
	for _, c := range changes {
		p.apply(c)
	}
	if !p.dirty {
		return doc, nil
	}
	return jsonedit.EditArray(doc, []string{"edges"}, p.edit)
}

// Unlike names the first edge of some changes that is not in the document as its change expects it: Patch would leave it out. A document that
// can't be read has no edges.
func Unlike(doc []byte, changes []Change) (n Name, ok bool) {
	edges, err := Parse(doc)
	if err != nil {
		edges = nil
	}
	is := make(map[Name]string, len(edges))
	for _, e := range edges {
		is[e.Name] = e.Raw
	}
	for _, c := range changes {
		raw, there := is[c.Name]
		if there != (c.Was != "") || there && !same(raw, c.Was) {
			return c.Name, true
		}
	}
	return n, false
}

// patch collects the changes to the list.
type patch struct {
	names    []Name // of the elements; zero for what is not an edge
	elements []gjson.Result
	at       map[Name]int
	done     map[Name]bool // one change an edge
	edit     jsonedit.ArrayEdit
	dirty    bool
}

func newPatch(elements []gjson.Result) *patch {
	p := &patch{names: make([]Name, len(elements)), elements: elements, at: map[Name]int{}, done: map[Name]bool{}}
	p.edit = jsonedit.ArrayEdit{Set: map[int][]byte{}, Remove: map[int]bool{}}
	for i, v := range elements {
		if e, ok := read(v); ok {
			p.names[i] = e.Name
			if _, met := p.at[e.Name]; !met {
				p.at[e.Name] = i
			}
		}
	}
	return p
}

func (p *patch) apply(c Change) {
	i, there := p.at[c.Name]
	switch {
	case p.done[c.Name]:
		return
	case there && !same(p.elements[i].Raw, c.Was), !there && c.Was != "": // somebody else was here, or it is done already
		return
	case there && c.Now == "":
		p.edit.Remove[i] = true
	case there:
		p.edit.Set[i] = []byte(c.Now)
	case c.Now != "":
		before := 0 // behind the last edge that comes before it
		for n, name := range p.names {
			if name.Compare(c.Name) < 0 { // what is not an edge comes first
				before = n + 1
			}
		}
		p.edit.Insert = append(p.edit.Insert, jsonedit.Insertion{Before: before, Raw: []byte(c.Now)})
		slices.SortStableFunc(p.edit.Insert, func(a, b jsonedit.Insertion) int { return cmp.Compare(nameOf(a.Raw), nameOf(b.Raw)) })
	default:
		return
	}
	p.dirty, p.done[c.Name] = true, true
}

// nameOf is a text by which edges are sorted as by their names.
func nameOf(raw []byte) string {
	e, _ := read(gjson.ParseBytes(raw))
	return e.From + "\x00" + e.Type + "\x00" + e.To
}

// same compares JSON but for white space.
func same(a, b string) bool {
	return b != "" && string(jsonedit.Compact([]byte(a))) == string(jsonedit.Compact([]byte(b)))
}
