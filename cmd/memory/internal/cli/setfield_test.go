package cli

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/workspace"
)

func TestSetField(t *testing.T) {
	for _, test := range []struct{ doc, set, want string }{
		{`{"a":1}`, "a=2", `{"a":2}`},
		{`{ "a" : 1 , "b":2}`, "a=x", `{ "a" : "x" , "b":2}`},
		{`{"a":1}`, "b=2", `{"a":1,"b":2}`},
		{`{"a": 1, "b": 2}`, "c=3", `{"a": 1, "b": 2, "c": 3}`},
		{"{\n  \"a\": 1\n}\n", "b=2", "{\n  \"a\": 1,\n  \"b\": 2\n}\n"},
		{"{\r\n\t\"a\":1,\r\n\t\"b\" : [1]\r\n}", "c={}", "{\r\n\t\"a\":1,\r\n\t\"b\" : [1],\r\n\t\"c\" : {}\r\n}"},
		{`{}`, "a=1", `{"a": 1}`},
		{`{"a":{}}`, "a.b=1", `{"a":{"b": 1}}`},
		{`{"a":{"b":[1,{"c":2}]}}`, "a.b.1.c=null", `{"a":{"b":[1,{"c":null}]}}`},
		{`{"a.b":1,"a":{"b":2}}`, `a\.b=3`, `{"a.b":3,"a":{"b":2}}`},
		{`{"a":{"b":2}}`, `a.#=3`, `{"a":{"b":2,"#":3}}`},
		{`{"a":1e400}`, "b=12345678901234567890", `{"a":1e400,"b":12345678901234567890}`},
		{`{"a":"\u00e9, \"}"}`, "b=é", `{"a":"\u00e9, \"}","b":"é"}`},
		{`{"a":1}`, "a=", `{"a":""}`},
		{`{"a":1}`, "a=<b>", `{"a":"<b>"}`},
		{`{"a":1}`, "a=two words", `{"a":"two words"}`},
		{`{"a":1}`, "a.b=2", "set a.b: there is no a.b"},
		{`{"a":[1]}`, "a.1=2", "set a.1: there is no a.1"},
		{`{"a":[1]}`, "a.01=2", "set a.01: there is no a.01"},
		{`{"a":1}`, "x.y=2", "set x.y: there is no x"},
		{`{"a":1}`, "a", `--set "a": write KEY=VALUE, such as content.summary=…`},
		{`{"a":1}`, "=1", `--set "=1": a part of the key is empty`},
		{`{"a":1}`, "a..b=1", `--set "a..b=1": a part of the key is empty`},
		{`{"a":1}`, `a\=1`, `--set "a\\=1": a backslash ends the key`},
	} {
		path, value, err := parseSet(test.set)
		got := ""
		if err == nil {
			var doc []byte
			doc, err = workspace.SetField([]byte(test.doc), value, path...)
			got = string(doc)
		}
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s in %s: %s, want %s", test.set, test.doc, got, test.want)
		}
	}
}

// Setting a key of an object gives what encoding/json would make of it, and
// leaves the bytes before it alone.
func TestSetFieldAgreesWithEncodingJSON(t *testing.T) {
	key := rapid.StringMatching(`[a-c.#:@*"\\é]{1,3}`)
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOfN(key, rapid.OneOf(rapid.Just[any]("text"), rapid.Just[any](1.5), rapid.Just[any]([]any{"x"})), 0, 4).Draw(t, "object")
		outer := map[string]any{"k": object, "z": "after"}
		var doc []byte
		var err error
		if rapid.Bool().Draw(t, "indented") {
			doc, err = json.MarshalIndent(outer, "", "\t")
		} else {
			doc, err = json.Marshal(outer)
		}
		if err != nil {
			t.Fatal(err)
		}
		name := key.Draw(t, "key")
		got, err := workspace.SetField(slices.Clone(doc), []byte(`{"new":true}`), "k", name)
		if err != nil {
			t.Fatal(err)
		}
		object[name] = map[string]any{"new": true}
		var is any
		if err := json.Unmarshal(got, &is); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if !reflect.DeepEqual(is, any(outer)) {
			t.Fatalf("set %q in %s: %s", name, doc, got)
		}
	})
}

func TestParseSetRoundTrip(t *testing.T) {
	escape := strings.NewReplacer(`\`, `\\`, `.`, `\.`)
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SliceOfN(rapid.StringMatching(`[a-b.\\é ]{1,4}`), 1, 3).Draw(t, "path")
		var parts []string
		for _, p := range path {
			parts = append(parts, escape.Replace(p))
		}
		got, value, err := parseSet(strings.Join(parts, ".") + "=a=b")
		if err != nil || !slices.Equal(got, path) || string(value) != `"a=b"` {
			t.Fatalf("%q: %q %s %v", path, got, value, err)
		}
	})
}
