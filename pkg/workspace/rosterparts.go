package workspace

import (
	"sort"

	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
)

// stretch are memories that follow each other in another roster, as they do here.
type stretch struct {
	of      *roster // which has no parts itself
	from    int     // place of the first there
	first   int     // its place here
	commons int     // what is added to the numbers of commonOf
}

// part is the roster that has the memory at i, and its place there; nil for one of l's own rows.
func (l *roster) part(i int) (*roster, int) {
	if len(l.parts) == 0 {
		return nil, 0
	}
	p := &l.parts[0]
	if l.in != nil {
		p = &l.parts[l.in[i]]
	}
	return p.of, i - p.first + p.from
}

// same reports whether the memory at i is the very one that another roster has at k. It makes
// none.
func (l *roster) same(i int, other *roster, k int) bool {
	a, b := l.made[i].Load(), other.made[k].Load()
	if a != nil && a == b {
		return true
	}
	of, at := l.part(i)
	if of == nil {
		of, at = l, i
	}
	in, place := other.part(k)
	if in == nil {
		in, place = other, k
	}
	is := in.made[place].Load()
	return of == in && at == place && (a == nil || a == is) && (b == nil || b == is)
}

// file is that of the memory at i.
func (l *roster) file(i int) string {
	file, _ := l.rowMark(i)
	return file
}

// within is where the memories of a file stand.
func (l *roster) within(file string) (first, last int) {
	first = sort.Search(l.len(), func(i int) bool { return l.file(i) >= file })
	for last = first; last < l.len() && l.file(last) == file; last++ {
	}
	return first, last
}

// spliced is the roster with what certain files hold, by their sorted names, replaced by what
// read tells of them. Nothing is made for it, and what is made stays the very same.
func (l *roster) spliced(files []string, read *roster) *roster {
	type piece struct {
		of       *roster
		from, to int
	}
	var pieces []piece
	done, n := 0, 0
	take := func(of *roster, from, to int) {
		if from < to {
			pieces, n = append(pieces, piece{of, from, to}), n+to-from
		}
	}
	for _, file := range files {
		first, last := l.within(file)
		take(l, done, first)
		done = last
		first, last = read.within(file)
		take(read, first, last)
	}
	take(l, done, l.len())
	out := (&roster{}).of(n)
	if out.in = make([]int32, 0, n); len(pieces) == 0 {
		return out
	}
	for _, p := range pieces {
		for i := p.from; i < p.to; i++ {
			at := len(out.in)
			if m := p.of.made[i].Load(); m != nil {
				out.made[at].Store(m)
			}
			of, from := p.of, i
			if below, there := of.part(i); below != nil {
				of, from = below, there
			}
			if k := len(out.parts); k == 0 || out.parts[k-1].of != of || from != at-out.parts[k-1].first+out.parts[k-1].from {
				out.parts = append(out.parts, stretch{of: of, from: from, first: at})
			}
			out.in = append(out.in, int32(len(out.parts)-1))
		}
	}
	commons, all := map[*roster]int{}, 0
	for i := range out.parts {
		p := &out.parts[i]
		n, known := commons[p.of]
		if !known {
			n = all
			commons[p.of], all = n, all+p.of.commons()
		}
		p.commons = n
	}
	return out
}

// counted is the roster with the reads of the access log added, in copies.
func (l *roster) counted(log accesslog.Log) *roster {
	if len(log.ByID) == 0 {
		return l
	}
	out := &roster{parts: []stretch{{of: l}}}
	if out.of(l.len()); len(l.parts) > 0 {
		out = l.spliced(nil, nil)
	}
	for i := range l.len() {
		if r, ok := log.ByID[l.id(i)]; ok {
			out.made[i].Store(withReads(l.at(i), r))
		}
	}
	return out
}
