package schemas

import (
	"slices"
	"strings"
	"testing"
)

// checkFindings holds for any document.
func checkFindings(t *testing.T, found []Finding) {
	t.Helper()
	if len(found) > maxFindings {
		t.Fatalf("%d findings", len(found))
	}
	seen := map[string]bool{}
	for i, f := range found {
		if f.Message == "" || strings.ContainsAny(f.Message, "\n\x00") {
			t.Fatalf("message %q", f.Message)
		}
		if f.Severity != Error && f.Severity != Warning {
			t.Fatalf("severity %q", f.Severity)
		}
		if seen[f.Path] && i < maxFindings-1 {
			t.Fatalf("two findings for %q: %+v", f.Path, found)
		}
		seen[f.Path] = true
	}
}

func FuzzValidate(f *testing.F) {
	for _, s := range []string{
		`{"id":"m","tags":[1],"created_at":"2026-01-01","access_count":1e9999999}`, `[]`, ``, "\ufeff{}", `{"entries":[{"file_path":".."}]}`,
		`{"log":[{"actions":[{"type":"merge"}]}]}`, `{"run_id":"r","at":"x","actions":[{"type":"x"}],"skipped":[{}]}`,
		`{"id":"m","Id":"n","id":"o","content":{"a":1,"a":2},"supersedes":["m"]}`, "{\"\x01\":1}", `{"id":"a\nb","":{"":[]}}`,
	} {
		f.Add([]byte(s))
	}
	for _, name := range Names() {
		text, _ := Source(name)
		f.Add(text)
	}
	f.Add([]byte(`{"id":"m","type":"episodic","created_at":"2026-01-02T03:04:05Z","tags":["a"],"content":{"title":"t","details":{}},"confidence":0.5,"supersedes":"n"}`))
	f.Add([]byte(`{"version":"1","entry_count":1,"entries":[{"id":"m","tags":["a"],"file_path":"m.json"}],"tag_index":{"a":["m"]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for name, validate := range validators {
			found := validate(raw)
			checkFindings(t, found)
			if again := validate(raw); !slices.Equal(found, again) {
				t.Fatalf("%s: %+v, then %+v", name, found, again)
			}
		}
	})
}

func FuzzExtend(f *testing.F) {
	for _, s := range []string{
		`{"x-memoryd-type":"note","required":["a"],"properties":{"n":{"multipleOf":0.1,"maximum":1e999999}}}`,
		`{"$ref":` + memoryID + `,"unevaluatedProperties":false}`, `{"x-memoryd-type":"note","$ref":"#"}`,
		`{"x-memoryd-type":"note","$id":"http://a/b","$defs":{"a":{"$anchor":"x"}},"$ref":"#x"}`,
		`{"x-memoryd-type":"note","$dynamicRef":"#a","$dynamicAnchor":"a","items":{"$dynamicRef":"#a"}}`,
		`{"x-memoryd-type":"note","anyOf":[{"oneOf":[true,false]},{"if":{},"then":{"contains":{},"minContains":2}}]}`,
		`{"x-memoryd-type":"note","patternProperties":{"(":{}},"propertyNames":{"pattern":"^x"},"dependencies":{"id":["z"]}}`,
	} {
		f.Add([]byte(s), []byte(`{"id":"m","type":"note","n":1.5,"l":[1,{"a":[]},"x"],"content":{"é":null}}`))
	}
	f.Fuzz(func(t *testing.T, text, memory []byte) {
		x, reports := Extend(map[string][]byte{"f.json": text})
		checkFindings(t, reports)
		found := x.ValidateMemory(memory)
		checkFindings(t, found)
		if ours := ValidateMemory(memory); len(ours) > 0 && len(found) == 0 {
			t.Fatalf("an extension hides %+v", ours)
		}
	})
}
