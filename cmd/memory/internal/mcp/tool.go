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
)

// tool is what hosts are told about a tool besides its types.
type tool struct {
	name, title, purpose string
	reads                bool // it changes nothing
	adds                 bool // it changes nothing that is there
	again                bool // called again with the same arguments, it does nothing more

	arguments func(map[string]*jsonschema.Schema) // narrows the schemas of arguments
}

// add offers a tool. Its function returns the result, and the same as text. Optional
// members of In and Out are tagged omitempty; lists are never null.
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
		Name: t.name, Title: t.title, Description: t.purpose, InputSchema: in, OutputSchema: schemaOf[Out](t.name),
		Annotations: &sdk.ToolAnnotations{
			Title: t.title, ReadOnlyHint: t.reads, IdempotentHint: t.again || t.reads,
			DestructiveHint: new(!t.reads && !t.adds), OpenWorldHint: new(false),
		},
	}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		args, err := decode[In](unquoted(req.Params.Arguments, in), resolved)
		if err != nil {
			return failed(refuse("Its schema in tools/list says what it takes.", "%s can't be called so: %v", t.name, err)), nil
		}
		result, text, err := run(ctx, args)
		if err != nil {
			return failed(err), nil
		}
		structured, err := marshal(result)
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

// unquoted puts values in the place of texts where a schema asks for another type: hosts quote numbers and lists, and give one
// element for a list. A text that is no such value stays, and is refused.
func unquoted(text json.RawMessage, schema *jsonschema.Schema) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return text
	}
	changed := false
	for name, raw := range members {
		property, quoted := schema.Properties[name], ""
		if property == nil || json.Unmarshal(raw, &quoted) != nil || string(raw) == "null" {
			continue
		}
		types := append([]string{property.Type}, property.Types...)
		for _, s := range property.AnyOf {
			types = append(types, s.Type)
		}
		value := []byte(strings.TrimSpace(quoted))
		is := kindOf(value)
		switch {
		case is != "" && slices.Contains(types, is), is == "integer" && slices.Contains(types, "number"):
			members[name], changed = value, true
		case slices.Contains(types, "array") && !slices.Contains(types, "string") && len(value) > 0:
			members[name], changed = append(append([]byte{'['}, raw...), ']'), true
		}
	}
	if !changed {
		return text
	}
	out, err := marshal(members)
	if err != nil {
		return text
	}
	return out
}

// kindOf is the type of a JSON value as schemas name it; "" for a text, null, and what is none.
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

// marshal writes JSON with <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
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

// strict writes alternatives of types as anyOf: some hosts take no list of types.
func strict(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	for _, t := range s.Types {
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: t})
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

// above0 is a number that says something.
func above0(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
