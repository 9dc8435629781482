package temporal

import (
	"strings"
	"sync"
)

// needsOf are the kinds of words without which a class reads nothing.
var needsOf = sync.OnceValue(func() map[string]kinds {
	return map[string]kinds{
		"unit": aUnit, "units": aUnit, "quantity": aUnit, "part": aPart, "weekday": aWeekday, "day-name": aWeekday, "weekdays": aWeekday, "on-weekday": aWeekday,
		"number": aFigure, "year": aFigure, "digits": aFigure, "decade": aFigure, "month": aMonth, "month-period": aMonth, "season": aSeason, "yy": aFigure,
	}
})

// kindsOf is what the lexicon knows of a word, as kinds.
func (w *word) kindsOf() (k kinds) {
	if w.month > 0 {
		k |= aMonth
	}
	if w.weekday > 0 {
		k |= aWeekday
	}
	if w.unit > 0 {
		k |= aUnit
	}
	if w.part != "" {
		k |= aPart
	}
	if w.season > 0 {
		k |= aSeason
	}
	return k
}

// compile takes the patterns of rows apart.
func (l *language) compile(rows []row) index {
	index := index{words: map[string][]compiled{}}
	for _, r := range rows {
		c := compiled{row: r}
		for _, field := range strings.Fields(r.pattern) {
			name, optional := strings.CutSuffix(field, "?")
			e := element{optional: optional}
			if inner, ok := strings.CutPrefix(name, "<"); ok {
				class := classes()[strings.TrimSuffix(inner, ">")]
				if class.read == nil {
					l.unknown = append(l.unknown, name)
					class.read = func(*match, int) int { return 0 }
				}
				e.class = &class
				if !optional {
					c.needs |= needsOf()[strings.Trim(name, "<>")]
				}
			} else {
				e.words = strings.Split(name, "|")
				if bit := l.literalBit(e.words); !optional {
					c.needs |= bit
				}
			}
			c.elements = append(c.elements, e)
		}
		for _, e := range c.elements { // all that can come first
			for _, w := range e.words {
				index.words[w] = append(index.words[w], c)
			}
			if e.class != nil {
				c.opens |= e.class.opens
			}
			if !e.optional {
				break
			}
		}
		c.nested = strings.HasPrefix(r.pattern, "<fields>") || strings.HasPrefix(r.pattern, "<date>")
		if c.opens != 0 {
			index.classes = append(index.classes, c)
		}
	}
	return index
}

// literalBit is the kind of the words of an element, noted with each of them.
func (l *language) literalBit(words []string) kinds {
	hash := uint(len(words))
	for _, c := range []byte(strings.Join(words, "|")) {
		hash = hash*31 + uint(c)
	}
	bit := kinds(1) << (literalKind + hash%(64-literalKind))
	for _, w := range words {
		l.at(w).kinds |= bit
	}
	return bit
}
