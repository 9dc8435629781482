package temporal

// opening is the kind of a token with which an expression can begin.
type opening byte

const (
	figure  opening = 1 << iota // digits
	numeral                     // a number or an ordinal in words
	named                       // a month, a weekday, a season, a holiday, a part of the day
	article                     // the, a, an
	deictic                     // last, this, next, today, and their like
	other
)

// dates are the rules for what a day or a longer period can be called, by the
// tokens that can open it. The longest reading wins, the earlier rule on a tie.
var dates []struct {
	openings opening
	rules    []rule
}

// The rules refer to the table again, for expressions within expressions, so it
// can't be filled where it is declared.
func init() {
	add := func(o opening, rules ...rule) {
		dates = append(dates, struct {
			openings opening
			rules    []rule
		}{o, rules})
	}
	add(figure, (*parser).iso, (*parser).numeric)
	add(figure|numeral|named|article, (*parser).namedDate)
	add(figure|numeral|article|other, (*parser).quarters, (*parser).years)
	add(named|article, (*parser).seasons)
	add(named|article|deictic, (*parser).holiday)
	add(named, (*parser).weekdays)
	add(figure|article, (*parser).dayOfMonth)
	add(article|deictic|other, (*parser).deicticDay, (*parser).lastThisNext)
	add(article|deictic, (*parser).thenWithin)
	add(figure|numeral|article|deictic, (*parser).nth, (*parser).window)
	add(figure|numeral|article|other, (*parser).counted)
	add(article|other, (*parser).rest, (*parser).weeks, (*parser).cut)
	add(other, (*parser).present, (*parser).nowPlus, (*parser).inFuture, (*parser).lasting)
	add(named|article|other, (*parser).loose)
}

// opens is the kind of the token at i.
func (p *parser) opens(i int) opening {
	t := p.at(i)
	if t.digits > 0 {
		return figure
	}
	return t.word.opening
}

// dated reads a day or a period, without a time of day.
func (p *parser) dated(i int) (when, int) {
	w, n := when{}, 0
	open := p.opens(i)
	for _, family := range dates {
		if family.openings&open == 0 {
			continue
		}
		for _, read := range family.rules {
			if r, m := read(p, i); m > n {
				w, n = r, m
			}
		}
	}
	if n > 0 && w.grain == "" && w.month > 0 && w.year == 0 { // March 6 this year
		if y, m := p.nested((*parser).lastThisNext, p.skip(p.comma(i+n), "of")); m > 0 && y.grain == GrainYear {
			w.year, w.relative, n = y.from.Year(), true, p.skip(p.comma(i+n), "of")+m-i
		}
	}
	return w, n
}

// point reads a day with or without a time of day, in either order.
func (p *parser) point(i int) (when, int) {
	w, n := p.dated(i)
	if n > 0 {
		return p.withClock(w, i, i+n)
	}
	return p.clockFirst(i)
}
