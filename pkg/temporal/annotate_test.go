package temporal_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/temporal"
)

func TestAnnotate(t *testing.T) {
	tests := []struct{ text, want string }{
		{"It broke yesterday.", "It broke yesterday (2026-03-10)."},
		{"Yesterday's outage", "Yesterday's (2026-03-10) outage"},
		{"yesterday’s outage", "yesterday’s (2026-03-10) outage"},
		{"last night it rained", "last night (2026-03-10) it rained"},
		{"see you tomorrow morning!", "see you tomorrow morning (2026-03-12)!"},
		{"last week and next month", "last week (2026-03-02 to 2026-03-08) and next month (2026-04)"},
		{"last weekend", "last weekend (2026-03-07 to 2026-03-08)"},
		{"last quarter", "last quarter (2025-Q4)"},
		{"this quarter", "this quarter (2026-Q1)"},
		{"two years ago", "two years ago (2024)"},
		{"2 hours ago", "2 hours ago (2026-03-11 12:30)"},
		{"last Friday, next Monday", "last Friday (2026-03-06), next Monday (2026-03-16)"},
		{"- today\n- tomorrow\n", "- today (2026-03-11)\n- tomorrow (2026-03-12)\n"},
		{"**today**: done", "**today (2026-03-11)**: done"},

		{"yesterday (2026-03-10)", ""},
		{"yesterday (Tuesday, 10 March)", ""},
		{"yesterday, 2026-03-10, it broke", ""},
		{"on 2026-03-10 (yesterday)", ""},
		{"2026-03-01: yesterday it broke", ""},
		{"last year (2025)", ""},
		{"last month\n(2026-02)", ""},
		{"on 2026-03-10 it broke", ""},
		{"`yesterday` and today.md", ""},
		{`the error was "expired 3 days ago"`, ""},

		{"yesterday (1200 requests)", "yesterday (2026-03-10) (1200 requests)"},
		{"`yesterday` is a word, today is a day", "`yesterday` is a word, today (2026-03-11) is a day"},
		{"5\" disks arrived today", "5\" disks arrived today (2026-03-11)"},
		{"a stray ` and today", "a stray ` and today (2026-03-11)"},
		{"\xff today \xfe", "\xff today (2026-03-11) \xfe"},
	}
	for _, tt := range tests {
		want := tt.want
		if want == "" {
			want = tt.text
		}
		if got := temporal.Annotate(tt.text, ref); got != want {
			t.Errorf("Annotate(%q)\n got %q\nwant %q", tt.text, got, want)
		}
	}
}

var inserted = regexp.MustCompile(` \(\d{4}(-\d\d(-\d\d( \d\d:\d\d|( to |/)\d{4}-\d\d-\d\d)?)?|-Q\d|( to |/)\d{4})?\)`)

func checkAnnotation(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string, ref time.Time) {
	t.Helper()
	once := temporal.Annotate(text, ref)
	if twice := temporal.Annotate(once, ref); twice != once {
		t.Fatalf("not idempotent\n text %q\n once %q\ntwice %q", text, once, twice)
	}
	if got, want := inserted.ReplaceAllString(once, ""), inserted.ReplaceAllString(text, ""); got != want {
		t.Fatalf("more than dates inserted\n text %q\n once %q", text, once)
	}
	last := 0
	for _, s := range temporal.Resolve(text, ref) {
		if s.Start < last || s.End <= s.Start || text[s.Start:s.End] != s.Text || !s.To.After(s.From) {
			t.Fatalf("span %+v of %q", s, text)
		}
		last = s.End
	}
}

var pieces = strings.Fields(`yesterday Yesterday today Today tomorrow tonight last this next the a of in and or to day week
	month year weekend Friday sat Sat March May may night morning before after ago from now 3 two twenty five 2026-03-10 2026
	(2026-03-10) (2026) ( ) , . : ! - ' 's " ` + "`" + ` half will days hours weeks years couple Q1 5th built /x x_y e.g. \n \n\n
	8am 9:30 pm at noon between from until since early mid- end of the rest later first second third 10/11 3.4.2026 2026-W11
	10-12 – ~ Christmas eve Easter summer decade century 1990s EOM UTC +01:00 for been have on by every past coming now +
	T10:00 15h 3-5 or few quarter past weekend tuesday, Dec. 31 ’ “ ” & @`)

func TestAnnotateProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "words")
		glue := rapid.SliceOfN(rapid.SampledFrom([]string{" ", " ", " ", "", "\n"}), len(words), len(words)).Draw(t, "glue")
		var b strings.Builder
		for i, w := range words {
			b.WriteString(strings.ReplaceAll(w, `\n`, "\n") + glue[i])
		}
		ref := time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "ref"), 0).UTC()
		checkAnnotation(t, b.String(), ref)
	})
}

func FuzzAnnotate(f *testing.F) {
	for _, seed := range []string{
		"yesterday (2026-03-10)", "`today` 2 weeks ago's", "last\n\nweek", "```\ntoday", "“today", "in two weeks we ship",
		"2026-03-11T10:00:00+25:00 today", "the day before yesterday morning", "\xfftoday\xff", "Q1 2026, May 5, 2026",
	} {
		f.Add(seed, int64(1773239400))
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		checkAnnotation(t, text, time.Unix(unix, 0).UTC())
	})
}

func BenchmarkAnnotate(b *testing.B) {
	text := strings.Repeat("We deployed v1.2.3 yesterday and it failed with ERR_TIMEOUT; last week it was fine. ", 120)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		temporal.Annotate(text, ref)
	}
}

func BenchmarkResolveKilobyte(b *testing.B) {
	text := strings.Repeat("We deployed v1.2.3 to node-7 yesterday at 02:14 and the import failed with ERR_TIMEOUT; on Friday the team "+
		"had met about it, since in March 2025 the same thing happened from 3 to 5 May. Ann may march on: see docs/today.md. ", 5)[:1024]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		temporal.Resolve(text, ref)
	}
}
