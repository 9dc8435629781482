package foreign

import (
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/memory"
)

// Of a memory that was not imported all that it says is written, and what has no place is told.
func TestWriteAnew(t *testing.T) {
	long := strings.Repeat("The export is slow on Mondays, for the weekend's orders come all at once. ", 4)
	saying := func(content string) string {
		return `{"id":"own","type":"factual","created_by":"DEV-001","created_at":"2026-01-02T00:00:00Z","access_count":3,"content":` + content + `}`
	}
	for _, tt := range []struct {
		format        Format
		record        string
		want, misfits string
	}{
		{Graph, saying(`"The export ends at 04:00.\n"`), `{"type":"entity","name":"own","entityType":"factual","observations":["The export ends at 04:00."]}`, "created_at"},
		{Graph, saying(`{"summary":"Exports are slow.","details":"A full one takes an hour.","lessons":["x"]}`),
			`"observations":["Exports are slow.","A full one takes an hour."]`, "created_at, the structure of its content"},
		{Graph, saying(`{"summary":"A full one…","details":"A full one takes an hour."}`), `"observations":["A full one takes an hour."]`, "created_at"},
		{Graph, saying(`{"details":{"why":"It is large."}}`), `It is large.`, "created_at, the structure of its content"},
		{Tool, saying(`{"title":"Exports","summary":"They are slow.","details":"A full one takes an hour.\n"}`), "Exports\n\nThey are slow.\n\nA full one takes an hour.\n", "type, created_at"},
		{Markdown, saying(`{"title":"Exports","summary":"They are slow.","details":"A full one takes an hour."}`), "title: \"Exports\"\nsummary: \"They are slow.\"\ntype: \"factual\"", ""},
		{Claude, saying(`{"summary":"` + strings.TrimSpace(long) + `","details":"A full one takes an hour."}`), `description: "` + strings.TrimSpace(long) + `"`, ""},
	} {
		ms, err := memory.ParseRecords("global/own.json", []byte(tt.record))
		if err != nil || len(ms) != 1 {
			t.Fatal(err)
		}
		files, misfits := Write(tt.format, ms)
		text, told := "", []string{}
		for _, f := range files {
			text += string(f.Text)
		}
		for _, m := range misfits {
			told = append(told, m.What)
		}
		if !strings.Contains(text, tt.want) || strings.Join(told, "; ") != tt.misfits {
			t.Errorf("%s of %s:\n%s\ntold %q, want %q and\n%s", tt.format, tt.record, text, told, tt.misfits, tt.want)
		}
	}
}
