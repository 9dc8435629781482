package graph

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// ErrNothing: the graph is as it is asked for already.
var ErrNothing = errors.New("nothing to change")

// ErrNoEdge: there is no edge of the name.
var ErrNoEdge = errors.New("no such edge")

// Link builds the action by which a person states an edge between two live memories. [ErrNothing]: a person or a field states it already.
func Link(s *memory.Snapshot, n edgefile.Name, reason string) (memory.Action, error) {
	from, to, err := ends(s, n)
	if err != nil {
		return memory.Action{}, err
	}
	if !slices.Contains(edgefile.Types(), n.Type) {
		return memory.Action{}, fmt.Errorf("type %q is none of %s", n.Type, strings.Join(edgefile.Types(), ", "))
	}
	if e, ok := Of(s).Find(n); ok && e.Origin == Field {
		return memory.Action{}, fmt.Errorf("%w: the field %s states %s", ErrNothing, e.Place, n)
	} else if ok && e.Origin == Person && !e.Changed && (reason == "" || reason == e.Reason) {
		return memory.Action{}, fmt.Errorf("%w: %s is stated", ErrNothing, n)
	}
	e := edgefile.Edge{Name: n, By: edgefile.User, Reason: reason, Digests: Digests(from, to)}
	return action(s, oplog.Link, from, e, e.JSON()), nil
}

// Unlink builds the action by which a person takes an edge away. One that a person has stated goes; one that a text or a model states is
// refused for good. What a field states is an error: it is to be changed there. [ErrNoEdge]: there is none.
func Unlink(s *memory.Snapshot, n edgefile.Name, reason string) (memory.Action, error) {
	old, judged := stands(s, n)
	if judged && old.Rejected {
		return memory.Action{}, fmt.Errorf("%w: %s is refused", ErrNothing, n)
	}
	from, to, err := ends(s, n)
	if err != nil && judged { // one of the two is gone
		return action(s, oplog.Unlink, nil, old, ""), nil
	} else if err != nil {
		return memory.Action{}, err
	}
	e, ok := Of(s).Find(n)
	switch {
	case !ok && !judged:
		return memory.Action{}, fmt.Errorf("%w: %s", ErrNoEdge, n)
	case ok && e.Origin == Field:
		return memory.Action{}, fmt.Errorf("the field %s states %s: change it with \"memory edit\"", e.Place, n)
	}
	if judged && old.By == edgefile.User && !mentioned(s, n) {
		return action(s, oplog.Unlink, from, old, ""), nil
	}
	refused := edgefile.Edge{Name: n, By: edgefile.User, Reason: reason, Digests: Digests(from, to), Rejected: true}
	return action(s, oplog.Unlink, from, refused, refused.JSON()), nil
}

// Adopt builds the action by which an edge that stands in a copy of a file of edges comes into the file, as it is.
func Adopt(e edgefile.Edge, file string) memory.Action {
	kind := oplog.Link
	if e.Rejected {
		kind = oplog.Unlink
	}
	a := edgeAction(kind, e)
	a.Edges = []edgefile.Change{{File: file, Name: e.Name, Now: e.Raw}}
	return a
}

// ends are the memories of an edge: two live ones.
func ends(s *memory.Snapshot, n edgefile.Name) (from, to *memory.Memory, err error) {
	if n.From == n.To {
		return nil, nil, fmt.Errorf("%s and %s are one memory: an edge needs two", n.From, n.To)
	}
	for _, end := range []struct {
		id string
		m  **memory.Memory
	}{{n.From, &from}, {n.To, &to}} {
		if *end.m = s.Live(end.id); *end.m == nil {
			return nil, nil, &memory.NotLiveError{ID: end.id}
		}
	}
	return from, to, nil
}

// stands is the judged edge of a name as a file has it.
func stands(s *memory.Snapshot, n edgefile.Name) (edgefile.Edge, bool) {
	if s.Edges != nil {
		for _, e := range s.Edges() {
			if e.Name == n {
				return e, true
			}
		}
	}
	return edgefile.Edge{}, false
}

// mentioned reports whether a text states an edge.
func mentioned(s *memory.Snapshot, n edgefile.Name) bool {
	for e := range mentions(s.Memories()) {
		if e.Name == n {
			return true
		}
	}
	return false
}

// action changes an edge, in the file where it stands or next to the index of the memory from which it goes.
func action(s *memory.Snapshot, kind string, from *memory.Memory, e edgefile.Edge, now string) memory.Action {
	change := edgefile.Change{Name: e.Name, Now: now}
	if old, ok := stands(s, e.Name); ok {
		change.File, change.Was = old.File, old.Raw
	} else {
		change.File = File(from)
	}
	a := edgeAction(kind, e)
	a.Edges = []edgefile.Change{change}
	return a
}

func edgeAction(kind string, e edgefile.Edge) memory.Action {
	return memory.Action{Action: oplog.Action{
		Type: kind, Rule: memory.RuleEdge, MemoryIDs: []string{e.From, e.To}, From: e.From, To: e.To,
		Relation: e.Type, By: e.By, Reason: e.Reason, Detail: e.Name.String(),
	}}
}

// File is where the judged edges of a memory stand.
func File(from *memory.Memory) string {
	dir := memory.ScopeDir(from.File)
	if dir == "" {
		dir = path.Dir(from.File)
	}
	return path.Join(dir, memory.EdgesFile)
}
