package cli

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/internal/op/edit"
	"github.com/memoryd/memoryd/pkg/memory"
)

func TestSetField(t *testing.T) {
	for _, test := range []struct{ doc, set, want string }{
		{`{"a":1}`, "a=2", `{"a":2}`},
		{`{ "a" : 1 , "b":2}`, "a=x", `{ "a" : "x" , "b":2}`},
		{`{"a":1}`, "b=2", `{"a":1,"b":2}`},
		{`{"a": 1, "b": 2}`, "c=3", `{"a": 1, "b": 2, "c": 3}`},
		{"{\n  \"a\": 1\n}\n", "b=2", "{\n  \"a\": 1,\n  \"b\": 2\n}\n"},
		{"{\r\n\t\"a\":1,\r\n\t\"b\" : [1]\r\n}", "c={}", "{\r\n\t\"a\":1,\r\n\t\"b\" : [1],\r\n\t\"c\" : {}\r\n}"},
		{`{}`, "a=1", `{"a":1}`},
		{`{"a":{}}`, "a.b=1", `{"a":{"b":1}}`},
		{`{"a":{"b":[1,{"c":2}]}}`, "a.b.1.c=null", `{"a":{"b":[1,{"c":null}]}}`},
		{`{"a.b":1,"a":{"b":2}}`, `a\.b=3`, `{"a.b":3,"a":{"b":2}}`},
		{`{"a":{"b":2}}`, `a.#=3`, `{"a":{"b":2,"#":3}}`},
		{`{"a":1e400}`, "b=12345678901234567890", `{"a":1e400,"b":12345678901234567890}`},
		{`{"a":"\u00e9, \"}"}`, "b=é", `{"a":"\u00e9, \"}","b":"é"}`},
		{`{"a":1}`, "a=", `{"a":""}`},
		{`{"a":1}`, "a=<b>", `{"a":"<b>"}`},
		{`{"a":1}`, "a=two words", `{"a":"two words"}`},
		{`{"a":1}`, "a.b=2", `set "/a/b": "/a" is of type number, not object or array: wrong type`},
		{`{"a":[1]}`, "a.1=2", `set "/a/1": nothing at "/a/1": not found`},
		{`{"a":[1]}`, "a.01=2", `set "/a/01": nothing at "/a/01": not found`},
		{`{"a":1}`, "x.y=2", `set "/x/y": nothing at "/x": not found`},
		{`{"a":1}`, "a", `--set "a": write KEY=VALUE, such as content.summary=…`},
		{`{"a":1}`, "=1", `--set "=1": a part of the key is empty`},
		{`{"a":1}`, "a..b=1", `--set "a..b=1": a part of the key is empty`},
		{`{"a":1}`, `a\=1`, `--set "a\\=1": a backslash ends the key`},
	} {
		path, value, err := edit.ParseSet(test.set)
		got := ""
		if err == nil {
			var doc []byte
			doc, err = memory.SetField([]byte(test.doc), value, path...)
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

func TestParseSetRoundTrip(t *testing.T) {
	escape := strings.NewReplacer(`\`, `\\`, `.`, `\.`)
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SliceOfN(rapid.StringMatching(`[a-b.\\é ]{1,4}`), 1, 3).Draw(t, "path")
		var parts []string
		for _, p := range path {
			parts = append(parts, escape.Replace(p))
		}
		got, value, err := edit.ParseSet(strings.Join(parts, ".") + "=a=b")
		if err != nil || !slices.Equal(got, path) || string(value) != `"a=b"` {
			t.Fatalf("%q: %q %s %v", path, got, value, err)
		}
	})
}
