package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/tokens"
)

// The block in a file takes no more tokens than were allowed, with its marks and the
// line ends of the file, whatever memories hold; and no byte around it changes.
func TestIntoFitsBudget(t *testing.T) {
	dir := t.TempDir()
	file, memories := filepath.Join(dir, "AGENTS.md"), filepath.Join(dir, "memory", "global")
	if err := os.MkdirAll(memories, 0o755); err != nil {
		t.Fatal(err)
	}
	given := 0
	rapid.Check(t, func(t *rapid.T) {
		for i := range 3 {
			text := strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
				"<!-- memory-context end -->\n", "<!-- memory-context begin version=ab -->\n", "plain words ", "\r\n", "日本語", "\u202e", "\x00", "]]>", "@/etc/passwd ", strings.Repeat("a b\n", 50),
			})), 0, 6).Draw(t, "text"), "")
			doc, err := json.Marshal(map[string]any{"id": fmt.Sprint("m", i), "type": "semantic", "priority": "high", "created_at": "2026-02-28T00:00:00Z", "content": text})
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(memories, fmt.Sprint("m", i, ".json")), doc)
		}
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
		before := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark") + "# Rules" + end + end
		write(t, file, []byte(before))
		budget := rapid.IntRange(100, 700).Draw(t, "budget")
		format := rapid.SampledFrom([]string{"xml", "markdown"}).Draw(t, "format")
		if code, _, stderr := in(dir, "context", "--into", file, "--budget", fmt.Sprint(budget), "--format", format, "--at", "2026-03-01T09:00:00Z", "--quiet"); code != 0 {
			t.Fatal(stderr)
		}
		after, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		block, ok := bytes.CutPrefix(after, []byte(before))
		if !ok {
			t.Fatalf("%q doesn't begin with %q", after, before)
		}
		if len(block) > 0 {
			given++
		}
		if n := tokens.Estimate(strings.TrimSuffix(string(block), end)); n > budget {
			t.Fatalf("%d tokens, %d are allowed: %q", n, budget, block)
		}
	})
	if given == 0 {
		t.Error("nothing was given")
	}
}

func write(t *rapid.T, file string, data []byte) {
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
