package importing

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
)

// BenchmarkImport takes in notes in Markdown of a few topics, with lists, tables and words of change, that share most of their words.
func BenchmarkImport(b *testing.B) {
	for _, size := range []struct{ notes, bytes int }{{200, 7_000}, {77, 70_000}} {
		b.Run(fmt.Sprintf("%d_of_%d", size.notes, size.bytes), func(b *testing.B) {
			r := rand.New(rand.NewPCG(50, 2))
			words := strings.Fields("the queue worker deploys release port 8443 moved from staging to production token login backup index cache was replaced by no longer uses now runs https://acme.dev/wiki")
			var files []foreign.File
			for i := range size.notes {
				var text strings.Builder
				fmt.Fprintf(&text, "---\ntitle: Note %d\ntags: [notes, t%d]\nowner: ann\n---\n", i, i%5)
				for text.Len() < size.bytes {
					text.WriteString([]string{"## ", "- ", "> ", "", "| a | b |\n|---|---|\n", "1. "}[r.IntN(6)])
					for range 3 + r.IntN(20) {
						fmt.Fprintf(&text, "%s%s ", words[r.IntN(len(words))], []string{"", "", "", fmt.Sprint(r.IntN(500))}[r.IntN(4)])
					}
					text.WriteString([]string{".\n", "\n\n"}[r.IntN(2)])
				}
				files = append(files, foreign.File{Name: fmt.Sprintf("n%03d.md", i), Text: []byte(text.String())})
			}
			for b.Loop() {
				records, _ := foreign.Read("", "s", "", files)
				if _, _, err := Plan(memory.NewSnapshot(importedAt, nil, nil), records, importing()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
