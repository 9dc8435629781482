package temporal

// window reads a number of units that end or begin now: the last two weeks, for
// the past three months, the next 5 days, 2 upcoming weeks.
func (p *parser) window(i int) (when, int) {
	j := p.skip(i, "the", "these")
	k, ok := directions[p.next(j)]
	if j == i {
		k, ok = directions[p.word(j)]
	}
	a, n := amount{}, 0
	if ok && k != 0 && p.word(j) != "following" {
		a, n = p.quantity(j + 1)
		n++
	} else {
		// 2 upcoming weeks
		c, m, _ := p.count(j)
		k, ok = directions[p.next(j+m)]
		u := p.known(j + m + 1)
		if m == 0 || !ok || k == 0 || u.unit == 0 || c == 100 || c > 100_000 {
			return when{}, 0
		}
		a.add(c, u.unit)
		a.single, a.count, n = true, c/100, m+2
	}
	if n <= 1 || p.next(j+n) == "of" || p.word(j+1) == "a" || p.word(j+1) == "the" {
		return when{}, 0
	}
	return p.rolling(k, a, a.coarse), j + n - i
}

// rolling is the stretch of time of an amount, or of one unit, up to now or from
// now on.
func (p *parser) rolling(k int, a amount, u unit) when {
	if a.coarse == 0 {
		a.add(100, u)
	}
	w := when{grain: GrainRange, shape: Range, relative: true, confidence: Likely}
	from, to := p.span(day, p.ref, 0, 1)
	switch {
	case u < day && k < 0:
		w.from, w.to = a.after(p.ref, -1), p.ref
	case u < day:
		w.from, w.to = p.ref, a.after(p.ref, 1)
	case k < 0:
		w.from, w.to = a.after(from, -1), to
	default:
		w.from, w.to = to, a.after(to, 1)
	}
	return w
}

// lasting reads how long something has been so: "for three years (now)" in the
// perfect tense, meaning since three years ago.
func (p *parser) lasting(i int) (when, int) {
	if p.word(i) != "for" {
		return when{}, 0
	}
	j := p.skip(p.skip(i+1, "just", "only", "well", "at"), "about", "around", "almost", "nearly", "over", "under", "least")
	a, n := p.quantity(j)
	if n == 0 || p.at(j).sep == sepBreak || a.coarse < day || p.counts(j+n) {
		return when{}, 0
	}
	end := p.skip(j+n, "now", "already")
	if end == j+n && !p.perfect(i) {
		return when{}, 0
	}
	w := p.shift(a, -1).likely()
	w.shape = Since
	return w, end - i
}

// perfect reports whether the clause before i is in the present perfect: "have been
// together", "'ve used".
func (p *parser) perfect(i int) bool {
	participle := false
	for k, words := p.before(i), 0; k >= 0 && words < 10 && !p.endsSentence(k); k, words = p.before(k), words+1 {
		switch w := p.word(k); {
		case w == "been" && p.starts(k):
			return true // Been doing it
		case p.cueAt(k) == past && w != "was" && w != "were" && w != "did":
			participle = true
		case w == "have" || w == "has" || w == "ve" || w == "s" && participle:
			return participle
		}
	}
	return false
}

// starts reports whether the token at k is the first of its sentence.
func (p *parser) starts(k int) bool {
	b := p.before(k)
	return b < 0 || p.endsSentence(b)
}

// rest reads "the rest of the week", "later this year": from now to the end.
func (p *parser) rest(i int) (when, int) {
	j := p.skip(i, "the")
	w, n := when{}, 0
	switch p.word(j) {
	case "rest", "remainder", "remaining":
		if p.next(j+1) != "of" {
			return when{}, 0
		}
		w, n = p.whole(j + 2)
		n += j + 2 - i
	case "later":
		k := p.skip(j+1, "in")
		if w, n = p.whole(k); n == 0 || w.grain == GrainDay && p.word(k) != "today" {
			return when{}, 0
		}
		n += k - i
	default:
		return when{}, 0
	}
	if w.grain == "" || !w.to.After(p.ref) || w.from.After(p.ref) {
		return when{}, 0
	}
	w.from, _ = p.span(day, p.ref, 0, 1)
	w.grain, w.shape, w.relative = GrainRange, Range, true
	return w.likely(), n
}

// whole reads a period: one that has a name, or "the week", the current one.
func (p *parser) whole(i int) (when, int) {
	if w, n := p.nested((*parser).dated, i); n > 0 {
		return p.settle(w, i, n), n
	}
	j := p.skip(i, "the")
	if u := p.known(j); u.unit >= day && u.unit <= century && !u.plural && p.next(j) != "" && p.at(j-1).word.ordinal == 0 {
		if u.unit == day && j == i {
			return when{}, 0
		}
		return p.around(u.unit, 0).likely(), j + 1 - i
	}
	return when{}, 0
}
