package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/document"
)

// tool is what hosts are told about a tool besides its types.
type tool struct {
	name, title, purpose string
	reads                bool // it changes nothing
	adds                 bool // it changes nothing that is there
	again                bool // called again with the same arguments, it does nothing more

	arguments func(map[string]*jsonschema.Schema) // narrows the schemas of arguments
}

// add offers a tool. Its function returns the result, a document, and the same as text. Optional
// members of In are tagged omitempty. The schemas of results are not offered: they would be most of the
// list of tools, which hosts put before the model. [document.OfTool] tells which they are.
//
// The library can do the same, but decodes arguments by way of floating point.
func add[In, Out any](s *sdk.Server, t tool, run func(context.Context, In) (Out, string, error)) {
	in := schemaOf[In](t.name)
	if t.arguments != nil {
		t.arguments(in.Properties)
	}
	strict(in)
	resolved, err := in.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", t.name, err)) // a mistake in its types: no test would pass
	}
	s.AddTool(&sdk.Tool{
		Name: t.name, Title: t.title, Description: t.purpose, InputSchema: in,
		Annotations: &sdk.ToolAnnotations{
			Title: t.title, ReadOnlyHint: t.reads, IdempotentHint: t.again || t.reads,
			DestructiveHint: new(!t.reads && !t.adds), OpenWorldHint: new(false),
		},
	}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		args, err := decode[In](fitted(req.Params.Arguments, in), resolved)
		if err != nil {
			return failed(refuse("Its schema in tools/list says what it takes.", "%s: %s", t.name, misuse(fitted(req.Params.Arguments, in), in, err))), nil
		}
		result, text, err := run(ctx, args)
		if err != nil {
			return failed(err), nil
		}
		structured, err := document.Marshal(result)
		if err != nil {
			return failed(fmt.Errorf("%s: write the result: %w", t.name, err)), nil
		}
		return &sdk.CallToolResult{
			Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: json.RawMessage(structured),
		}, nil
	})
}

// decode reads arguments that fit the schema; none stand for an empty object.
func decode[In any](text json.RawMessage, schema *jsonschema.Resolved) (args In, err error) {
	if len(text) == 0 || string(text) == "null" {
		text = json.RawMessage("{}")
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return args, err
	}
	if err := schema.Validate(v); err != nil {
		return args, err
	}
	return args, json.Unmarshal(text, &args)
}

// fitted writes arguments as the schema asks for them, where only the way of writing differs: hosts quote numbers, lists and objects,
// give one element for a list, and fill in what they leave open with null or an empty text. What fits in no way stays, and is refused.
func fitted(text json.RawMessage, schema *jsonschema.Schema) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return text
	}
	changed := false
	for name, raw := range members {
		property := schema.Properties[name]
		switch {
		case property == nil:
		case isOpen(raw, property) && !slices.Contains(schema.Required, name):
			delete(members, name)
			changed = true
		default:
			value := fittedValue(raw, property)
			changed = changed || !bytes.Equal(value, raw)
			members[name] = value
		}
	}
	if !changed {
		return text
	}
	out, err := document.Marshal(members)
	if err != nil {
		return text
	}
	return out
}

// isOpen reports whether a value says nothing: null, or an empty text where the schema has no use for one.
func isOpen(raw json.RawMessage, s *jsonschema.Schema) bool {
	if string(raw) == "null" {
		return true
	}
	said := ""
	return json.Unmarshal(raw, &said) == nil && strings.TrimSpace(said) == "" && (len(s.Enum) > 0 || !slices.Contains(typesOf(s), "string"))
}

func typesOf(s *jsonschema.Schema) []string {
	types := append([]string{s.Type}, s.Types...)
	for _, one := range s.AnyOf {
		types = append(types, one.Type)
	}
	return types
}

