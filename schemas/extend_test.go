package schemas

import (
	"fmt"
	"strings"
	"testing"
)

const memoryID = `"` + base + `memory.schema.json"`

func TestExtend(t *testing.T) {
	x, reports := Extend(map[string][]byte{
		"strict.json": []byte(`{
			"$ref": ` + memoryID + `,
			"required": ["project", "created_by"],
			"properties": {
				"id": {"pattern": "^mem_"},
				"tags": {"minItems": 2, "uniqueItems": true, "x-advice": "name the component and the kind of change"},
				"confidence": {"minimum": 0.5, "x-severity": "error"},
				"created_at": {"pattern": "Z$"},
				"project": {"enum": ["Apollo", "Gemini"]}
			}
		}`),
		"episodes.json": []byte(`{
			"x-memoryd-type": "episodic",
			"properties": {"content": {"anyOf": [{"type": "string"}, {"required": ["outcome"]}]}}
		}`),
		"parts.json":     []byte(`{"allOf": [{"$ref": ` + memoryID + `}, {"properties": {"summary": {"maxLength": 5}}}]}`),
		"draft7.json":    []byte(`{"$schema": "http://json-schema.org/draft-07/schema#", "x-memoryd-type": "working", "required": ["ttl"]}`),
		"unrelated.json": []byte(`{"$id": "https://example.com/x.json", "required": ["nothing"]}`),
		"uses.json":      []byte(`{"properties": {"memories": {"items": {"$ref": ` + memoryID + `}}}, "required": ["memories"]}`),
		"boolean.json":   []byte(`false`),
	})
	compare(t, reports, "")

	compare(t, x.ValidateMemory([]byte(`{"id":"m","type":"episodic","tags":["a"],"confidence":0.4,"content":{},"created_at":"yesterday","summary":"too long","project":"apollo"}`)), `
error confidence is 0.4: write at least 0.5 (strict.json)
warning content is an object: it fits none, or more than one, of the forms that its schema allows (episodes.json)
warning created_at is "yesterday": write an RFC 3339 time such as 2026-03-01T09:00:00Z
warning created_by is missing (strict.json)
warning id is "m": write text that matches ^mem_ (strict.json)
warning project is "apollo": did you mean "Apollo"? (strict.json)
warning summary is "too long": write at most 5 characters (parts.json)
warning tags is a list: name the component and the kind of change (strict.json)`)

	valid := `"id":"mem_1","tags":["a","b"],"created_by":"USER","project":"Apollo"`
	compare(t, x.ValidateMemory([]byte(`{`+valid+`,"type":"semantic","content":{}}`)), "")
	compare(t, x.ValidateMemory([]byte(`{`+valid+`,"type":"episodic","content":{"outcome":"good"}}`)), "")
	compare(t, x.ValidateMemory([]byte(`{`+valid+`,"type":"working"}`)), "warning ttl is missing (draft7.json)")
	compare(t, x.ValidateMemory([]byte(`7`)), `warning this is 7: a memory is an object with an id and a type or a content`)
	compare(t, x.ValidateMemory([]byte(`{`)), `error not valid JSON in line 1: unexpected end of JSON input`)

	// Without the extension nothing of it is asked.
	compare(t, ValidateMemory([]byte(`{"id":"m","type":"episodic","content":{}}`)), "")
}

func TestExtendReports(t *testing.T) {
	x, reports := Extend(map[string][]byte{
		"cut.json":       []byte(`{"x-memoryd-type": `),
		"type.json":      []byte(`{"x-memoryd-type": ["working"]}`),
		"file.json":      []byte(`{"x-memoryd-type": "working", "$ref": "file:///etc/passwd"}`),
		"net.json":       []byte(`{"x-memoryd-type": "working", "$ref": "https://example.com/x.json"}`),
		"meta.json":      []byte(`{"x-memoryd-type": "working", "$schema": "https://example.com/meta.json"}`),
		"nowhere.json":   []byte(`{"x-memoryd-type": "working", "$ref": "#/$defs/none"}`),
		"invalid.json":   []byte(`{"x-memoryd-type": "working", "properties": {"a": {"minLength": "x"}}}`),
		"lookahead.json": []byte(`{"x-memoryd-type": "working", "pattern": "(?=a)"}`),
		"huge.json":      []byte(`{"x-memoryd-type": "working", "minLength": 1e99999999999}`),
		"odd %zz#?.json": []byte(`{"x-memoryd-type": "working", "required": ["owner"]}`),
	})
	compare(t, reports, `
warning cut.json is not used: not valid JSON in line 1: unexpected end of JSON input
warning file.json is not used: failing loading "file:///etc/passwd": only memoryd's own schemas can be referred to
warning invalid.json is not used: properties.a.minLength is "x": write a whole number
warning lookahead.json is not used: pattern is "(?=a)": write a valid regex
warning meta.json is not used: failing loading "https://example.com/meta.json": only memoryd's own schemas can be referred to
warning net.json is not used: failing loading "https://example.com/x.json": only memoryd's own schemas can be referred to
warning nowhere.json is not used: json-pointer in "https://github.com/memoryd/memoryd/schemas/workspace/nowhere.json#/$defs/none" not found
warning type.json is not used: x-memoryd-type is a list: write a type of memory such as "episodic"`)
	compare(t, x.ValidateMemory([]byte(`{"id":"m","type":"working"}`)), `warning owner is missing (odd %zz#?.json)`)

	if x, reports := Extend(nil); reports != nil || x.ValidateMemory([]byte(`{"id":"m"}`)) != nil {
		t.Error("no files, but findings")
	}
}

