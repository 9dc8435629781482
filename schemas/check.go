package schemas

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"
)

// A pass holds one document against one schema.
type pass struct {
	checker
	root  value
	found *findings // nil: only whether the document fits is asked
	at    []string  // place of the value at hand
	refs  []*schema // references followed for the value at hand
}

func (c checker) check(root value, found *findings) {
	p := &pass{checker: c, root: root, found: found}
	p.eval(c.schema, root, nil)
}

// fail reports a finding at the value at hand, or at a member of it.
func (p *pass) fail(s *schema, what, advice string, below ...string) bool {
	if p.found == nil {
		return false
	}
	at := append(slices.Clone(p.at), below...)
	path := p.root.path(at)
	text := cmp.Or(path, "this") + " " + what
	if advice != "" {
		text += ": " + advice
	}
	p.found.add(at, Finding{path, cmp.Or(s.severity, p.severity), text + p.suffix})
	return false
}

// fits reports whether a value fits a schema, without findings.
func (p *pass) fits(s *schema, v value, seen map[string]bool) bool {
	quiet := *p
	quiet.found, quiet.at, quiet.refs = nil, nil, slices.Clone(p.refs)
	return quiet.eval(s, v, seen)
}

// below evaluates a schema for a member or an element of the value at hand.
func (p *pass) below(s *schema, key string, v value) bool {
	refs := p.refs
	p.at, p.refs = append(p.at, key), nil
	ok := p.eval(s, v, nil)
	p.at, p.refs = p.at[:len(p.at)-1], refs
	return ok
}

// eval reports whether a value fits a schema, and why not. Into seen, unless it is nil,
// it puts the names of the members that a schema was found for (unevaluatedProperties).
func (p *pass) eval(s *schema, v value, seen map[string]bool) bool {
	if s.never {
		return p.fail(s, "is "+show(v), "its schema does not allow this")
	}
	if s.unevaluated != nil {
		seen = map[string]bool{}
	}
	ok := p.scalar(s, v)
	switch {
	case v.IsObject():
		ok = p.object(s, v, seen) && ok
	case v.IsArray():
		ok = p.array(s, v) && ok
	}
	ok = p.combined(s, v, seen) && ok
	if s.unevaluated != nil && v.IsObject() {
		for i, key := range v.keys {
			if !seen[key] {
				ok = p.below(s.unevaluated, key, v.children[i]) && ok
			}
		}
	}
	return ok
}

// combined evaluates the schemas that a schema applies to the same value.
func (p *pass) combined(s *schema, v value, seen map[string]bool) bool {
	ok := true
	apply := func(part *schema) {
		if part != nil {
			ok = p.eval(part, v, seen) && ok
		}
	}
	if s.ref != nil {
		if slices.Contains(p.refs, s.ref) {
			return p.fail(s, "is "+show(v), "its schema refers to itself without end")
		}
		p.refs = append(p.refs, s.ref)
		apply(s.ref)
		p.refs = p.refs[:len(p.refs)-1]
	}
	for _, part := range s.allOf {
		apply(part)
	}
	if s.when != nil {
		if p.fits(s.when, v, seen) {
			apply(s.then)
		} else {
			apply(s.otherwise)
		}
	}
	for _, d := range s.dependentSchemas {
		if v.IsObject() && v.child(d.name).Exists() {
			apply(d.schema)
		}
	}
	const none = "it fits none, or more than one, of the forms that its schema allows"
	for _, choice := range []struct {
		parts []*schema
		only  bool
	}{{s.anyOf, false}, {s.oneOf, true}} {
		n := 0
		for _, part := range choice.parts {
			if p.fits(part, v, seen) {
				n++
			}
		}
		if len(choice.parts) > 0 && (n == 0 || choice.only && n > 1) {
			ok = p.fail(s, "is "+show(v), cmp.Or(s.advice, none))
		}
	}
	if s.not != nil && p.fits(s.not, v, nil) {
		ok = p.fail(s, "is "+show(v), cmp.Or(s.advice, "its schema does not allow this"))
	}
	return ok
}

