package similarity

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/text"
)

// Template is a text without its values: numbers, dates, names, identifiers, and what stands behind a colon in a short line. Texts with the same
// template say the same of other things, or other things of the same. [Template.Apart] tells which.
type Template struct {
	Form   uint64 // of the words that are not values, in their order
	Words  int    // how many those are
	values []slotValue
}

// slotValue is a value of a text, at its place among the others.
type slotValue struct {
	kind   kind
	key    string
	front  bool // stands at the beginning of a line or a clause, behind a word or two at most: it tells what the line is about
	last   bool // ends a sentence or a clause, no colon behind it: it is what that says
	amount bool // a number with a unit
}

// leastTemplate is how many words besides the values make a template.
const leastTemplate = 3

// frontTokens is how many tokens of a line may stand before a value that tells what the line is about.
const frontTokens = 2

// TemplateOf reads the template of a text in time linear in its length.
func TemplateOf(body string) Template {
	d := newDocument(body)
	p := pair{a: side{d, d.tokens, d.keys}}
	p.lang = text.LanguageOf(d.text[:min(len(d.text), enough)])
	if n := len(d.repeats); n > 0 {
		p.a = side{d, d.tokens[d.repeats[n-1]:], d.keys[d.repeats[n-1]:]}
	}
	s, t := &p.a, Template{Form: hashSeed}
	line, field := 0, -1 // where the line begins, and up to where a field's value goes
	inValue := false
	for i := 0; i < len(s.tokens); {
		tok := &s.tokens[i]
		if tok.gap == gapClause && i > line && i-line <= frontTokens+1 {
			field = max(field, fieldEnd(s, i))
		}
		if tok.gap >= gapClause {
			line = i
		}
		v, n := valueAt(&p, s.tokens[i:])
		isName := v.kind == kindWord && tok.gap < gapClause && s.name(i) && !p.lang.IsStopWord(tok.key)
		if isName {
			v.kind = kindName
		}
		if v.kind == kindWord && i >= field || v.kind == kindSign || v.kind == kindUnit {
			t.Form = (t.Form ^ s.keys[i]) * hashPrime
			t.Words++
			inValue = false
			i += n
			continue
		}
		key := v.key + " " + v.unit.name
		end := i + n
		if joined := inValue && tok.gap <= gapHyphen || inValue && i < field; joined {
			last := &t.values[len(t.values)-1]
			last.key, last.kind = last.key+" "+key, max(last.kind, v.kind)
		} else {
			t.Form = (t.Form ^ uint64(len(t.values)+1)) * hashPrime
			ends := end == len(s.tokens) || s.tokens[end].gap >= gapComma && !strings.HasPrefix(s.text[s.tokens[end-1].end:], ":")
			t.values = append(t.values, slotValue{kind: v.kind, key: key, front: inFront(&p, line, i, v.kind), last: ends, amount: v.unit.name != ""})
		}
		i = end
		inValue = true
	}
	return t
}

// inFront reports whether a value tells what its line is about: it begins the line, or stands behind a word or two of which the last is a noun.
func inFront(p *pair, line, i int, k kind) bool {
	switch before := i - line; {
	case before == 0:
		return k != kindNumber
	case before > frontTokens:
		return false
	default:
		last := &p.a.tokens[i-1]
		return k == kindDate || k == kindIdentifier || last.kind == kindWord && !p.lang.IsStopWord(last.key) && !text.English.IsStopWord(last.key)
	}
}

// fieldEnd is where the value of a field ends that begins at a token: a few tokens up to the end of the line; from, where it is not such a value.
func fieldEnd(s *side, from int) int {
	const most = 4
	for i := from + 1; i <= min(len(s.tokens), from+most); i++ {
		if i == len(s.tokens) || s.tokens[i].gap == gapSentence {
			return i
		}
	}
	return from
}

// Same reports whether two texts have one template, of which enough is fixed, and differ in values only.
func (t Template) Same(u Template) bool {
	return t.Form == u.Form && t.Words == u.Words && t.Words >= leastTemplate && len(t.values) == len(u.values) && len(t.values) > 0
}

// Own tells the values by which a text of a template may be one record of several: an identifier, a date, a name or a counter that says of what the
// rest is said. event tells that the text is about something that happened, which has happened once whatever its values are. others are texts of the
// same template. Own is nil if all that differs may be another value of one subject: a port, an owner, a limit, a version.
func (t Template) Own(others []Template, event bool) (own []int) {
	differs := func(i int) bool {
		return slices.ContainsFunc(others, func(u Template) bool { return u.values[i].key != t.values[i].key })
	}
	var at []int
	for i := range t.values {
		if differs(i) {
			at = append(at, i)
		}
	}
	for _, i := range at {
		v := t.values[i]
		several := len(at) > 1
		switch {
		case event:
		case v.kind == kindIdentifier || v.kind == kindURL || v.kind == kindPath:
			if !(v.front || several && identifies(v.key)) {
				continue
			}
		case v.kind == kindDate:
			if !v.front {
				continue
			}
		case v.kind == kindNumber:
			if !v.front || v.last || v.amount {
				continue
			}
		case v.kind == kindName:
			if !v.front || !several || v.last {
				continue
			}
		default:
			continue
		}
		own = append(own, i)
	}
	return own
}

// identifies reports whether a key may be that of one thing only: it holds digits.
func identifies(key string) bool { return strings.ContainsAny(key, "0123456789") }

// Apart reports whether two texts of a template differ in one of the values at these places.
func (t Template) Apart(u Template, own []int) bool {
	return slices.ContainsFunc(own, func(i int) bool { return t.values[i].key != u.values[i].key })
}
