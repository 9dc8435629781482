package temporal

import "time"

// years reads what is said in years: 2010, the year 2011, FY2024, the 1990s, the 90s,
// the 19th century, 14 AD.
func (p *parser) years(i int) (when, int) {
	start := i
	i = p.skip(i, "the")
	i = p.skip(i, "calendar")
	named := p.next(i) == "year" && p.at(i+1).digits > 0
	if named {
		i++
	}
	t := p.at(i)
	if t.sep == sepBreak && i > start || t.digits == 0 {
		return p.nthCentury(start, i)
	}
	era, n := p.era(i + 1)
	s := p.at(i + 1)
	switch {
	case era && t.value >= 1:
		return when{year: t.value}, i + 1 + n - start
	case s.lower == "s" && (s.sep == sepNone || p.marked(i+1, '\'')) && t.value%10 == 0 && (t.digits == 4 && plausible(t.value) || t.digits == 2 && i > start):
		y := t.value
		if t.digits == 2 {
			y = p.century(y)
		}
		from, to := p.span(decade, p.date(y, 1, 1), 0, 1)
		w := when{from: from, to: to, grain: GrainDecade}
		if t.digits == 2 {
			w = w.likely()
		}
		return w, i + 2 - start
	case t.digits == 4 && named:
		return when{year: t.value}, i + 1 - start
	case t.digits == 4 && i == start && p.edition(i):
		return when{year: t.value, confidence: Guess}, 1
	case t.digits != 4 || i > start || t.value < 1500 || t.value >= 2100:
		return p.nthCentury(start, i)
	}
	if like, c := p.yearLike(i); like {
		return when{year: t.value, confidence: c}, 1
	}
	return when{}, 0
}

// era reads AD, A.D. or CE.
func (p *parser) era(i int) (bool, int) {
	switch p.next(i) {
	case "ad", "ce":
		return true, 1
	case "a":
		if p.marked(i+1, '.') && p.at(i+2).lower == "d" {
			if p.marked(i+3, '.') {
				return true, 4
			}
			return true, 3
		}
	}
	return false, 0
}

// yearLike reports whether the context of a number of four digits makes it
// a year, and not a count, a size or a port.
func (p *parser) yearLike(i int) (bool, Confidence) {
	if p.counts(i+1) || p.marked(i+1, ':', '-', '\'') && wordAt(p.text, p.at(i+1).end) {
		return false, Sure
	}
	b := p.before(i)
	if !plausible(p.at(i).value) {
		w := p.word(b)
		return w == "in" || w == "since" || w == "year", Likely
	}
	switch p.word(b) {
	case "in", "since", "until", "till", "by", "during", "of", "before", "after", "early", "late", "mid", "circa", "year", "fiscal":
		return true, Sure
	case "from", "between", "around", "through", "thru", "to", "for", "and", "or":
		return true, Likely
	}
	list := p.at(b).mark == ',' && p.at(b-1).digits == 4 && plausible(p.at(b-1).value) // in 2018, 2019
	opens := p.starts(i) && p.at(i+1).word.cue != silent                               // 2013 was a good year
	return list || opens || p.alone(i, i+1), Likely
}

// edition reports whether the year at i tells one of several things apart: "the
// 2009 law". It lies near the reference, or the number is a count.
func (p *parser) edition(i int) bool {
	const back, ahead = 30, 5
	y, now := p.at(i).value, p.ref.Year()
	if b := p.word(p.before(i)); b != "the" && b != "a" {
		return false
	}
	next := p.at(i + 1)
	return y >= now-back && y <= now+ahead && y%100 != 0 && next.sep == sepBlank && next.lower != "" && next.digits == 0 &&
		next.word.unit == 0 && next.word.number == 0
}

// nthCentury reads "the 19th century".
func (p *parser) nthCentury(start, i int) (when, int) {
	n, k := p.ordinal(i)
	if k == 0 || n > 100 || p.known(i+k).unit != century || p.at(i+k).word.plural {
		return when{}, 0
	}
	return when{from: p.date(100*(n-1), 1, 1), to: p.date(100*n, 1, 1), grain: GrainCentury}, i + k + 1 - start
}

