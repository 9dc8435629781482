// Command sample writes the workspaces that tools/dashboard/run drives into a directory: story, the larger of the two sample workspaces;
// pairs, with many pairs to review; conflicts, of what two machines have made; hostile, whose texts try to be more than text.
//
//	go run ./tools/dashboard/sample DIR
package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/memoryd/memoryd/fixtures"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sample DIR")
		os.Exit(2)
	}
	dir := os.Args[1]
	err := fixtures.CopyTo(filepath.Join(dir, "story"), fixtures.Large)
	if err == nil {
		err = writePairs(filepath.Join(dir, "pairs", "global"))
	}
	if err == nil {
		err = writeConflicts(filepath.Join(dir, "conflicts", "global"))
	}
	if err == nil {
		err = writeHostile(filepath.Join(dir, "hostile", "global"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// record is a memory of a sample.
type record struct {
	ID        string   `json:"id"`
	Type      string   `json:"type"`
	CreatedAt string   `json:"created_at"`
	CreatedBy string   `json:"created_by"`
	Tags      []string `json:"tags"`
	Content   string   `json:"content"`

	LastAccessed string `json:"last_accessed"` // of late, so that no rule archives it
	AccessCount  int    `json:"access_count"`
}

func (r record) write(dir string) error {
	r.LastAccessed, r.AccessCount = "2026-02-27T10:00:00Z", 3
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, r.ID+".json"), append(text, '\n'), 0o644)
}

// pairsMade is how many pairs wait for a decision in the workspace of pairs.
const pairsMade = 80

// alikeMade is how many of them differ in the same words.
const alikeMade = 4

// writePairs takes sentences of the story, and says each twice with another number behind it.
func writePairs(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	made, met := 0, map[string]bool{}
	return fs.WalkDir(fixtures.Large, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".json" || strings.HasPrefix(path.Base(name), "_") || made == pairsMade {
			return err
		}
		text, err := fs.ReadFile(fixtures.Large, name)
		if err != nil {
			return err
		}
		var memory struct {
			Type    string
			Content struct{ Summary string }
		}
		said := ""
		if json.Unmarshal(text, &memory) == nil { // files of other forms are passed over
			said = memory.Content.Summary
		}
		if len(strings.Fields(said)) < 8 || met[said] || strings.ContainsAny(said, "0123456789") {
			return nil
		}
		met[said] = true
		for i, limit := range []int{30 + made/alikeMade, 45 + made/alikeMade} {
			r := record{
				ID: fmt.Sprintf("mem_pair%03d%c", made, 'a'+i), Type: "factual", CreatedAt: fmt.Sprintf("2026-02-%02dT10:00:00Z", 10+5*i), CreatedBy: "DEV-00" + fmt.Sprint(1+i),
				Tags: []string{"limits"}, Content: fmt.Sprintf("%s The limit is %d minutes.", said, limit),
			}
			if err := r.write(dir); err != nil {
				return err
			}
		}
		made++
		return nil
	})
}

// writeConflicts writes a conflict copy next to its file, a memory of which two machines changed one value, and one that the other side removed.
func writeConflicts(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	for name, text := range map[string]string{
		"mem_till.json": `"updated_at": "2026-02-01T10:00:00Z", "content": "The till is by the door."`,
		"mem_till.sync-conflict-20260301-090000-ABCDEFG.json": `"updated_at": "2026-02-20T10:00:00Z", "content": "The till is in the back room."`,
		"mem_oven.json": `"content": "The oven bakes at 220 degrees.", "merge_conflicts": [{"path": "/content", "base": "The oven bakes.", "kept": "The oven bakes at 220 degrees.", "other": "The oven bakes at 180 degrees."}]`,
		"mem_lamp.json": `"content": "The lamp takes 60 W.", "merge_conflicts": [{"path": ""}]`,
	} {
		if err == nil {
			id, _, _ := strings.Cut(name, ".")
			err = os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, "{\"id\": %q, \"type\": \"factual\", \"created_at\": \"2026-02-01T10:00:00Z\", %s}\n", id, text), 0o644)
		}
	}
	return err
}

// attacks are texts that would run or look like something else, were they taken for more than text.
var attacks = []string{
	`<script>window.ran = 1</script><img src=x onerror="window.ran = 1"><svg onload="window.ran = 1"><iframe src="javascript:window.ran = 1"></iframe><b>bold</b>`,
	`"><style>*{display:none}</style><marquee>{{.Body}} ${window.ran = 1} javascript:window.ran=1 data:text/html,<script>window.ran=1</script>`,
	"\u202eexe.txt\u202c \u2066isolated\u2069 \u200f\u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u0000 \u0007 \u009b31m",
	strings.Repeat("w", 1<<20),
	"</textarea></pre><!--<script>window.ran = 1</script>--> ' onmouseover='window.ran = 1' \" style=\"position:fixed;inset:0\"",
	strings.Repeat("\U0001F468\u200d\U0001F469\u200d\U0001F467 e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301 ", 200),
}

// writeHostile writes each attack as a text, as a tag and as an author; twice, with a number, so that pairs wait as well.
func writeHostile(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i, text := range attacks {
		for j := range 2 {
			name := text[:min(len(text), 300)]
			r := record{
				ID: fmt.Sprintf("mem_hostile%d%c", i, 'a'+j), Type: "factual", CreatedAt: fmt.Sprintf("2026-02-%02dT10:00:00Z", 10+5*j), CreatedBy: name,
				Tags: []string{name}, Content: fmt.Sprintf("%s The limit is %d minutes.", text, 30+j),
			}
			if err := r.write(dir); err != nil {
				return err
			}
		}
	}
	return nil
}
