package mcp

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func TestUnquoted(t *testing.T) {
	schema := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{
		"tags": {Type: "array"}, "limit": {Type: "integer"}, "least": {Type: "number"}, "redact": {Type: "boolean"}, "fields": {Type: "object"}, "text": {Type: "string"},
		"content": {AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "object"}}},
	}}
	for given, want := range map[string]string{
		`{"tags":"[\"a\",\"b\"]"}`: `{"tags":["a","b"]}`, `{"tags":"a"}`: `{"tags":["a"]}`, `{"tags":["a"]}`: `{"tags":["a"]}`, `{"tags":""}`: `{"tags":""}`,
		`{"tags":"[a"}`: `{"tags":["[a"]}`, `{"tags":null}`: `{"tags":null}`, `{"tags":"{}"}`: `{"tags":["{}"]}`,
		`{"limit":"5"}`: `{"limit":5}`, `{"limit":" 5 "}`: `{"limit":5}`, `{"limit":"five"}`: `{"limit":"five"}`, `{"limit":"5.5"}`: `{"limit":"5.5"}`,
		`{"limit":"12345678901234567890"}`: `{"limit":12345678901234567890}`, `{"least":"0.5"}`: `{"least":0.5}`, `{"least":"1"}`: `{"least":1}`,
		`{"redact":"true"}`: `{"redact":true}`, `{"redact":"yes"}`: `{"redact":"yes"}`, `{"fields":"{\"a\":1}"}`: `{"fields":{"a":1}}`,
		`{"text":"5"}`: `{"text":"5"}`, `{"text":"{}"}`: `{"text":"{}"}`, `{"other":"5"}`: `{"other":"5"}`,
		`{"content":"{\"summary\":\"a\"}"}`: `{"content":{"summary":"a"}}`, `{"content":"{a}"}`: `{"content":"{a}"}`, `{"content":"[1]"}`: `{"content":"[1]"}`, `{"content":"5"}`: `{"content":"5"}`,
		`[]`: `[]`, `null`: `null`, ``: ``,
	} {
		if got := string(unquoted(json.RawMessage(given), schema)); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}
