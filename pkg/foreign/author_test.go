package foreign_test

import (
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/foreign"
)

// TestAuthors: the author is whom the record names, by the member that its format has for that; else the format tells it. Nobody is
// taken for a user who isn't called one.
func TestAuthors(t *testing.T) {
	for _, tt := range []struct{ name, text, named, want string }{
		{"notes.jsonl", `{"text":"a","author":"aider"}`, "aider", "aider"},
		{"notes.jsonl", `{"text":"a","created_by":"  Ann\tEx "}`, "Ann Ex", "Ann Ex"},
		{"notes.jsonl", `{"text":"a","agent_id":7}`, "7", "7"},
		{"notes.jsonl", `{"text":"a","author":{"name":"aider"}}`, "", "import"},
		{"notes.jsonl", `{"text":"a","author":["aider"],"agent":"zed"}`, "zed", "zed"},
		{"notes.jsonl", `{"text":"a","author":"` + strings.Repeat("x", 65) + `"}`, "", "import"},
		{"notes.jsonl", `{"text":"a","author":""}`, "", "import"},
		{"notes.jsonl", `"a"`, "", "import"},
		{"notes.json", `[{"text":"a","user":"ann"}]`, "", "import"},
		{"note.md", "---\nauthor: USER\n---\nI want short answers.\n", "USER", "USER"},
		{"note.md", "---\ntype: user\n---\nAnn wants short answers.\n", "", "import"},
		{"MEMORY.md", "- [x](x.md)\n", "", "claude-code"},
		{"memory.jsonl", `{"type":"entity","name":"Ann","entityType":"person","observations":["x"],"author":"b"}`, "", "mcp"},
		{"issues.jsonl", `{"id":"b-1","title":"t","issue_type":"task","created_by":"mayor"}`, "mayor", "mayor"},
		{"issues.jsonl", `{"id":"b-1","title":"t","issue_type":"task"}`, "", "beads"},
		{"export.json", `{"memories":[{"content":"a","content_hash":"h","metadata":{"agent":"zed"}}]}`, "zed", "zed"},
		{"export.json", `{"memories":[{"content":"a","content_hash":"h"}]}`, "", "mcp-memory-service"},
	} {
		records, misfits := foreign.Read("", "s", "", []foreign.File{{Name: tt.name, Text: []byte(tt.text)}})
		if len(records) != 1 || len(misfits) > 0 {
			t.Errorf("%s: %d records, %v", tt.text, len(records), misfits)
			continue
		}
		got := records[0].Author
		if got != tt.named {
			t.Errorf("%s: by %q, want %q", tt.text, got, tt.named)
		}
		if got == "" {
			got = records[0].Source.Format.Author()
		}
		if got != tt.want {
			t.Errorf("%s: by %q in all, want %q", tt.text, got, tt.want)
		}
	}
}
