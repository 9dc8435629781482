package jsonedit

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

const pretty = `{
  "id": "mem_1",
  "tags": ["a", "b"],
  "content": {
    "title": "caf\u00e9 \/ <b>",
    "n": 12345678901234567890
  },
  "refs": [
    {
      "type": "x"
    },
    {
      "type": "y"
    }
  ]
}
`

// Every row shows the whole document before and after one edit.
func TestApply(t *testing.T) {
	long := `"` + strings.Repeat("x", surveyLimit) + `"`
	tests := []struct {
		name string
		doc  string
		edit Edit
		want string
	}{
		{"replace keeps all else", pretty, Set([]byte(`"mem_2"`), "id"), strings.Replace(pretty, "mem_1", "mem_2", 1)},
		{"replace nested", pretty, Set([]byte(`1e400`), "content", "n"), strings.Replace(pretty, "12345678901234567890", "1e400", 1)},
		{"replace element", pretty, Set([]byte(`"c"`), "tags", "1"), strings.Replace(pretty, `"b"`, `"c"`, 1)},
		{"replace is verbatim", `{"a": 1}`, Set([]byte(" [1,\n2] \n"), "a"), "{\"a\": [1,\n2]}"},
		{"replace all", "\ufeff {} \r\n", Set([]byte("[1]")), "\ufeff [1] \r\n"},
		{"through an element", pretty, Set([]byte(`"z"`), "refs", "1", "type"), strings.Replace(pretty, `"y"`, `"z"`, 1)},

		{"insert scalar", "{\n  \"a\": 1\n}\n", Set([]byte("2"), "b"), "{\n  \"a\": 1,\n  \"b\": 2\n}\n"},
		{"insert with CRLF and tabs", "{\r\n\t\"a\": 1\r\n}", Set([]byte("2"), "b"), "{\r\n\t\"a\": 1,\r\n\t\"b\": 2\r\n}"},
		{"insert compact", `{"a":1,"c":2}`, Set([]byte("2"), "b"), `{"a":1,"c":2,"b":2}`},
		{"insert spaced", `{"a": 1, "c": 2}`, Set([]byte("2"), "b"), `{"a": 1, "c": 2, "b": 2}`},
		{"insert second, compact", `{"a":1}`, Set([]byte("2"), "b"), `{"a":1,"b":2}`},
		{"insert second, spaced", `{"a": 1}`, Set([]byte("2"), "b"), `{"a": 1, "b": 2}`},
		{"insert padded", `{ "a" : 1 }`, Set([]byte("2"), "b"), `{ "a" : 1, "b" : 2 }`},
		{"insert, commas first", "{ \"a\": 1\n, \"b\": 2\n}", Set([]byte("3"), "c"), "{ \"a\": 1\n, \"b\": 2\n, \"c\": 3\n}"},
		{"insert without indentation", "{\n\"a\": 1\n}", Set([]byte("2"), "b"), "{\n\"a\": 1,\n\"b\": 2\n}"},
		{"insert after a value on its own line", "{\"a\":\n 1}", Set([]byte("2"), "b"), "{\"a\":\n 1, \"b\": 2}"},
		{"insert into empty", `{}`, Set([]byte("2"), "b"), `{"b":2}`},
		{"insert into empty, trailing newline", "{}\n", Set([]byte("2"), "b"), "{\"b\":2}\n"},
		{"insert into empty, broken", "{\n}", Set([]byte("2"), "b"), "{\n  \"b\": 2\n}"},
		{"insert into empty of pretty", "{\n  \"a\": {}\n}", Set([]byte("2"), "a", "b"), "{\n  \"a\": {\n    \"b\": 2\n  }\n}"},
		{"insert into empty of compact", `{"x":"y","a":{}}`, Set([]byte("2"), "a", "b"), `{"x":"y","a":{"b":2}}`},
		{"insert quotes the key", `{}`, Set([]byte("1"), "a\"\n<&>\u2028"), "{\"a\\\"\\n<&>\u2028\":1}"},
		{"insert compact object into pretty", "{\n    \"a\": 1\n}", Set([]byte(`{"x":[1,{"y":[]}]}`), "b"),
			"{\n    \"a\": 1,\n    \"b\": {\n        \"x\": [\n            1,\n            {\n                \"y\": []\n            }\n        ]\n    }\n}"},
		{"insert list into pretty, as others stand", pretty, Set([]byte(`["m1","m2"]`), "old"),
			strings.Replace(pretty, "\n  ]\n}", "\n  ],\n  \"old\": [\"m1\", \"m2\"]\n}", 1)},
		{"insert spaced value as it is", "{\n  \"a\": 1\n}", Set([]byte(`{"x": 1}`), "b"), "{\n  \"a\": 1,\n  \"b\": {\"x\": 1}\n}"},
		{"insert many lines into pretty", "{\r\n\t\"a\": 1\r\n}", Set([]byte("{\n  \"x\": [\n    1\n  ]\n}"), "b"),
			"{\r\n\t\"a\": 1,\r\n\t\"b\": {\r\n\t\t\"x\": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}"},
		{"insert many lines into compact", `{"a":1}`, Set([]byte("{\n  \"x\": [\n    1,\n 2 ]\n}"), "b"), `{"a":1,"b":{"x":[1,2]}}`},
		{"insert many lines into spaced", `{"a": 1}`, Set([]byte("{\n  \"x\":[\n    1,\n 2 ]\n}"), "b"), `{"a": 1, "b": {"x": [1, 2]}}`},

		{"delete first", "{\n  \"a\": 1,\n  \"b\": 2\n}", Delete("a"), "{\n  \"b\": 2\n}"},
		{"delete last", "{\n  \"a\": 1,\n  \"b\": 2\n}", Delete("b"), "{\n  \"a\": 1\n}"},
		{"delete middle", `{"a": 1, "b": 2, "c": 3}`, Delete("b"), `{"a": 1, "c": 3}`},
		{"delete only", "{\n  \"a\": 1\n}", Delete("a"), "{}"},
		{"delete element", pretty, Delete("refs", "0"), strings.Replace(pretty, "    {\n      \"type\": \"x\"\n    },\n", "", 1)},
		{"delete absent", pretty, Delete("nothing"), pretty},
		{"delete below absent", pretty, Delete("nothing", "at", "all"), pretty},
		{"delete element out of range", pretty, Delete("tags", "2"), pretty},
		{"delete from array by a name", pretty, Delete("tags", "x"), pretty},
		{"delete escaped key", `{"caf\u00e9":1,"b":2}`, Delete("café"), `{"b":2}`},

		{"append inline in pretty", pretty, Append([]byte(`"c"`), "tags"), strings.Replace(pretty, `"b"]`, `"b", "c"]`, 1)},
		{"append to tight", "{\n  \"tags\": [\"a\",\"b\"]\n}", Append([]byte(`"c"`), "tags"), "{\n  \"tags\": [\"a\",\"b\",\"c\"]\n}"},
		{"append to one inline in pretty", "{\n  \"tags\": [\"a\"]\n}", Append([]byte(`"c"`), "tags"), "{\n  \"tags\": [\"a\", \"c\"]\n}"},
		{"append to pretty", pretty, Append([]byte(`{"type":"z"}`), "refs"),
			strings.Replace(pretty, "\"y\"\n    }\n", "\"y\"\n    },\n    {\n      \"type\": \"z\"\n    }\n", 1)},
		{"append to one element per line", "[\n {\"a\":1},\n {\"a\":2}\n]", Append([]byte(`{"a":3,"b":4}`)), "[\n {\"a\":1},\n {\"a\":2},\n {\"a\":3,\"b\":4}\n]"},
		{"append as siblings, not as the document", "{\"x\": [1, 2], \"e\": [\n {\"a\":1},\n {\"a\":2}\n]}", Append([]byte(`{"a":3,"b":4}`), "e"),
			"{\"x\": [1, 2], \"e\": [\n {\"a\":1},\n {\"a\":2},\n {\"a\":3,\"b\":4}\n]}"},
		{"append as spaced siblings", "[\n {\"a\": 1},\n {\"a\": 2}\n]", Append([]byte(`{"a":3,"b":4}`)), "[\n {\"a\": 1},\n {\"a\": 2},\n {\"a\": 3, \"b\": 4}\n]"},
		{"append to hugging brackets", "[{\n  \"a\": 1\n}, {\n  \"a\": 2\n}]", Append([]byte(`{"a":3}`)), "[{\n  \"a\": 1\n}, {\n  \"a\": 2\n}, {\n  \"a\": 3\n}]"},
		{"append to hugging brackets inside", "{\n  \"e\": [{\n    \"a\": 1\n  }]\n}", Append([]byte(`{"a":2}`), "e"), "{\n  \"e\": [{\n    \"a\": 1\n  }, {\n    \"a\": 2\n  }]\n}"},
		{"append many lines to hugging brackets", "{\n  \"e\": [{\n    \"a\": 1\n  }]\n}", Append([]byte("{\n\t\"a\": 2\n}"), "e"), "{\n  \"e\": [{\n    \"a\": 1\n  }, {\n    \"a\": 2\n  }]\n}"},
		{"the first example counts", "{\n  \"x\": [1],\n  \"y\": [\n    2\n  ],\n  \"tags\": []\n}", Append([]byte(`"a"`), "tags"), "{\n  \"x\": [1],\n  \"y\": [\n    2\n  ],\n  \"tags\": [\"a\"]\n}"},
		{"append to empty root", `[]`, Append([]byte(`1`)), `[1]`},
		{"append to empty, no example", "{\n  \"tags\": []\n}", Append([]byte(`"a"`), "tags"), "{\n  \"tags\": [\n    \"a\"\n  ]\n}"},
		{"append to empty, inline example", "{\n  \"refs\": [\"x\"],\n  \"tags\": []\n}", Append([]byte(`"a"`), "tags"), "{\n  \"refs\": [\"x\"],\n  \"tags\": [\"a\"]\n}"},
		{"append object to empty of pretty", "{\n  \"names\": [\"x\"],\n  \"entries\": []\n}\n", Append([]byte(`{"id":1,"tags":["a","b"]}`), "entries"),
			"{\n  \"names\": [\"x\"],\n  \"entries\": [\n    {\n      \"id\": 1,\n      \"tags\": [\"a\", \"b\"]\n    }\n  ]\n}\n"},
		{"append to padded in compact", `{"a":[ 1 ],"b":2}`, Append([]byte(`3`), "a"), `{"a":[ 1, 3 ],"b":2}`},
		{"append, example too far away", "{\n  \"tags\": [],\n  \"s\": " + long + ",\n  \"refs\": [\"x\"]\n}", Append([]byte(`"a"`), "tags"),
			"{\n  \"tags\": [\n    \"a\"\n  ],\n  \"s\": " + long + ",\n  \"refs\": [\"x\"]\n}"},
		{"append to empty with a space", `{"a": [ ]}`, Append([]byte(`1`), "a"), `{"a": [ 1 ]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := []byte(tt.doc)
			got, err := Apply(doc, tt.edit)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if string(doc) != tt.doc {
				t.Errorf("input changed to %q", doc)
			}
		})
	}
}

// Keys that mean something in the path syntax of gjson and sjson are plain.
func TestKeysAreLiteral(t *testing.T) {
	keys := []string{"", ":", ":a", ":123", "#", "a.b", "a|b", "@keys", "@this", "?", "*", "what?", "u.#.n", "#(n==1)",
		"\\", "a\\.b", "!x", "[a]", "{a}", "0", "123", "-1", "~", "/", "é", "e\u0301", "\x00", "\"", "<&>", "..", " ", "id "}
	doc := []byte(`{"id": 1}`)
	for i, k := range keys {
		raw := fmt.Appendf(nil, "%d", i)
		out, err := Apply(doc, Set([]byte("null"), k), Set(raw, k))
		if err != nil {
			t.Fatalf("set %q: %v", k, err)
		}
		want := fmt.Sprintf(`{"id": 1, %s: %d}`, Quote(k), i)
		if string(out) != want {
			t.Errorf("set %q = %s, want %s", k, out, want)
		}
		if r, ok := Get(out, k); !ok || r.Raw != string(raw) || string(out[r.Index:r.Index+len(r.Raw)]) != r.Raw {
			t.Errorf("Get %q = %q, %v", k, r.Raw, ok)
		}
		if back, err := Apply(out, Delete(k)); err != nil || string(back) != string(doc) {
			t.Errorf("delete %q = %s, %v", k, back, err)
		}
	}
}

// Duplicate keys off the path are none of the edit's business.
func TestApplyKeepsDuplicatesElsewhere(t *testing.T) {
	doc := `{"a":1,"b":{"x":1,"x":2},"c":[{"y":1,"y":2}]}`
	got, err := Apply([]byte(doc), Set([]byte("0"), "a"), Append([]byte("3"), "c"))
	if want := `{"a":0,"b":{"x":1,"x":2},"c":[{"y":1,"y":2},3]}`; err != nil || string(got) != want {
		t.Errorf("= %s, %v; want %s", got, err, want)
	}
}

func TestApplyNothing(t *testing.T) {
	doc := []byte("\ufeff{}\n")
	got, err := Apply(doc)
	if err != nil || string(got) != string(doc) {
		t.Fatalf("= %q, %v", got, err)
	}
	if got[3] = '['; doc[3] != '{' {
		t.Error("the result shares memory with the document")
	}
}

// An error in a later edit takes back the earlier ones.
func TestApplyIsAllOrNothing(t *testing.T) {
	doc := []byte(`{"a":1}`)
	got, err := Apply(doc, Set([]byte("2"), "a"), Set([]byte("2"), "b", "c"))
	if !errors.Is(err, ErrNotFound) || got != nil || string(doc) != `{"a":1}` {
		t.Errorf("= %s, %v with document %s", got, err, doc)
	}
}

// Documents that make inserted white space explode stay small.
func TestInsertDoesNotExplode(t *testing.T) {
	wide := strings.Repeat(" ", 50_000)
	for _, doc := range []string{
		"{\n" + wide + "\"a\": 1\n}",
		"{\n  \"x\": {\n" + wide + "\"y\": 1\n  },\n  \"a\": 1\n}",
		strings.Repeat("[\n", 500) + wide + "1" + strings.Repeat("]", 500),
	} {
		path := []string{"new"}
		if doc[0] == '[' {
			path = zeros(499)
		}
		for _, raw := range []string{
			strings.Repeat("[", 400) + strings.Repeat("1,", 20_000) + "1" + strings.Repeat("]", 400),
			"[\n\t1" + strings.Repeat(",\n\t1", 20_000) + "\n]",
		} {
			e := Set([]byte(raw), path...)
			if doc[0] == '[' {
				e = Append([]byte(raw), path...)
			}
			got, err := Apply([]byte(doc), e)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) > len(doc)+60*len(raw) {
				t.Errorf("%d + %d bytes became %d", len(doc), len(raw), len(got))
			}
		}
	}
}

// On plain keys that exist sjson replaces just the value, as Set does.
func TestSetAgreesWithSjson(t *testing.T) {
	docs := []string{pretty, motley, string(indexDocument(3)), string(Compact([]byte(pretty)))}
	for _, doc := range docs {
		var walk func(r gjson.Result, path []string)
		walk = func(r gjson.Result, path []string) {
			for _, raw := range []string{`1.10`, `"\/"`, `{"x": [ ]}`} {
				if len(path) == 0 {
					break
				}
				want, err := sjson.SetRaw(doc, strings.Join(path, "."), raw)
				if err != nil {
					t.Fatal(err)
				}
				got, err := Apply([]byte(doc), Set([]byte(raw), path...))
				if err != nil || string(got) != want {
					t.Errorf("set %v in %.60q: %v\n got %s\nwant %s", path, doc, err, got, want)
				}
			}
			i := 0
			r.ForEach(func(k, v gjson.Result) bool {
				name := k.Str
				if r.IsArray() {
					name = fmt.Sprint(i)
				} else if !r.IsObject() {
					return false
				}
				i++
				walk(v, append(path[:len(path):len(path)], name))
				return true
			})
		}
		walk(gjson.Parse(doc), nil)
	}
}

// motley mixes what people and programs write.
const motley = "{ \"a\" : 1E+2 ,\r\n\t\"b\":[ 1 ,2,\n 3 ],\"c\":{\"d\":null ,\"e\":{ }}\n,\"f\":\"\\u0041\\\"\"}"