// A schema that asks for more than can be answered is left out, at once; one that refers to
// itself below, and a large one, are not.
func TestWithinLimits(t *testing.T) {
	doubled := `{"x-memoryd-type":"working","$ref":"#/$defs/s0","$defs":{`
	for i := range 40 {
		doubled += fmt.Sprintf(`"s%d":{"allOf":[{"$ref":"#/$defs/s%d"},{"$ref":"#/$defs/s%d"}]},`, i, i+1, i+1)
	}
	doubled += `"s40":{}}}`
	large := `{"x-memoryd-type":"working","required":["owner"],"properties":{"tree":{"$ref":"#/$defs/tree"}`
	for i := range 2000 {
		large += fmt.Sprintf(`,"p%d":{"anyOf":[{"type":"string"},{"type":"null"}]}`, i)
	}
	large += `},"$defs":{"tree":{"properties":{"left":{"$ref":"#/$defs/tree"},"right":{"$ref":"#/$defs/tree"}},"additionalProperties":false}}}`
	x, reports := Extend(map[string][]byte{
		"deep.json":    []byte(`{"x-memoryd-type":"working",` + strings.Repeat(`"not":{`, 3000) + strings.Repeat(`}`, 3001)),
		"doubled.json": []byte(doubled),
		"levels.json":  []byte(`{"x-memoryd-type":"working","properties":{"l":{"$ref":"#/$defs/a"}},"$defs":{"a":{"items":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}}`),
		"large.json":   []byte(large),
	})
	compare(t, reports, `
warning deep.json is not used: it has more than 100 levels
warning doubled.json is not used: it would be asked more than 100000 times for one value: refer to fewer schemas that refer to others
warning levels.json is not used: it would be asked more than 100000 times for one value: refer to fewer schemas that refer to others`)
	compare(t, x.ValidateMemory([]byte(`{"id":"m","type":"working","tree":{"left":{"up":1}}}`)), `
warning owner is missing (large.json)
warning tree.left.up is not allowed (large.json)`)
}

// Each kind of demand has words of its own.
func TestWords(t *testing.T) {
	for demand, want := range map[string]string{
		`{"properties":{"a":{"type":["integer","array"]}}}`:                             `warning a is "x": write a whole number or a list (w.json)`,
		`{"properties":{"a":{"const":"y"}}}`:                                            `warning a is "x": write "y" (w.json)`,
		`{"properties":{"a":{"enum":["y",2,null]}}}`:                                    `warning a is "x": write one of "y", 2, null (w.json)`,
		`{"properties":{"a":{"format":"email"}}}`:                                       `warning a is "x": write a valid email (w.json)`,
		`{"properties":{"a":{"format":"date-time"}}}`:                                   `warning a is "x": write a valid date-time (w.json)`,
		`{"properties":{"a":{"minLength":3}}}`:                                          `warning a is "x": write at least 3 characters (w.json)`,
		`{"properties":{"a":false}}`:                                                    `warning a is "x": its schema does not allow this (w.json)`,
		`{"properties":{"a":{"not":{}}}}`:                                               `warning a is "x": its schema does not allow this (w.json)`,
		`{"properties":{"a":{"oneOf":[{"type":"string"},{}]}}}`:                         `warning a is "x": it fits none, or more than one, of the forms that its schema allows (w.json)`,
		`{"properties":{"n":{"maximum":0.25}}}`:                                         `warning n is 1.5: write at most 0.25 (w.json)`,
		`{"properties":{"n":{"minimum":100}}}`:                                          `warning n is 1.5: write at least 100 (w.json)`,
		`{"properties":{"n":{"multipleOf":2}}}`:                                         `warning n is 1.5: multipleOf: got 1.5, want 2 (w.json)`,
		`{"properties":{"l":{"maxItems":1}}}`:                                           `warning l is a list: it has 2 elements; write at most 1 (w.json)`,
		`{"properties":{"l":{"minItems":3}}}`:                                           `warning l is a list: it has 2 elements; write at least 3 (w.json)`,
		`{"properties":{"l":{"uniqueItems":true}}}`:                                     `warning l is a list: its elements 0 and 1 are the same (w.json)`,
		`{"dependentRequired":{"a":["b c"]}}`:                                           `warning ["b c"] is missing (w.json)`,
		`{"additionalProperties":false,"patternProperties":{"^.":{}}}`:                  ``,
		`{"additionalProperties":false,"properties":{"id":{},"type":{},"n":{},"l":{}}}`: `warning a is not allowed (w.json)`,
		`{"$ref":"#"}`: `warning this is an object: its schema refers to itself without end (w.json)`,
	} {
		x, reports := Extend(map[string][]byte{"w.json": []byte(`{"x-memoryd-type":"note",` + demand[1:])})
		compare(t, reports, "")
		var got []Finding
		for _, f := range x.ValidateMemory([]byte(`{"id":"m","type":"note","a":"x","n":1.5,"l":[1,1.0]}`)) {
			if f.Path != "type" {
				got = append(got, f)
			}
		}
		t.Run(demand, func(t *testing.T) { compare(t, got, want) })
	}
}
