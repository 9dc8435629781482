package recall

import (
	"math"
	"slices"
	"strings"
	"time"
)

// filter is a Filter made ready for an index.
type filter struct {
	ix       *Index
	archived bool   // wanted too
	kind     uint32 // the type or the subtype
	agent    uint32
	agents   uint32 // the scope of that agent
	scope    string
	scopes   map[uint32]bool // by symbol of a scope, whether it fits
	tags     []uint32
	times    []interval
	never    bool // nothing fits
	allow    func(d uint32) bool
}

func (ix *Index) filter(q *Query) filter {
	f := filter{ix: ix, archived: q.Mode == Exhaustive, kind: none, agent: none, agents: none, scope: fold(q.Filter.Scope), scopes: map[uint32]bool{}, allow: q.allow}
	need := func(text string) uint32 {
		if text = fold(text); text == "" {
			return none
		}
		s, ok := ix.symbols.find(text)
		if !ok {
			f.never = true
			return none
		}
		return s
	}
	f.kind = need(q.Filter.Type)
	for _, t := range q.Filter.Tags {
		if s := need(t); s != none {
			f.tags = append(f.tags, s)
		}
	}
	if name := fold(q.Filter.Agent); name != "" {
		agent, wrote := ix.symbols.find(name)
		scope, owns := ix.symbols.find("agent:" + name)
		if wrote {
			f.agent = agent
		}
		if owns {
			f.agents = scope
		}
		f.never = f.never || !wrote && !owns
	}
	if !q.Filter.Since.IsZero() || !q.Filter.Until.IsZero() {
		i := interval{noTime + 1, math.MaxInt64}
		if !q.Filter.Since.IsZero() {
			i.from = q.Filter.Since.Unix()
		}
		if !q.Filter.Until.IsZero() {
			i.to = ceil(q.Filter.Until)
		}
		f.times = []interval{i}
	}
	return f
}

// ceil is the first second that is not before a time.
func ceil(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return t.Unix()
}

func (f *filter) fits(d uint32) bool {
	x := &f.ix.docs[d]
	switch {
	case f.never, !f.archived && x.archived:
		return false
	case f.kind != none && x.kind != f.kind && x.subtype != f.kind:
		return false
	case f.times != nil && !x.of(f.times):
		return false
	case (f.agent != none || f.agents != none) && (f.agent == none || x.agent != f.agent) && (f.agents == none || x.scope != f.agents):
		return false
	case f.scope != "" && !f.scoped(x.scope):
		return false
	}
	for _, t := range f.tags {
		if !slices.Contains(x.tags, t) {
			return false
		}
	}
	return f.allow == nil || f.allow(d)
}

// scoped reports whether a scope is the one that is asked for, or of its kind.
func (f *filter) scoped(symbol uint32) bool {
	if symbol == none {
		return false
	}
	fits, ok := f.scopes[symbol]
	if !ok {
		name := f.ix.symbols.list[symbol]
		kind, _, _ := strings.Cut(name, ":")
		fits = name == f.scope || kind == f.scope
		f.scopes[symbol] = fits
	}
	return fits
}
