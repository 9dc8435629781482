package temporal

// shift is the reading of a moment that lies an amount from the reference. A
// single unit keeps its grain: nobody who says "two years ago" means a day.
func (p *parser) shift(a amount, sign int) when {
	w := when{}
	switch u := a.coarse; {
	case !a.single && u >= day, u == fortnight:
		w = p.exactDay(a.after(p.ref, sign))
	case u < day:
		t := a.after(p.ref, sign)
		g := u
		if !a.single {
			g = minute
		}
		w = when{grain: grains[g]}
		w.from, w.to = p.span(minute, t, 0, 1)
		if g == hour {
			w.to = w.from.Add(clockUnits[hour])
		}
	case u > year:
		w = p.around(year, sign*a.months/12)
	default:
		w = p.around(u, sign*a.count)
	}
	w.relative = true
	if a.vague || !a.single && a.coarse > day {
		w = w.likely()
	}
	return w
}

// counted reads an expression that begins with an amount: three days ago, two
// weeks from now, 3 days after January 12, a week from Friday, two months later.
func (p *parser) counted(i int) (when, int) {
	a, n := p.quantity(i)
	if the := p.skip(i, "the"); n == 0 && the > i && p.known(the).unit >= day && !p.known(the).plural {
		switch p.next(the + 1) {
		case "before", "after": // the day after Thanksgiving
			a.add(100, p.known(the).unit)
			a.single, a.count, n = true, 1, 2
		}
	}
	if n == 0 {
		return p.countedDays(i)
	}
	end := i + n
	bound := p.bounded(i)
	if bound == 2 {
		return when{}, 0
	}
	sign := 1
	w := when{}
	if p.next(end) == "or" && p.next(end+1) == "so" { // a year or so ago
		a.vague, end = true, end+2
	}
	switch word := p.next(end); word {
	case "ago", "back":
		if word == "back" && p.counts(end+1) {
			return when{}, 0
		}
		w, end = p.shift(a, -1), end+1
		if anchor, k := p.nested((*parser).anchor, end); k > 0 && a.coarse >= week { // a week ago Friday
			w, end = p.exactDay(a.after(anchor.from, -1)), end+k
			w.relative, w.confidence = true, anchor.confidence
		}
		if word == "back" {
			w = w.likely()
		}
	case "hence":
		w, end = p.shift(a, 1), end+1
	case "later", "afterwards", "earlier":
		if word == "earlier" {
			sign = -1
		}
		w, end = p.shift(a, sign).guess(), end+1
	case "before", "after", "from", "prior", "following":
		if word == "before" || word == "prior" {
			sign = -1
		}
		if to := p.next(end + 1); to == "now" || to == "today" && a.single {
			w, end = p.shift(a, sign), end+2
			break
		}
		if word == "from" && p.word(p.before(i)) == "for" {
			return when{}, 0 // "for 10 days from May 3": a length
		}
		base, k := p.nested((*parser).dated, p.skip(end+1, "to"))
		if k == 0 && word != "from" && (p.at(end+1).lower == "" || p.edge(end+1)) { // "the day before": of what is told
			w, end = p.shift(a, sign).guess(), end+1
			break
		}
		if k == 0 {
			return when{}, 0
		}
		at := p.skip(end+1, "to")
		base = p.settle(base, at, k)
		if base.grain == "" {
			return when{}, 0
		}
		w = p.exactDay(a.after(base.from, sign))
		w.relative, w.confidence, end = base.relative, base.confidence, at+k
	default:
		return when{}, 0
	}
	if bound == 1 || a.coarse < hour && (p.word(i) == "a" || p.word(i) == "an") { // "a minute ago" is soon after
		w = w.likely()
	}
	return w, end - i
}

// anchor reads the day from which "a week ago Friday" counts.
func (p *parser) anchor(i int) (when, int) {
	switch p.next(i) {
	case "today", "yesterday", "tomorrow":
		return p.deicticDay(i)
	}
	if p.weekdayName(i) {
		return p.weekdayNear(p.at(i).word.weekday, past).likely(), 1
	}
	return when{}, 0
}

