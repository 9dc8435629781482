package schemas

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
)

// A schema is a JSON Schema. A keyword that is absent has the zero value.
type schema struct {
	never bool // the schema false

	types    []string
	enum     []value
	constant *value
	format   string
	pattern  *regexp.Regexp
	limits   []limit
	multiple *gjson.Result // multipleOf
	unique   bool

	required          []string
	dependentRequired []dependent
	properties        []member
	patterns          []member // patternProperties
	dependentSchemas  []member

	additional, unevaluated, names  *schema // for members
	items, contains                 *schema
	not, when, then, otherwise, ref *schema
	prefix, allOf, anyOf, oneOf     []*schema

	advice   string   // x-advice
	severity Severity // x-severity
	fold     bool     // x-fold
}

type member struct {
	name string
	*schema
	match *regexp.Regexp // of patternProperties
}

type dependent struct {
	name     string
	required []string
}

// single are the keywords whose value is a schema, lists those whose value is a list of
// them, and memberKeywords those whose value is an object of them.
var (
	single = map[string]func(*schema) **schema{
		"additionalProperties":  func(s *schema) **schema { return &s.additional },
		"unevaluatedProperties": func(s *schema) **schema { return &s.unevaluated },
		"propertyNames":         func(s *schema) **schema { return &s.names },
		"items":                 func(s *schema) **schema { return &s.items },
		"contains":              func(s *schema) **schema { return &s.contains },
		"not":                   func(s *schema) **schema { return &s.not },
		"if":                    func(s *schema) **schema { return &s.when },
		"then":                  func(s *schema) **schema { return &s.then },
		"else":                  func(s *schema) **schema { return &s.otherwise },
	}
	lists = map[string]func(*schema) *[]*schema{
		"prefixItems": func(s *schema) *[]*schema { return &s.prefix },
		"allOf":       func(s *schema) *[]*schema { return &s.allOf },
		"anyOf":       func(s *schema) *[]*schema { return &s.anyOf },
		"oneOf":       func(s *schema) *[]*schema { return &s.oneOf },
	}
	memberKeywords = map[string]func(*schema) *[]member{
		"properties":        func(s *schema) *[]member { return &s.properties },
		"patternProperties": func(s *schema) *[]member { return &s.patterns },
		"dependentSchemas":  func(s *schema) *[]member { return &s.dependentSchemas },
	}
)

// keywords is the schema of the schemas that are understood. Of the draft's assertions
// it leaves out $dynamicRef, $anchor, unevaluatedItems, items as a list, and those that
// gave way to others.
const keywords = `{
	"type": ["object", "boolean"],
	"properties": {
		"$ref": {"type": "string"}, "$id": {"type": "string"}, "$schema": {"type": "string"},
		"type": {"anyOf": [{"$ref": "#/$defs/type"}, {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/type"}}],
			"x-advice": "write string, number, integer, boolean, object, array or null, or a list of these"},
		"enum": {"type": "array"}, "format": {"type": "string"}, "pattern": {"type": "string", "format": "regex"},
		"minLength": {"$ref": "#/$defs/count"}, "maxLength": {"$ref": "#/$defs/count"},
		"minimum": {"type": "number"}, "maximum": {"type": "number"},
		"exclusiveMinimum": {"type": "number"}, "exclusiveMaximum": {"type": "number"},
		"multipleOf": {"type": "number", "exclusiveMinimum": 0},
		"properties": {"$ref": "#/$defs/members"}, "patternProperties": {"$ref": "#/$defs/members", "propertyNames": {"format": "regex"}},
		"additionalProperties": {"$ref": "#"}, "unevaluatedProperties": {"$ref": "#"}, "propertyNames": {"$ref": "#"},
		"required": {"$ref": "#/$defs/names"}, "dependentRequired": {"type": "object", "additionalProperties": {"$ref": "#/$defs/names"}},
		"dependentSchemas": {"$ref": "#/$defs/members"},
		"minProperties": {"$ref": "#/$defs/count"}, "maxProperties": {"$ref": "#/$defs/count"},
		"prefixItems": {"$ref": "#/$defs/list"}, "items": {"$ref": "#"}, "contains": {"$ref": "#"},
		"minItems": {"$ref": "#/$defs/count"}, "maxItems": {"$ref": "#/$defs/count"}, "uniqueItems": {"type": "boolean"},
		"allOf": {"$ref": "#/$defs/list"}, "anyOf": {"$ref": "#/$defs/list"}, "oneOf": {"$ref": "#/$defs/list"},
		"not": {"$ref": "#"}, "if": {"$ref": "#"}, "then": {"$ref": "#"}, "else": {"$ref": "#"},
		"$defs": {"$ref": "#/$defs/members"}, "definitions": {"$ref": "#/$defs/members"},
		"$anchor": {"$ref": "#/$defs/unknown"}, "$dynamicRef": {"$ref": "#/$defs/unknown"}, "$dynamicAnchor": {"$ref": "#/$defs/unknown"},
		"$recursiveRef": {"$ref": "#/$defs/unknown"}, "unevaluatedItems": {"$ref": "#/$defs/unknown"}, "additionalItems": {"$ref": "#/$defs/unknown"},
		"minContains": {"$ref": "#/$defs/unknown"}, "maxContains": {"$ref": "#/$defs/unknown"}, "dependencies": {"$ref": "#/$defs/unknown"}
	},
	"$defs": {
		"type": {"enum": ["string", "number", "integer", "boolean", "object", "array", "null"]},
		"count": {"type": "integer", "minimum": 0},
		"names": {"type": "array", "items": {"type": "string"}},
		"list": {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
		"members": {"type": "object", "additionalProperties": {"$ref": "#"}},
		"unknown": {"not": {}, "x-advice": "memory does not check this keyword: leave it out"}
	}
}`