// fittedValue is a value as a schema asks for it.
func fittedValue(raw json.RawMessage, s *jsonschema.Schema) json.RawMessage {
	types, said := typesOf(s), ""
	wants := func(kind string) bool { return slices.Contains(types, kind) }
	quoted := len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &said) == nil
	value := json.RawMessage(strings.TrimSpace(said))
	if !quoted {
		value = raw
	} else if lower := strings.ToLower(string(value)); wants("boolean") && (lower == "true" || lower == "false") {
		return json.RawMessage(lower) // as Python writes them
	}
	switch is := kindOf(value); {
	case is == "array" && wants("array"):
		return fittedList(value, s.Items)
	case is != "" && wants(is), is == "integer" && wants("number"):
		return value
	case is == "number" && wants("integer") && isWhole(value):
		return value[:bytes.IndexByte(value, '.')]
	case quoted && wants("string"):
	case wants("array") && len(value) > 0:
		return fittedList(slices.Concat(json.RawMessage{'['}, raw, json.RawMessage{']'}), s.Items)
	case wants("string") && (is == "integer" || is == "number" || is == "boolean"):
		return slices.Concat(json.RawMessage{'"'}, raw, json.RawMessage{'"'})
	}
	return raw
}

// fittedList is a list with its elements as a schema asks for them.
func fittedList(raw json.RawMessage, s *jsonschema.Schema) json.RawMessage {
	var elements []json.RawMessage
	if s == nil || json.Unmarshal(raw, &elements) != nil {
		return raw
	}
	changed := false
	for i, e := range elements {
		elements[i] = fittedValue(e, s)
		changed = changed || !bytes.Equal(e, elements[i])
	}
	if out, err := document.Marshal(elements); changed && err == nil {
		return out
	}
	return raw
}

// isWhole reports whether a number is a whole one that is written with a fraction, such as 5.0.
func isWhole(number []byte) bool {
	_, fraction, ok := bytes.Cut(number, []byte("."))
	return ok && len(bytes.Trim(fraction, "0")) == 0
}

// kindOf is the type of a JSON value as schemas name it; "" for a text, null, and what is no JSON.
func kindOf(value []byte) string {
	if !json.Valid(value) {
		return ""
	}
	switch c := value[0]; {
	case c == '{':
		return "object"
	case c == '[':
		return "array"
	case c == 't', c == 'f':
		return "boolean"
	case c == '-' || '0' <= c && c <= '9':
		if bytes.ContainsAny(value, ".eE") {
			return "number"
		}
		return "integer"
	}
	return ""
}

// failed is the result of a tool that could not do it.
func failed(err error) *sdk.CallToolResult {
	result := &sdk.CallToolResult{}
	result.SetError(explained(err))
	return result
}

// schemaOf infers the schema of a type.
func schemaOf[T any](tool string) *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", tool, err)) // a mistake in its types: no test would pass
	}
	unnull(s)
	strict(s)
	return s
}

// unnull takes out that lists may be null, which Go's are when they are empty.
func unnull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, p := range s.Properties {
		unnull(p)
	}
	unnull(s.Items)
}

// strict writes alternatives of types as anyOf, and the description in the first of them: some hosts take no list of types, and nothing next to anyOf.
func strict(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	for _, t := range s.Types {
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: t, Description: s.Description})
		s.Description = ""
	}
	s.Types = nil
	for _, p := range s.Properties {
		strict(p)
	}
	strict(s.Items)
}

// Narrower schemas of arguments.

func oneOf(s *jsonschema.Schema, values ...string) {
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
}

func between(s *jsonschema.Schema, least, most, ifAbsent int) {
	s.Minimum, s.Maximum = new(float64(least)), new(float64(most))
	if ifAbsent != 0 {
		s.Default = fmt.Appendf(nil, "%d", ifAbsent)
	}
}

func items(s *jsonschema.Schema, least, most int) { s.MinItems, s.MaxItems = above0(least), &most }

func chars(s *jsonschema.Schema, least, most int) { s.MinLength, s.MaxLength = above0(least), &most }

// scopeOnly is for tools of whose arguments only the scope is to be narrowed.
func scopeOnly(a map[string]*jsonschema.Schema) { chars(a["scope"], 0, 300) }

// above0 is a number that says something.
func above0(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