// quarters reads Q1 2026, 2026-Q1, H2 2019, 3rd quarter of 2013, first half of 2024.
func (p *parser) quarters(i int) (when, int) {
	if y := p.at(i); y.digits == 4 && plausible(y.value) {
		j := i + 1
		if p.marked(j, '-', '/') {
			j++
		}
		if kind, n := p.letterQuarter(j); kind > 0 && p.at(j).sep != sepBreak {
			return p.piece(kind, n, y.value), j + 2 - i
		}
		return when{}, 0
	}
	start := i
	kind, n := p.letterQuarter(i)
	if kind > 0 {
		i += 2
	} else {
		i = p.skip(i, "the")
		ord, k := p.ordinal(i)
		if k == 0 {
			return when{}, 0
		}
		if p.marked(i+k, '-') {
			k++ // first-quarter results
		}
		switch u := p.known(i + k); {
		case u.unit == quarter && !u.plural && ord <= 4:
			kind, n = 4, ord
		case p.word(i+k) == "half" && ord <= 2 && (p.next(i+k+1) == "of" || p.at(i+k+1).digits == 4):
			kind, n = 2, ord
		default:
			return when{}, 0
		}
		i += k + 1
	}
	end := i
	i = p.comma(i)
	i = p.skip(i, "of", "in")
	if p.marked(i, '-', '/') {
		i++
	}
	if y := p.at(i); y.digits == 4 && y.sep != sepBreak && plausible(y.value) {
		return p.piece(kind, n, y.value), i + 1 - start
	}
	if w, k := p.nested((*parser).lastThisNext, i); k > 0 && w.grain == GrainYear {
		r := p.piece(kind, n, w.from.Year())
		r.relative = true
		return r, i + k - start
	}
	if p.marked(end, '.') && p.at(end+1).digits > 0 {
		return when{}, 0
	}
	w := p.piece(kind, n, p.ref.Year())
	if d := p.direction(start, end); d != silent {
		w = p.nearest(when{}, d, func(k int) when { return p.piece(kind, n, p.ref.Year()+k) })
	}
	return w.likely(), end - start
}

// letterQuarter reads Q3 or H2: how many such pieces a year has, and which.
func (p *parser) letterQuarter(i int) (pieces, n int) {
	d := p.at(i + 1)
	if d.digits != 1 || d.sep != sepNone || d.value < 1 {
		return 0, 0
	}
	switch p.word(i) {
	case "q":
		pieces = 4
	case "h":
		pieces = 2
		if !p.at(i).capital || p.at(i+2).digits != 4 && p.at(i-1).digits != 4 && p.at(i-2).digits != 4 {
			return 0, 0
		}
	}
	if d.value > pieces {
		return 0, 0
	}
	return pieces, d.value
}

// piece is the nth of the equal pieces of a year.
func (p *parser) piece(pieces, n, y int) when {
	size := 12 / pieces
	w := when{from: p.date(y, time.Month(1+size*(n-1)), 1), to: p.date(y, time.Month(1+size*n), 1), grain: GrainQuarter}
	if pieces == 2 {
		w.grain = GrainHalf
	}
	return w
}

// seasons reads summer 2019, the fall of 2020, in winter. "Spring" and "fall" are
// words too and need a preposition or a year.
func (p *parser) seasons(i int) (when, int) {
	start := i
	i = p.skip(i, "the")
	first := p.known(i).season
	if i == start {
		first = p.at(i).word.season
	}
	if first == 0 {
		return when{}, 0
	}
	j := p.comma(i + 1)
	j = p.skip(j, "of", "in")
	if y := p.at(j); y.digits == 4 && y.sep != sepBreak && plausible(y.value) {
		return p.season(y.value, first), j + 1 - start
	}
	if w, n := p.nested((*parser).lastThisNext, j); n > 0 && w.grain == GrainYear && j > i+1 {
		r := p.season(w.from.Year(), first)
		r.relative = true
		return r, j + n - start
	}
	switch p.word(p.before(start)) {
	case "in", "during", "since", "by", "until", "early", "mid", "late", "before", "after", "of":
	default:
		return when{}, 0
	}
	if p.counts(i + 1) {
		return when{}, 0
	}
	y := p.ref.Year()
	w := p.season(y, first)
	switch d := p.direction(start, i+1); {
	case d == past && w.from.After(p.ref):
		w = p.season(y-1, first)
	case d == future && !w.to.After(p.ref):
		w = p.season(y+1, first)
	}
	return w.likely(), i + 1 - start
}
