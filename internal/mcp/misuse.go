package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
)

// misuse says in our words what is wrong with the arguments of a tool: which are missing, unknown or out of their bounds. What it
// has no words for it takes from the library.
func misuse(text json.RawMessage, schema *jsonschema.Schema, err error) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil && len(text) > 0 && string(text) != "null" {
		return "the arguments are not an object"
	}
	var wrong []string
	for _, name := range schema.Required {
		if _, given := members[name]; !given {
			wrong = append(wrong, fmt.Sprintf("%q is missing%s", name, whatFits(schema.Properties[name])))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		property := schema.Properties[name]
		if property == nil {
			unknown := fmt.Sprintf("unknown argument %q", document.Short(name, 80))
			if near := app.Closest(name, slices.Collect(maps.Keys(schema.Properties))); near != "" {
				unknown += ": did you mean " + near + "?"
			}
			wrong = append(wrong, unknown)
			continue
		}
		if text := misfit(members[name], property); text != "" {
			wrong = append(wrong, fmt.Sprintf("%q %s", name, text))
		}
	}
	if len(wrong) == 0 {
		return err.Error()
	}
	return strings.Join(wrong, "; ")
}

// misfit says why a value isn't what its schema asks for; "" where it is, or we have no words for it.
func misfit(raw json.RawMessage, s *jsonschema.Schema) string {
	resolved, err := s.Resolve(nil)
	if err != nil {
		return ""
	}
	var v any
	if json.Unmarshal(raw, &v) != nil || resolved.Validate(v) == nil {
		return ""
	}
	types := slices.DeleteFunc(typesOf(s), func(t string) bool { return t == "" || t == "null" })
	switch is := kindOf(raw); {
	case string(raw) == "null":
		return "is null: write " + orList(types)
	case len(s.Enum) > 0:
		return fmt.Sprintf("is %s: write %s", document.Short(string(raw), 80), words(s.Enum))
	case is != "" && !slices.Contains(types, is) && (is != "integer" || !slices.Contains(types, "number")):
		return fmt.Sprintf("is %s: write %s", document.Short(string(raw), 80), orList(types))
	case s.MaxLength != nil && len([]rune(string(raw))) > *s.MaxLength:
		return fmt.Sprintf("is too long: at most %d characters", *s.MaxLength)
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("is %s: write a number from %v to %v", document.Short(string(raw), 80), *s.Minimum, *s.Maximum)
	case s.MinLength != nil && is == "":
		return "is empty"
	case is == "array" && s.Items != nil:
		return misfitList(raw, s)
	}
	return ""
}

func misfitList(raw json.RawMessage, s *jsonschema.Schema) string {
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return ""
	}
	for i, e := range elements {
		if text := misfit(e, s.Items); text != "" {
			return fmt.Sprintf("element %d %s", i+1, text)
		}
	}
	switch {
	case s.MaxItems != nil && len(elements) > *s.MaxItems:
		return fmt.Sprintf("has %d elements: at most %d", len(elements), *s.MaxItems)
	case s.MinItems != nil && len(elements) < *s.MinItems:
		return fmt.Sprintf("has %d elements: at least %d", len(elements), *s.MinItems)
	}
	return ""
}

// whatFits says what an argument may be.
func whatFits(s *jsonschema.Schema) string {
	switch {
	case s == nil:
		return ""
	case len(s.Enum) > 0:
		return ": " + words(s.Enum)
	case s.Description != "":
		return ": " + s.Description
	}
	return ""
}

func words(options []any) string {
	var all []string
	for _, o := range options {
		all = append(all, fmt.Sprint(o))
	}
	return orList(all)
}

func orList(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}
