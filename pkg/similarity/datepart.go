package similarity

import "slices"

// incompleteDates returns the places of a hunk where one side has a date, and the other the same date with a number in it that no date has: 15
// November 2025, 6516 November 2025. The number is no detail beside a date that leaves a part open: it stands for the part that is missing.
// x and y are the facts that nothing agrees with.
func (p *pair) incompleteDates(h hunk, x, y []int) (out []finding) {
	for _, i := range p.dates(&p.a, h.a0, h.a1, y) {
		if j := p.b.replacesPart(*p.a.tokens[i].date, h.b0, h.b1, y); j >= 0 {
			out = append(out, p.conflict(i, j))
		}
	}
	for _, j := range p.dates(&p.b, h.b0, h.b1, x) {
		if i := p.a.replacesPart(*p.b.tokens[j].date, h.a0, h.a1, x); i >= 0 {
			out = append(out, p.conflict(i, j))
		}
	}
	return out
}

// dates returns the dates of s.tokens[from:to], none when nothing is left on the other side.
func (p *pair) dates(s *side, from, to int, left []int) []int {
	if len(left) == 0 {
		return nil
	}
	return p.facts(s, from, to, []kind{kindDate})
}

// replacesPart returns the first number or date in s.tokens[from:to] that stands for a part of the date d, -1 for none: it says
// something that d doesn't, and is written among numbers and dates that state parts of d, but not all. One of these is left over; which
// of them was taken for d doesn't matter.
func (s *side) replacesPart(d date, from, to int, left []int) int {
	for i := from; i < to; i++ {
		missing := []int{d.year, d.month, d.day}
		stated, other := false, -1
		state := func(i int, parts ...int) {
			for _, part := range parts {
				if at := slices.Index(missing, part); part != 0 && at >= 0 {
					missing[at], stated = 0, true
				} else if other < 0 {
					other = i
				}
			}
		}
		first := i
		for ; i < to && s.isDatePart(i); i++ {
			if t := &s.tokens[i]; t.date != nil {
				state(i, t.date.parts()...)
			}
		}
		for n := first; n < i; n++ { // a number is what the dates beside it leave
			if t := &s.tokens[n]; t.date == nil {
				state(n, atoi(t.num))
			}
		}
		spare := slices.ContainsFunc(left, func(n int) bool { return first <= n && n < i })
		if stated && spare && other >= 0 && slices.ContainsFunc(missing, func(part int) bool { return part != 0 }) {
			return other
		}
	}
	return -1
}

// isDatePart reports whether token i can be a piece of a date that is written in several.
func (s *side) isDatePart(i int) bool {
	t := &s.tokens[i]
	return t.kind == kindDate || t.kind == kindNumber && (t.unit == "" || t.unit == ordinal)
}
