package schemas

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// What a schema of a workspace may ask at most. A few lines of references to references can
// ask for more than a machine answers in a year, and nothing would stop the answer.
const (
	maxLevels    = 100     // of the schema as JSON
	maxQuestions = 100_000 // schemas that are applied to one value
	nested       = 64      // levels of a memory for which these are counted: by then, what grows with each level exceeds any number
)

// tooMuch is what is wrong with a schema that asks for more than can be answered; "" for
// nothing.
func tooMuch(s *schema) string {
	if (questionCount{}).questions(s, nested) <= maxQuestions {
		return ""
	}
	return fmt.Sprintf("it would be asked more than %d times for one value: refer to fewer schemas that refer to others", maxQuestions)
}

// questionCount keeps what questions has counted, by schema and levels; -1 while it is being counted.
type questionCount map[levelled]int

type levelled struct {
	*schema
	levels int
}

// questions counts the schemas that may be applied to one value, or to one that many levels
// below it, when s is: one that several refer to, as often as they do. Beyond maxQuestions
// it counts no further.
func (k questionCount) questions(s *schema, levels int) int {
	if s == nil || levels < 0 {
		return 0
	}
	at := levelled{s, levels}
	if n, ok := k[at]; ok {
		return max(n, 0) // 0 for a schema within itself
	}
	k[at] = -1
	n, most := 1, 0
	here, below, apart := parts(s)
	for _, child := range here {
		n = min(n+k.questions(child, levels), maxQuestions+1)
	}
	for _, child := range below {
		n = min(n+k.questions(child, levels-1), maxQuestions+1)
	}
	for _, child := range apart {
		most = max(most, k.questions(child, levels-1))
	}
	k[at] = min(n+most, maxQuestions+1)
	return k[at]
}

// parts are the schemas that a schema is made of: those for the same value, for values in it,
// and for values in it of which each has its own.
func parts(s *schema) (here, below, apart []*schema) {
	of := func(members []member) (all []*schema) {
		for _, m := range members {
			all = append(all, m.schema)
		}
		return all
	}
	here = slices.Concat([]*schema{s.ref, s.not, s.when, s.then, s.otherwise}, s.allOf, s.anyOf, s.oneOf, of(s.dependentSchemas))
	below = append(of(s.patterns), s.names, s.additional, s.unevaluated, s.contains, s.items)
	return here, below, append(of(s.properties), s.prefix...)
}

// checkMemory finds what a schema can't: repeated keys, keys that are almost
// known, and a memory that replaces itself.
func checkMemory(doc value, found *findings) {
	if !doc.IsObject() {
		return
	}
	repeated(doc, doc, nil, found)
	repeated(doc, doc.child("content"), []string{"content"}, found)
	known := knownKeys()
	for _, key := range doc.keys {
		if meant := known[bare(key)]; meant != "" && meant != key {
			found.add([]string{key}, Finding{doc.path([]string{key}), Warning, fmt.Sprintf("%q is not read: did you mean %q?", key, meant)})
		}
	}
	id := doc.child("id").Str
	for _, key := range []string{"supersedes", "superseded_by"} {
		ids := doc.child(key)
		itself(doc, found, id, ids, key)
		for i, other := range ids.children {
			if ids.IsArray() {
				itself(doc, found, id, other, key, fmt.Sprint(i))
			}
		}
	}
}

func itself(doc value, found *findings, id string, other value, at ...string) {
	if id == "" || other.Type != gjson.String || id != other.Str {
		return
	}
	path := doc.path(at)
	found.add(at, Finding{path, Warning, fmt.Sprintf("%s is %s, the memory itself: remove it", path, show(other))})
}

// repeated reports keys that an object has twice. Readers disagree about which
// one counts, so such a record is never written.
func repeated(doc, object value, at []string, found *findings) {
	for _, key := range object.repeated {
		place := append(at[:len(at):len(at)], key)
		path := doc.path(place)
		found.add(place, Finding{path, Error, fmt.Sprintf("%s is there twice, so the memory is never changed: remove one", path)})
	}
}

// knownKeys returns the members of a memory by their bare names.
var knownKeys = sync.OnceValue(func() map[string]string {
	known := map[string]string{}
	for _, key := range ours().documents[base+"memory.schema.json"].child("properties").keys {
		known[bare(key)] = key
	}
	return known
})

var punctuation = strings.NewReplacer("_", "", "-", "", " ", "")

// bare is a key without case and punctuation: created_at, createdAt and
// Created-At are the same.
func bare(key string) string { return strings.ToLower(punctuation.Replace(key)) }
