package workspace

import (
	"encoding/json"
	"testing"
)

// A run is found by the ids of what it changed, whatever these are made of, and by those only.
func TestHistoryOfOddIDs(t *testing.T) {
	ids := []string{"plain", "plain2", `<a & b>`, `quo"te\back`, "ü\u2028\u00a0", "tab\there", `"id":"plain"`}
	files := map[string]string{}
	for i, id := range ids {
		text, err := json.Marshal(map[string]string{"id": id, "type": "semantic", "content": "text with plain in it"})
		if err != nil {
			t.Fatal(err)
		}
		files["global/"+string(rune('a'+i))+".json"] = string(text)
	}
	for i, id := range ids {
		sc := scenario{files: files, steps: []func(*FileStore) error{archives(id)}}
		m := sc.disk(t)
		if err := sc.steps[0](sc.store(m, 0)); err != nil {
			t.Fatalf("%q: %v", id, err)
		}
		for k, other := range ids {
			versions, err := sc.store(m, 1).History(other)
			if err != nil || len(versions) != map[bool]int{true: 1}[k == i] {
				t.Errorf("archived %q: %d versions of %q, %v", id, len(versions), other, err)
			}
		}
	}
}