// scalar evaluates what a schema says of a value as a whole.
func (p *pass) scalar(s *schema, v value) bool {
	ok := true
	bad := func(advice string, args ...any) {
		ok = p.fail(s, "is "+show(v), cmp.Or(s.advice, fmt.Sprintf(advice, args...)))
	}
	if len(s.types) > 0 && !slices.ContainsFunc(s.types, func(name string) bool { return isType(v, name) }) {
		bad("write %s", typeWords(s.types))
	}
	if len(s.enum) > 0 && !slices.ContainsFunc(s.enum, func(e value) bool { return equal(e, v) }) {
		switch word := foldIn(v, s.enum); {
		case word == "":
			bad("write one of %s", listValues(s.enum))
		case !s.fold:
			ok = p.fail(s, "is "+show(v), fmt.Sprintf("did you mean %q?", word))
		}
	}
	if s.constant != nil && !equal(*s.constant, v) {
		bad("write %s", s.constant.Raw)
	}
	if v.Type == gjson.String {
		if s.format != "" && !isFormat(s.format, v.Str) {
			if zoned := withZone(v.Str); zoned != "" && s.format == "date-time" {
				ok = p.fail(s, "is "+show(v), "it has no time zone and is read as UTC; write "+zoned)
			} else {
				bad("write a valid %s", s.format)
			}
		}
		if s.pattern != nil && !s.pattern.MatchString(v.Str) {
			bad("write text that matches %s", s.pattern)
		}
	}
	for _, l := range s.limits {
		if n, applies := l.measure(v); applies && !l.fits[1+compareNumbers(n, l.bound)] {
			bad(l.words, n.Raw, decimal(l.bound))
		}
	}
	if unit := s.multiple; unit != nil && v.Type == gjson.Number {
		if of := exact(unit.Raw); of.Sign() == 0 || !new(big.Rat).Quo(exact(v.Raw), of).IsInt() {
			bad("multipleOf: got %s, want %s", v.Raw, unit.Raw)
		}
	}
	return ok
}

// object evaluates what a schema says of the members of an object.
func (p *pass) object(s *schema, v value, seen map[string]bool) bool {
	ok := true
	need := func(names []string) {
		for _, name := range names {
			if slices.Contains(v.keys, name) {
				continue
			}
			advice := s.advice
			if property := s.property(name); property != nil {
				advice = cmp.Or(property.advice, advice)
			}
			ok = p.fail(s, "is missing", advice, name)
		}
	}
	need(s.required)
	for _, d := range s.dependentRequired {
		if slices.Contains(v.keys, d.name) {
			need(d.required)
		}
	}
	if len(s.properties)+len(s.patterns) == 0 && s.additional == nil && s.names == nil {
		return ok
	}
	for i, key := range v.keys {
		child, known := v.children[i], false
		apply := func(part *schema) {
			known, ok = true, p.below(part, key, child) && ok
		}
		if part := s.property(key); part != nil {
			apply(part)
		}
		for _, pattern := range s.patterns {
			if pattern.match != nil && pattern.match.MatchString(key) {
				apply(pattern.schema)
			}
		}
		switch {
		case known || s.additional == nil:
		case s.additional.never:
			ok = p.fail(s, "is not allowed", s.advice, key)
		default:
			apply(s.additional)
		}
		if known && seen != nil {
			seen[key] = true
		}
		if s.names != nil && !p.fits(s.names, value{Result: gjson.Result{Type: gjson.String, Str: key}}, nil) {
			ok = p.fail(s, "is "+show(v), cmp.Or(s.advice, fmt.Sprintf("its schema does not allow the name %q in it", key)))
		}
	}
	return ok
}

// array evaluates what a schema says of the elements of a list.
func (p *pass) array(s *schema, v value) bool {
	ok := true
	bad := func(advice string, args ...any) {
		ok = p.fail(s, "is "+show(v), cmp.Or(s.advice, fmt.Sprintf(advice, args...)))
	}
	fitting := false
	for i, child := range v.children {
		if i < len(s.prefix) {
			ok = p.below(s.prefix[i], strconv.Itoa(i), child) && ok
		} else if s.items != nil {
			ok = p.below(s.items, strconv.Itoa(i), child) && ok
		}
		fitting = fitting || s.contains != nil && p.fits(s.contains, child, nil)
		if s.unique {
			if first := slices.IndexFunc(v.children[:i], func(e value) bool { return equal(e, child) }); first >= 0 {
				bad("its elements %d and %d are the same", first, i)
				break
			}
		}
	}
	if s.contains != nil && !fitting {
		bad("no items match contains schema")
	}
	return ok
}
