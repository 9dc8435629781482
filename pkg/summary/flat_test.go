package summary_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/summary"
)

func TestFlat(t *testing.T) {
	chatter := strings.Repeat("The room was warm and the coffee of the machine was gone again. ", 3)
	tests := []struct {
		name, text, title string
		words             int
		ref               time.Time
		want              string
	}{
		{name: "nothing", text: "", words: 10},
		{name: "no words", text: " *** \n ... ", words: 10},
		{name: "no room", text: "The disk was full.", words: 0},
		{name: "less than none", text: "The disk was full.", words: -1},
		{name: "all of it", text: "The disk was full.", words: 10, want: "The disk was full."},
		{name: "function words only", text: "It was what it was.", words: 10, want: "It was what it was."},
		{name: "cut", text: "The disk of the database host was full.", words: 4, want: "The disk of the…"},
		{name: "cut without blanks", text: strings.Repeat("x", 500), words: 2, want: strings.Repeat("x", 79) + "…"},
		{name: "cut pairs of characters", text: "障害が起きました。", words: 3, want: "障害が起きま…"},
		{name: "dated", text: "The disk was full yesterday.", words: 10, ref: ref, want: "The disk was full yesterday (2026-03-10)."},
		{name: "the date counts", text: "The disk was full yesterday.", words: 5, ref: ref, want: "The disk was full yesterday…"},
		{name: "title", words: 8, title: "invoices", text: chatter + "A worker lost its lease on the queue. The export wrote no invoices in the night.",
			want: "The export wrote no invoices in the night."},
		{name: "heading as title", words: 9, text: "# Lost leases\n\n" + chatter + "The export wrote no invoices in the night. A worker lost its leases on the queue.",
			want: "A worker lost its leases on the queue."},
		{name: "same but for a number", words: 30, text: "Node 1 of the cluster ran out of memory. Node 2 of the cluster ran out of memory. Node 3 of the cluster ran out of memory.",
			want: "Node 1 of the cluster ran out of memory.\n… 2 more like it"},
		{name: "not the same", words: 30, text: "Node 1 of the cluster ran out of memory. Node 2 of the cluster never ran out of memory.",
			want: "Node 1 of the cluster ran out of memory. Node 2 of the cluster never ran out of memory."},
		{name: "fragments last", words: 12, text: "Lunch. Good. The export of the shop wrote no invoices.", want: "The export of the shop wrote no invoices."},
		{name: "fragments alone", words: 12, text: "- Lunch\n- Coffee\n- Cake", want: "Lunch\nCoffee\nCake"},
		{name: "questions last", words: 10, text: "Which export of the shop failed? The export of invoices failed twice.", want: "The export of invoices failed twice."},
		{name: "in a block quotation", words: 20, text: "> The export of the invoices was stopped because the disk of the\n> database host was full.",
			want: "The export of the invoices was stopped because the disk of the database host was full."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := summary.Flat(tt.text, tt.title, tt.words, tt.ref); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// hostile are texts with nothing to hold on to, each about n bytes long.
func hostile(n int) map[string]string {
	fill := func(piece string) string { return strings.Repeat(piece, n/len(piece)+1) }
	count := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	return map[string]string{
		"one run":            fill("a"),
		"one line":           count("word%d "),
		"base64":             count("a%dB"),
		"emoji":              fill("😀"),
		"NUL":                fill("\x00"),
		"NUL between words":  fill("a\x00b "),
		"invalid UTF-8":      fill("\xff"),
		"combining marks":    "a" + fill("\u0301"),
		"heading marks":      fill("#"),
		"headings":           fill("###### deep heading of words\n## shallow heading of words\n"),
		"list marks":         fill("- "),
		"nested list":        count(strings.Repeat(" ", 300) + "- item %d\n"),
		"quotation marks":    fill("> "),
		"brackets":           fill("(a. "),
		"backticks":          fill("` a. B ``"),
		"ends":               fill("."),
		"initials":           fill("A. "),
		"function words":     fill("it was the one. "),
		"speakers":           count("Speaker%d: we agreed.\n"),
		"names":              count("Ann%d Lee said so. "),
		"one speaker":        fill("Ann: yes.\nBob: no.\n"),
		"colons":             fill("a:"),
		"table":              fill("| a | b |\n"),
		"links":              fill("[a]: b\n"),
		"log":                count("2026-03-11T10:00:00Z ERROR db: no route %d\n"),
		"no end, no blanks":  fill("障害接続数上限達"),
		"ends but no blanks": fill("障害が起きました。"),
		"blanks but no ends": fill("ระบบล่มเมื่อวานนี้แล้วทีมงานก็แก้ไข "),
		"right to left":      fill("فشل الاستيراد أمس بسبب امتلاء القرص. "),
		"blanks":             fill(" "),
		"one sentence":       fill("The import failed because of the queue. "),
	}
}

// TestHostile holds the summaries of 100,000 bytes of anything to their limits,
// with the text as its own title.
func TestHostile(t *testing.T) {
	for name, text := range hostile(100_000) {
		t.Run(name, func(t *testing.T) {
			got := summary.Flat(text, text, 100, ref)
			if words, runes := len(strings.Fields(got)), utf8.RuneCountInString(got); words > 100 || runes > 4000 {
				t.Errorf("%d words, %d characters", words, runes)
			}
			s, err := summary.Summarise(text, summary.Options{Title: text, Ref: ref})
			if n := utf8.RuneCountInString(s.Text()); err == nil && n > 2000 {
				t.Errorf("%d characters", n)
			}
		})
	}
}

func BenchmarkFlat(b *testing.B) {
	text := strings.Repeat(incident, 10)[:10_000]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		summary.Flat(text, "Import outage", 100, ref)
	}
}

// BenchmarkHostile shows that no text takes more than its share.
func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile(1 << 20) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				summary.Flat(text, text, 100, ref)
			}
		})
	}
}
