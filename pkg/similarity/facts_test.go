package similarity

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestFacts(t *testing.T) {
	got := Facts("On 5 March 2026 Alice moved 1,000 rows of `user_table` to /var/data/a.db with v1.2.3, see https://example.org/x. " +
		"Then 1000 more took 5 ms, not 5 milliseconds; ask Alice by 2026-03-05, or mail ann@example.org.")
	want := []Fact{
		{"date", "5 March 2026", "date-2026-3-5"},
		{"name", "Alice", "alice"},
		{"number", "1,000", "1000"},
		{"identifier", "user_table", "user_table"},
		{"path", "/var/data/a.db", "/var/data/a.db"},
		{"version", "v1.2.3", "1.2.3"},
		{"url", "https://example.org/x", "https://example.org/x"},
		{"number", "5 ms", "5 ms"},
		{"identifier", "ann@example.org", "ann@example.org"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := Facts(""); got != nil {
		t.Errorf("no text: %q", got)
	}
	if !want[0].Same(Fact{Kind: "date", Text: "2026-03-05", Key: want[0].Key}) || want[0].Same(want[1]) {
		t.Error("Same compares something else than kind and key")
	}
}

func checkFacts(t interface{ Fatalf(string, ...any) }, text string) {
	facts := Facts(text)
	for i, f := range facts {
		if f.Kind == "" || f.Text == "" || f.Key == "" || !strings.Contains(norm.NFC.String(text), f.Text) {
			t.Fatalf("Facts(%q) has %+v", text, f)
		}
		if slices.ContainsFunc(facts[:i], f.Same) {
			t.Fatalf("Facts(%q) has %+v twice", text, f)
		}
	}
	if d := cmp.Diff(facts, Facts(text)); d != "" {
		t.Fatalf("Facts(%q) has changed: %s", text, d)
	}
}

// A text may become shorter or longer when its characters are composed.
func TestFactsOfComposedTexts(t *testing.T) {
	for _, text := range []string{"\u0958\u0958\u0958 port 8443", "e\u0301e\u0301 port 8443"} {
		if facts := Facts(text); len(facts) != 1 || facts[0].Text != "8443" {
			t.Errorf("Facts(%q) has %+v", text, facts)
		}
	}
}

func TestFactsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkFacts(t, prose.Draw(t, "text")) })
}

// What two texts have in common does not depend on how it is written.
func TestFactsOfEqualNotations(t *testing.T) {
	for _, c := range [][2]string{
		{"1,000 rows", "1000 rows"},
		{"five rows", "5 rows"},
		{"thirty minutes", "30 minutes"},
		{"5 s", "5 seconds"},
		{"$5", "5 dollars"},
		{"on 5 March 2026", "on 2026-03-05"},
		{"at 10:30 pm", "at 22:30"},
		{"50 percent", "50%"},
		{"v1.2.3", "1.2.3"},
		{"see `a_b` there", "see a_b there"},
		{"https://example.org/", "https://example.org"},
	} {
		a, b := Facts(c[0]), Facts(c[1])
		if len(a) != 1 || len(b) != 1 || !a[0].Same(b[0]) {
			t.Errorf("%q has %+v, %q has %+v", c[0], a, c[1], b)
		}
	}
}

func FuzzFacts(f *testing.F) {
	f.Add("Port 8080 isn't open on 2026-03-05, says Ann; see ~/x and #7.")
	f.Add("/.")
	f.Add("^1.2 US$5 5 % ８０ 10:30 pm root@host A")
	f.Fuzz(func(t *testing.T, text string) { checkFacts(t, text) })
}
