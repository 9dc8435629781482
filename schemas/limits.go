package schemas

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// What a schema of a workspace may ask at most. A few lines of references to references can
// ask for more than a machine answers in a year, and nobody can stop the library that answers.
const (
	maxLevels    = 100     // of the schema as JSON
	maxQuestions = 100_000 // schemas that are applied to one memory, where each is followed once
)

// tooDeep reports whether a document has more levels than a schema may have.
func tooDeep(v any, levels int) bool {
	if levels < 0 {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, child := range v {
			if tooDeep(child, levels-1) {
				return true
			}
		}
	case []any:
		for _, child := range v {
			if tooDeep(child, levels-1) {
				return true
			}
		}
	}
	return false
}

// tooMuch is what is wrong with a schema that asks for more than can be answered; "" for
// nothing.
func tooMuch(s *jsonschema.Schema) string {
	if questions(s, map[*jsonschema.Schema]int{}) <= maxQuestions {
		return ""
	}
	return fmt.Sprintf("it would be asked more than %d times for one memory: refer to fewer schemas that refer to others", maxQuestions)
}

// questions counts the schemas that are applied when s is: those that several refer to, as
// often as they do; a schema within itself, once. known is what was counted, -1 what is being
// counted. Beyond maxQuestions it counts no further.
func questions(s *jsonschema.Schema, known map[*jsonschema.Schema]int) int {
	if s == nil {
		return 0
	}
	if n, ok := known[s]; ok {
		return max(n, 0)
	}
	known[s] = -1
	n := 1
	for _, child := range parts(s) {
		n = min(n+questions(child, known), maxQuestions+1)
	}
	known[s] = n
	return n
}

// parts are the schemas that a schema is made of.
func parts(s *jsonschema.Schema) []*jsonschema.Schema {
	all := []*jsonschema.Schema{
		s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema,
	}
	if s.DynamicRef != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		all = append(all, list...)
	}
	for _, m := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
		for _, child := range m {
			all = append(all, child)
		}
	}
	for _, child := range s.PatternProperties {
		all = append(all, child)
	}
	for _, child := range s.Dependencies {
		all = append(all, schemasIn(child)...)
	}
	for _, child := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		all = append(all, schemasIn(child)...)
	}
	return all
}

// schemasIn are those in a keyword that may be something else.
func schemasIn(v any) []*jsonschema.Schema {
	switch v := v.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{v}
	case []*jsonschema.Schema:
		return v
	}
	return nil
}
