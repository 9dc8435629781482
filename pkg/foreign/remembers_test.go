package foreign_test

import (
	"testing"

	"github.com/memoryd/memoryd/pkg/foreign"
)

func TestRemembers(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"package.json", `{"name":"x","version":"1.0.0","type":"module","contributors":[{"name":"A"}]}`, false},
		{"package-lock.json", `{"name":"x","packages":{"":{"name":"x"}}}`, false},
		{"log.jsonl", "{\"level\":\"info\",\"msg\":\"started\"}\n\n{\"level\":\"warn\",\"msg\":\"slow\"}\n", false},
		{"log.ndjson", "{\"msg\":\"started\"}\n{\"id\":\"a\",\"msg\":\"b\"}\n", true},
		{"empty.jsonl", "\n", true},
		{"broken.json", `{"name":`, true},
		{"broken.jsonl", "{\"msg\":\n", true},
		{"list.json", `["The till is by the door."]`, true},
		{"list.json", `{"rules":[{"text":"The till is by the door."}]}`, true},
		{"numbers.json", `[1,2]`, false},
		{"graph.jsonl", `{"type":"entity","name":"Ann","entityType":"person","observations":[]}`, true},
		{"note.md", "The till is by the door.", true},
	} {
		if got := foreign.Remembers("notes", foreign.File{Name: c.name, Text: []byte(c.text)}); got != c.want {
			t.Errorf("%s %s: %v", c.name, c.text, got)
		}
	}
}
