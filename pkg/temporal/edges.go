package temporal

import "time"

// edges are the words that cut a third off a period.
var edges = map[string]int{
	"early": 0, "beginning": 0, "begin": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2,
}

// cut reads the early, middle and late parts of a period: early 2020, mid-June, late
// last year, the end of the month, EOM.
func (p *parser) cut(i int) (when, int) {
	if w, n := p.shorthand(i); n > 0 {
		return w, n
	}
	j := p.skip(i, "the", "very")
	third, ok := edges[p.word(j)]
	if !ok || j > i && p.at(j).sep == sepBreak {
		return when{}, 0
	}
	k := j + 1
	switch w := p.word(j); {
	case w == "mid" && p.marked(k, '-', '–'):
		k++
	case w != "mid" && w != "early" && w != "late":
		if k = p.skip(k, "of"); k == j+1 && !(p.monthAt(k) > 0 && p.month(k)) { // end March
			return when{}, 0
		}
	default:
		k = p.skip(p.skip(k, "on", "in"), "the") // early in the year, late in March
		if k > j+1 && p.word(k-1) == "the" {
			k--
		}
	}
	w, n := p.nested((*parser).lastNight, k)
	if n == 0 {
		w, n = p.whole(k)
	}
	if n == 0 {
		return when{}, 0
	}
	if part, m := p.partAfter(k + n); m > 0 && w.grain == GrainDay { // early tomorrow morning
		w, n = p.narrow(w, part), n+m
	}
	part, ok := p.third(w, third)
	return part, tokensIf(ok, k+n-i)
}

func (p *parser) lastNight(i int) (when, int) {
	w, n := p.deicticDay(i)
	if n == 0 || w.clock.part == "" {
		return w, 0
	}
	return p.narrow(w, w.clock.part), n
}

// shorthand reads EOD, EOM and EOY.
func (p *parser) shorthand(i int) (when, int) {
	u := map[string]unit{"eod": day, "eom": month, "eoy": year}[p.word(i)]
	if u == 0 {
		return when{}, 0
	}
	w, ok := p.third(p.around(u, 0), 2)
	return w, tokensIf(ok, 1)
}

// third is a part of a period: ten days of a month, four months of a year, and
// three days of a week, of which the ends have what the middle leaves.
func (p *parser) third(w when, n int) (when, bool) {
	y, m, d := w.from.Date()
	var a, b time.Time // where the middle begins and ends
	switch w.grain {
	case GrainMonth:
		a, b = p.date(y, m, 11), p.date(y, m, 21)
	case GrainYear:
		a, b = p.date(y, 5, 1), p.date(y, 9, 1)
	case GrainQuarter, GrainSeason:
		a, b = p.date(y, m+1, 1), p.date(y, m+2, 1)
	case GrainHalf:
		a, b = p.date(y, m+2, 1), p.date(y, m+4, 1)
	case GrainDecade:
		a, b = p.date(y+4, 1, 1), p.date(y+7, 1, 1)
	case GrainCentury:
		a, b = p.date(y+33, 1, 1), p.date(y+67, 1, 1)
	case GrainWeek:
		a, b = p.date(y, m, d+3), p.date(y, m, d+4)
	case GrainDay:
		a, b = p.hour(w.from, 9*60), p.hour(w.from, 17*60)
	case GrainDaypart:
		size := w.to.Sub(w.from) / 2
		a, b = w.from.Add(size), w.from.Add(size)
	default:
		return w, false
	}
	switch n {
	case 0:
		w.to = a
	case 1:
		w.from, w.to = a, b
	case 2:
		w.from = b
	}
	w.grain = GrainRange
	return w.likely(), w.to.After(w.from)
}
