package mcp

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func TestFitted(t *testing.T) {
	schema := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{
		"tags": {Type: "array", Items: &jsonschema.Schema{Type: "string"}}, "mode": {Type: "string", Enum: []any{"deep"}}, "limit": {Type: "integer"}, "least": {Type: "number"}, "redact": {Type: "boolean"}, "fields": {Type: "object"}, "text": {Type: "string"},
		"content": {AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "object"}}},
		"need":    {Type: "integer"},
	}, Required: []string{"need"}}
	for given, want := range map[string]string{
		`{"tags":"[\"a\",\"b\"]"}`: `{"tags":["a","b"]}`, `{"tags":"a"}`: `{"tags":["a"]}`, `{"tags":["a"]}`: `{"tags":["a"]}`, `{"tags":""}`: `{}`,
		`{"tags":"[a"}`: `{"tags":["[a"]}`, `{"tags":null}`: `{}`, `{"tags":"{}"}`: `{"tags":["{}"]}`,
		`{"limit":"5"}`: `{"limit":5}`, `{"limit":" 5 "}`: `{"limit":5}`, `{"limit":"five"}`: `{"limit":"five"}`, `{"limit":"5.5"}`: `{"limit":"5.5"}`,
		`{"limit":"12345678901234567890"}`: `{"limit":12345678901234567890}`, `{"least":"0.5"}`: `{"least":0.5}`, `{"least":"1"}`: `{"least":1}`,
		`{"redact":"true"}`: `{"redact":true}`, `{"redact":"yes"}`: `{"redact":"yes"}`, `{"fields":"{\"a\":1}"}`: `{"fields":{"a":1}}`,
		`{"text":"5"}`: `{"text":"5"}`, `{"text":"{}"}`: `{"text":"{}"}`, `{"other":"5"}`: `{"other":"5"}`,
		`{"content":"{\"summary\":\"a\"}"}`: `{"content":{"summary":"a"}}`, `{"content":"{a}"}`: `{"content":"{a}"}`, `{"content":"[1]"}`: `{"content":"[1]"}`, `{"content":"5"}`: `{"content":"5"}`,
		`{"limit":"5.0"}`: `{"limit":5}`, `{"limit":5.0}`: `{"limit":5}`, `{"limit":5.5}`: `{"limit":5.5}`, `{"limit":1e3}`: `{"limit":1e3}`, `{"limit":""}`: `{}`,
		`{"limit":null}`: `{}`, `{"mode":""}`: `{}`, `{"text":""}`: `{"text":""}`, `{"need":""}`: `{"need":""}`, `{"need":null}`: `{"need":null}`,
		`{"redact":"False"}`: `{"redact":false}`, `{"text":5}`: `{"text":"5"}`, `{"text":true}`: `{"text":"true"}`, `{"text":{}}`: `{"text":{}}`,
		`{"tags":[1,"b",[2]]}`: `{"tags":["1","b",[2]]}`, `{"tags":7}`: `{"tags":["7"]}`, `{"tags":"[1]"}`: `{"tags":["1"]}`,
		`[]`: `[]`, `null`: `null`, ``: ``,
	} {
		if got := string(fitted(json.RawMessage(given), schema)); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}
