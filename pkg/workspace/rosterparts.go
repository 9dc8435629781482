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

// origin is the roster that makes the memory at i, and its place there.
func (l *roster) origin(i int) (*roster, int) {
	if of, at := l.part(i); of != nil {
		return of, at
	}
	return l, i
}

// same reports whether the memory at i is the very one that another roster has at k. It makes
// none.
func (l *roster) same(i int, other *roster, k int) bool {
	a, b := l.made[i].Load(), other.made[k].Load()
	if a != nil && a == b {
		return true
	}
	of, at := l.origin(i)
	in, place := other.origin(k)
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
	most := l.len() + read.len()
	out := (&roster{in: make([]int32, 0, most)}).of(most)
	take := func(from *roster, first, last int) {
		for i := first; i < last; i++ {
			at := len(out.in)
			if m := from.made[i].Load(); m != nil {
				out.made[at].Store(m)
			}
			of, place := from.origin(i)
			if k := len(out.parts) - 1; k < 0 || out.parts[k].of != of || place != at-out.parts[k].first+out.parts[k].from {
				out.parts = append(out.parts, stretch{of: of, from: place, first: at})
			}
			out.in = append(out.in, int32(len(out.parts)-1))
		}
	}
	done := 0
	for _, file := range files {
		first, last := l.within(file)
		take(l, done, first)
		done = last
		first, last = read.within(file)
		take(read, first, last)
	}
	take(l, done, l.len())
	out.made = out.made[:len(out.in)]
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
		out = l.spliced(nil, &roster{})
	}
	for i := range l.len() {
		if r, ok := log.ByID[l.id(i)]; ok {
			out.made[i].Store(withReads(l.at(i), r))
		}
	}
	return out
}