// bounded looks at what stands before an amount: 1 for a bound or an estimate
// ("more than two years ago"), 2 if the amount is a part of a longer one.
func (p *parser) bounded(i int) int {
	j := p.before(i)
	if j < 0 {
		return 0
	}
	switch p.word(j) {
	case "over", "under", "than", "least", "most", "within", "about", "around", "almost", "nearly", "roughly", "approximately",
		"every", "some", "or", "to", "between", "and", "past", "up":
		return 1
	case "half", "point", "hundred", "thousand", "million":
		return 2
	}
	switch p.tokens[j].mark {
	case ',':
		if k := p.before(j); k >= 0 && p.tokens[k].word.unit > 0 && p.tokens[i].sep == sepBlank {
			return 1
		}
	case '-', '–', '~':
		return 1
	}
	if p.tokens[j].digits > 0 && p.tokens[i].digits > 0 || p.tokens[j].word.number > 0 {
		return 2
	}
	return 0
}

// countedDays reads "two Thursdays ago", "three Fridays from now", "two weekends ago".
func (p *parser) countedDays(i int) (when, int) {
	n, k, vague := p.count(i)
	d := p.known(i + k)
	if name := p.next(i + k); k > 0 && n%100 == 0 && n <= 100_00 && (name == "weekends" || name == "weekend") && p.next(i+k+1) == "ago" {
		w := p.weekend(p.ref, -n/100)
		if vague {
			w = w.likely()
		}
		return w, k + 2
	}
	if k == 0 || vague || n%100 != 0 || n > 100_00 || d.weekday == 0 || d.short {
		return when{}, 0
	}
	delta := d.weekday - isoWeekday(p.ref)
	switch end := i + k + 1; {
	case p.next(end) == "ago" || p.next(end) == "back":
		if delta >= 0 {
			delta -= 7
		}
		return p.around(day, delta-7*(n/100-1)).likely(), k + 2
	case p.next(end) == "from" && p.next(end+1) == "now":
		if delta <= 0 {
			delta += 7
		}
		return p.around(day, delta+7*(n/100-1)).likely(), k + 3
	}
	return when{}, 0
}

// inFuture reads "in three days", where it is a point in time and not the measure
// of a task: nothing in the past tense stands before it.
func (p *parser) inFuture(i int) (when, int) {
	word := p.word(i)
	if word != "in" && word != "within" && word != "after" {
		return when{}, 0
	}
	j := p.skip(i+1, "about", "around", "approximately", "roughly", "just", "another")
	a, n := p.quantity(j)
	if n == 0 || p.at(j).sep == sepBreak || p.limited(j+n) || a.coarse == second && p.counts(j+n) {
		return when{}, 0
	}
	end := j + n
	switch p.next(end) {
	case "after", "from", "since", "or", "ago", "straight", "flat", "total", "later", "earlier", "before", "to", "of":
		return when{}, 0
	}
	context := p.tenseBefore(i)
	if context == past {
		return when{}, 0
	}
	w := p.shift(a, 1)
	switch {
	case word == "after":
		w = w.guess()
	case word == "within", context == silent, p.word(j) == "a", p.word(j) == "an": // "24 hours in a day", "in a minute"
		w = w.likely()
	}
	if word == "within" {
		w.to = a.after(p.ref, 1)
		w.from, _ = p.span(minute, p.ref, 0, 1)
		w.shape, w.grain = Range, GrainRange
	}
	if p.marked(end, '\'', '’') { // in two weeks' time
		if p.next(end+1) != "time" && p.next(end+2) != "time" {
			return when{}, 0
		}
		for p.word(end) != "time" {
			end++
		}
	}
	return w, p.skip(end, "time") - i
}

// tenseBefore is the tense of the clause before i. With no words before, as in
// "In two weeks we ship", an expression speaks of the future.
func (p *parser) tenseBefore(i int) cue {
	words := 0
	for k := p.before(i); k >= 0 && words < 12; k = p.before(k) {
		if p.endsSentence(k) || p.tokens[k].mark == ':' {
			break
		}
		if p.tokens[k].lower == "" {
			continue
		}
		words++
		switch {
		case measures()[p.tokens[k].lower]:
			return past
		case p.cueAt(k) != silent:
			return p.cueAt(k)
		}
	}
	if words == 0 {
		return future
	}
	return silent
}

// measures make "in three days" a length of time although the tense doesn't.
var measures = wordSet(`once twice times within runs responds finishes completes takes lasts expire expires`)
