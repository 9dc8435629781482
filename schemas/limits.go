package schemas

import (
	"fmt"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// What a schema of a workspace may ask at most. A few lines of references to references can
// ask for more than a machine answers in a year, and nobody can stop the library that answers.
const (
	maxLevels    = 100     // of the schema as JSON
	maxQuestions = 100_000 // schemas that are applied to one value
	nested       = 64      // levels of a memory for which these are counted: what grows with each level exceeds any number by then
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
	if (counted{}).questions(s, nested) <= maxQuestions {
		return ""
	}
	return fmt.Sprintf("it would be asked more than %d times for one value: refer to fewer schemas that refer to others", maxQuestions)
}

// counted is what was counted, by schema and levels; -1 what is being counted.
type counted map[levelled]int

type levelled struct {
	*jsonschema.Schema
	levels int
}

// questions counts the schemas that may be applied to one value, or to one that many levels
// below it, when s is: one that several refer to, as often as they do. Beyond maxQuestions
// it counts no further.
func (k counted) questions(s *jsonschema.Schema, levels int) int {
	if s == nil || levels < 0 {
		return 0
	}
	at := levelled{s, levels}
	if n, ok := k[at]; ok {
		return max(n, 0) // of one within itself the library tells
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
func parts(s *jsonschema.Schema) (here, below, apart []*jsonschema.Schema) {
	here = []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}
	if s.DynamicRef != nil {
		here = append(here, s.DynamicRef.Ref)
	}
	here = slices.Concat(here, s.AllOf, s.AnyOf, s.OneOf, slices.Collect(maps.Values(s.DependentSchemas)))
	for _, child := range s.Dependencies {
		here = append(here, schemasIn(child)...)
	}
	below = []*jsonschema.Schema{s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema}
	below = slices.AppendSeq(below, maps.Values(s.PatternProperties))
	for _, child := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		below = append(below, schemasIn(child)...)
	}
	return here, below, slices.AppendSeq(slices.Clone(s.PrefixItems), maps.Values(s.Properties))
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
