package schemas

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// values are of every kind that a member may have, right and wrong.
var values = []string{
	`null`, `true`, `0`, `7`, `-1`, `0.5`, `1.5`, `1e3`, `1e999999`, `12345678901234567890`, `""`, `"a"`, `"m"`, `"a b"`, `"a/b"`, `"a\\b"`, `"\u0061"`, `"é"`, `".."`, `"a:b"`, `"/a"`, `"x/../y"`,
	`"semantic"`, `"Semantic"`, `"global"`, `"GLOBAL"`, `"high"`, `"permanent"`, `"30d"`, `"PT"`, `"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05+01:00"`, `"2026-01-02"`, `"yesterday"`,
	`[]`, `["a"]`, `["m"]`, `[1]`, `[null]`, `[["a"]]`, `[{}]`, `[{"id":"m"}]`, `[{"id":"m","file_path":"a.json"}]`, `[{"id":1}]`, `{}`, `{"a":1}`, `{"a":["b"]}`, `{"a":1,"a":2}`, `{"a":[1]}`,
}

// members returns the names that our schemas have anything to say about.
func members(t *testing.T, schema string) (names []string) {
	var doc any
	if err := json.Unmarshal(must(Source(schema)), &doc); err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if properties, ok := v["properties"].(map[string]any); ok {
				for name := range properties {
					names = append(names, name)
				}
			}
			for _, child := range v {
				walk(child)
			}
		case []any:
			for _, child := range v {
				walk(child)
			}
		}
	}
	walk(doc)
	return names
}

func must(text []byte, _ bool) []byte { return text }

// What counts as plain has no finding: every member of the schemas with every value, at
// the top, in the content, in an entry.
func TestPlain(t *testing.T) {
	plain := 0
	check := func(raw string) {
		t.Helper()
		if plainMemory([]byte(raw)) {
			plain++
			if found := validate("memory", []byte(raw), checkMemory); found != nil {
				t.Errorf("plain memory %s: %+v", raw, found)
			}
		}
		if plainIndex([]byte(raw)) {
			plain++
			if found := validate("index", []byte(raw)); found != nil {
				t.Errorf("plain index %s: %+v", raw, found)
			}
		}
	}
	for _, value := range values {
		for _, name := range append(members(t, "memory"), "Tags", "createdAt", "unknown", "") {
			check(fmt.Sprintf(`{"id":"m","%s":%s}`, name, value))
			check(fmt.Sprintf(`{"%s":%s}`, name, value))
			for _, kind := range []string{"factual", "procedural", "episodic", "semantic", "working", "other"} {
				check(fmt.Sprintf(`{"id":"m","type":"%s","content":{"%s":%s}}`, kind, name, value))
			}
		}
		for _, name := range append(members(t, "index"), "unknown") {
			check(fmt.Sprintf(`{"%s":%s}`, name, value))
			check(fmt.Sprintf(`{"entries":[{"id":"m","%s":%s}]}`, name, value))
			check(fmt.Sprintf(`{"entries":[],"memories":[{"%s":%s}]}`, name, value))
		}
		check(value)
	}
	if plain < 500 {
		t.Errorf("only %d documents were plain", plain)
	}
}

// What memoryd writes is plain, or the short cut would cut nothing short.
func TestUsualIsPlain(t *testing.T) {
	memory := `{"id":"mem_1","type":"semantic","created_by":"DEV-001","created_at":"2026-01-02T03:04:05Z","updated_at":null,"last_accessed":null,"access_count":3,
		"priority":"high","confidence":0.7,"tags":["a","é"],"content":{"title":"t","summary":"s","details":"d \"quoted\""},"supersedes":["mem_0"],"theirs":{"x":1}}`
	if !plainMemory([]byte(memory)) {
		t.Error("a usual memory is not plain")
	}
	index := `{"version":"1.0.0","last_updated":"2026-03-01T09:00:00Z","entry_count":1,"entries":[{"id":"mem_1","type":"semantic","tags":["a"],"summary":"s \"q\"",
		"file_path":"sub/mem_1.json","created_at":"2026-03-01T09:00:00Z"}],"tag_index":{"a":["mem_1"]},"type_index":{"semantic":["mem_1"]}}`
	if !plainIndex([]byte(index)) {
		t.Error("a usual index is not plain")
	}
}

// Several members at a time, with repeats.
func TestPlainTogether(t *testing.T) {
	names := append(members(t, "memory"), "id", "id", "other")
	rapid.Check(t, func(t *rapid.T) {
		object := func(names []string) string {
			out := ""
			for range rapid.IntRange(0, 6).Draw(t, "members") {
				out += fmt.Sprintf(`,"%s":%s`, rapid.SampledFrom(names).Draw(t, "name"), rapid.SampledFrom(values).Draw(t, "value"))
			}
			return out
		}
		raw := []byte(`{"id":"m"` + object(names) + `,"content":{"title":"t"` + object(names) + `}}`)
		if plainMemory(raw) {
			if found := validate("memory", raw, checkMemory); found != nil {
				t.Fatalf("%s: %+v", raw, found)
			}
		}
	})
}
