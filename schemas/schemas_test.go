package schemas

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

var validators = map[string]func([]byte) []Finding{
	"memory": ValidateMemory, "index": ValidateIndex, "log": ValidateLog, "plan": ValidatePlan,
}

func parseSource(t *testing.T, name string) map[string]any {
	t.Helper()
	text, ok := Source(name)
	if !ok {
		t.Fatal("no schema", name)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(name, err)
	}
	return doc
}

func TestSchemasCompile(t *testing.T) {
	all := ours()
	if all.err != nil {
		t.Fatal(all.err)
	}
	if len(all.checkers) != len(validators) {
		t.Error("schemas without a validator:", Names())
	}
	for _, name := range Names() { // ours use no keyword that isn't checked
		var found findings
		all.keywords.check(all.documents[base+name+".schema.json"], &found)
		if list := found.list(); list != nil {
			t.Errorf("%s: %+v", name, list)
		}
	}
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name := strings.TrimSuffix(entry.Name(), ".schema.json"); !slices.Contains(Names(), name) {
			t.Errorf("%s is embedded but not named", entry.Name())
		}
	}
	if _, ok := Source("../go"); ok {
		t.Error("Source leads out of the schemas")
	}
}

// The examples of each schema have no findings, and each shows most of it.
func TestExamples(t *testing.T) {
	for name, validate := range validators {
		examples, _ := parseSource(t, name)["examples"].([]any)
		if len(examples) < 2 {
			t.Errorf("%s has %d examples", name, len(examples))
		}
		for i, example := range examples {
			raw, err := json.Marshal(example)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range validate(raw) {
				t.Errorf("example %d of %s: %+v", i, name, f)
			}
		}
	}
}

// Wherever a value can fail, the schema says what to write; and no object is
// closed to other members.
func TestEveryConstraintHasAdvice(t *testing.T) {
	asserts := []string{"type", "enum", "format", "pattern", "minimum", "maximum", "minLength", "not"}
	for _, name := range Names() {
		var visit func(at string, v any)
		visit = func(at string, v any) {
			switch v := v.(type) {
			case []any:
				for _, e := range v {
					visit(at+"[]", e)
				}
			case map[string]any:
				if strings.HasPrefix(at, "/examples") || strings.HasSuffix(at, "/if") || strings.HasSuffix(at, "/not") {
					return
				}
				for key, member := range v {
					if slices.Contains(asserts, key) && !strings.HasSuffix(at, "properties") && v["x-advice"] == nil {
						t.Errorf("%s%s: %s without x-advice", name, at, key)
					}
					if key == "additionalProperties" && member == false || key == "unevaluatedProperties" {
						t.Errorf("%s%s: closed to other members", name, at)
					}
					visit(at+"/"+key, member)
				}
			}
		}
		doc := parseSource(t, name)
		if doc["$id"] != base+name+".schema.json" {
			t.Errorf("%s has the $id %v", name, doc["$id"])
		}
		visit("", doc)
	}
	for key, property := range parseSource(t, "memory")["properties"].(map[string]any) {
		if property.(map[string]any)["description"] == nil {
			t.Errorf("memory: %s is not described", key)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			x, _ := Extend(map[string][]byte{"a.json": []byte(`{"x-memoryd-type":"working","required":["owner"]}`)})
			for range 100 {
				if found := x.ValidateMemory([]byte(`{"id":"m","type":"working"}`)); len(found) != 1 {
					t.Fatal(found)
				}
			}
		})
	}
}
