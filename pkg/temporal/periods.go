package temporal

// quarter reads Q3, H2, "the third quarter", "first-half": how many such pieces a year
// has, and which it is.
func (p *parser) quarter(i int) (pieces, n, tokens int) {
	if pieces, n = p.letterQuarter(i); pieces > 0 {
		return pieces, n, tokensIf(p.at(i).sep != sepBreak || i == p.start, 2)
	}
	j := p.skip(i, "the")
	n, k := p.ordinal(j)
	if k == 0 {
		return 0, 0, 0
	}
	if k += j - i; p.marked(i+k, '-') { // first-quarter results
		k++
	}
	switch u := p.known(i + k); {
	case u.unit == quarter && !u.plural && n <= 4:
		return 4, n, k + 1
	case p.word(i+k) == "half" && n <= 2 && (p.next(i+k+1) == "of" || p.at(i+k+1).digits == 4):
		return 2, n, k + 1
	}
	return 0, 0, 0
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

// decade reads 1990s, and after "the" 90s.
func (p *parser) decade(i int) (when, int) {
	t, s := p.at(i), p.at(i+1)
	if s.lower != "s" || s.sep != sepNone && !p.marked(i+1, '\'') || t.value%10 != 0 ||
		!(t.digits == 4 && plausible(t.value) || t.digits == 2 && p.word(i-1) == "the") {
		return when{}, 0
	}
	y := t.value
	if t.digits == 2 {
		y = p.century(y)
	}
	w := p.unitFrom(decade, p.date(y, 1, 1), 0)
	if t.digits == 2 {
		w = w.likely()
	}
	return w, 2
}