// A builder makes schemas of documents. It follows references within them, and loads
// nothing.
type builder struct {
	documents map[string]value   // by URL, without a fragment
	built     map[string]*schema // by URL, with the pointer as fragment
}

// build returns the schema at a pointer of a document, which must fit the keywords.
func (b *builder) build(address, pointer string, v value) (*schema, error) {
	id := address + "#" + pointer
	if s, ok := b.built[id]; ok {
		return s, nil
	}
	s := &schema{}
	b.built[id] = s
	if !v.IsObject() {
		s.never = v.Type == gjson.False
		return s, nil
	}
	var failed error
	sub := func(at string, v value) *schema {
		child, err := b.build(address, pointer+"/"+at, v)
		failed = errors.Join(failed, err)
		return child
	}
	compile := func(text string) *regexp.Regexp {
		match, err := regexp.Compile(text)
		failed = errors.Join(failed, err)
		return match
	}
	for i, key := range v.keys {
		child := v.children[i]
		if at := single[key]; at != nil {
			*at(s) = sub(key, child)
		}
		if at := lists[key]; at != nil {
			for i, e := range child.children {
				*at(s) = append(*at(s), sub(fmt.Sprintf("%s/%d", key, i), e))
			}
		}
		if at := memberKeywords[key]; at != nil {
			for i, name := range child.keys {
				m := member{name: name, schema: sub(key+"/"+escapePointer.Replace(name), child.children[i])}
				if key == "patternProperties" {
					m.match = compile(name)
				}
				*at(s) = append(*at(s), m)
			}
		}
		if l, ok := limitKeywords[key]; ok {
			l.bound = child.Result
			s.limits = append(s.limits, l)
		}
		switch key {
		case "$ref":
			ref, err := b.resolve(address, child.Str)
			s.ref, failed = ref, errors.Join(failed, err)
		case "type":
			s.types = texts(child)
		case "enum":
			s.enum = child.children
		case "const":
			s.constant = &child
		case "format":
			s.format = child.Str
		case "pattern":
			s.pattern = compile(child.Str)
		case "multipleOf":
			s.multiple = &child.Result
		case "required":
			s.required = texts(child)
		case "dependentRequired":
			for i, name := range child.keys {
				s.dependentRequired = append(s.dependentRequired, dependent{name, texts(child.children[i])})
			}
		case "uniqueItems":
			s.unique = child.Bool()
		case "x-advice":
			s.advice = child.Str
		case "x-severity":
			if word := Severity(child.Str); word == Error || word == Warning {
				s.severity = word
			}
		case "x-fold":
			s.fold = child.Type == gjson.True
		}
	}
	return s, failed
}

// resolve returns the schema that a reference leads to.
func (b *builder) resolve(address, ref string) (*schema, error) {
	from, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	to, err := from.Parse(ref)
	if err != nil {
		return nil, fmt.Errorf("$ref %q is not a reference: %w", ref, err)
	}
	pointer := to.Fragment
	to.Fragment, to.RawFragment = "", ""
	v, ok := b.documents[to.String()]
	if !ok {
		return nil, notLoaded(to.String())
	}
	if pointer != "" {
		for _, token := range strings.Split(pointer, "/")[1:] {
			v = v.child(unescapePointer.Replace(token))
		}
		if !v.Exists() || !strings.HasPrefix(pointer, "/") {
			return nil, fmt.Errorf("json-pointer in %q not found", to.String()+"#"+pointer)
		}
	}
	return b.build(to.String(), pointer, v)
}

func notLoaded(address string) error {
	return fmt.Errorf("failing loading %q: only memoryd's own schemas can be referred to", address)
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// texts are the texts of a list, or the one that stands without a list.
func texts(v value) (all []string) {
	if v.Type == gjson.String {
		return []string{v.Str}
	}
	for _, e := range v.children {
		all = append(all, e.Str)
	}
	return all
}

func (s *schema) property(name string) *schema {
	for _, m := range s.properties {
		if m.name == name {
			return m.schema
		}
	}
	return nil
}
