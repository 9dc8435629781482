package text

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// What the wording of a text leaves out, and what it doesn't.
func TestWording(t *testing.T) {
	for _, same := range [][2]string{
		{"The port is 5432.", "The port is 5432"},
		{"The  port\u00a0is\n5432", "The port is 5432"},
		{"the “port” isn’t open…", `the "port" isn't open...`},
		{"three nodes – all in Oslo", "three nodes - all in Oslo"},
		{"three nodes — all in Oslo", "three nodes - all in Oslo"},
		{"the **port** is *open*", "the port is open"},
		{"**Note:** it is open", "Note: it is open"},
		{"cafe\u0301", "café"},
		{"Ｐｏｒｔ ５４３２", "Port 5432"},
		{"ポートは開いている。", "ポートは開いている"},
	} {
		if Wording(same[0]) != Wording(same[1]) {
			t.Errorf("%q and %q: %q and %q", same[0], same[1], Wording(same[0]), Wording(same[1]))
		}
	}
	for _, other := range [][2]string{
		{"No, restart", "No restart"}, {"Polish the plate", "polish the plate"}, {"# restart it", "restart it"}, {"- allow it", "+ allow it"},
		{"the port", "the ports"}, {"it is open!", "it is open"}, {"it is open?", "it is open."}, {"wait..", "wait."}, {"wait...", "wait."},
		{"rm *.log*", "rm .log"}, {"a*b*c", "abc"}, {"run `a  b`", "run `a b`"}, {"run `a – b`", "run `a - b`"}, {"▲ 3", "▼ 3"}, {"re-sign", "resign"},
		{"x ** y ** z", "x y z"}, {"../*secret*/x", "../secret/x"}, {"größe", "grosse"}, {"a_b_c", "abc"},
	} {
		if Wording(other[0]) == Wording(other[1]) {
			t.Errorf("%q and %q are the same wording", other[0], other[1])
		}
	}
}

func TestUnits(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string // place ⊢ text, with ! before an exact one
	}{
		{"One. Two! Three", []string{"One.", "Two!", "Three"}},
		{"", nil},
		{" \n\n", nil},
		{"This line is long enough to be wrapped by an editor,\nand goes on here. End.", []string{"This line is long enough to be wrapped by an editor, and goes on here.", "End."}},
		{"Host db1\nPort 5432", []string{"Host db1", "Port 5432"}},
		{"# Ports\nfirst\n## Staging\n- a\n- b\n# Other\nlast", []string{"# Ports", "# Ports ⊢ first", "# Ports ⊢ ## Staging", "# Ports/## Staging ⊢ - a", "# Ports/## Staging ⊢ - b", "# Other", "# Other ⊢ last"}},
		{"Allowed:\n- finance\n- ops\n\nDenied:\n\n- interns", []string{"Allowed:", "Allowed: ⊢ - finance", "Allowed: ⊢ - ops", "Denied:", "Denied: ⊢ - interns"}},
		{"- outer\n  goes on\n  - inner\n- next", []string{"- outer goes on", "- outer goes on ⊢ - inner", "- next"}},
		{"Run:\n```sh\nmake  all\n\n  make install\n```\nDone.", []string{"Run:", "Run:/```sh ⊢ !make  all", "Run:/```sh ⊢ !  make install", "Done."}},
		{"| host | port |\n|---|---|\n| a | 1 |", []string{"!| host | port |", "| host | port | ⊢ !| a | 1 |"}},
		{"timeout = 5\nretries: 3", []string{"!timeout = 5", "!retries: 3"}},
		{"2026-03-01 10:00:00 ERROR x", []string{"!2026-03-01 10:00:00 ERROR x"}},
		{"1. stop\n2. start", []string{"1. stop", "2. start"}},
	} {
		var got []string
		for _, u := range Units(test.in) {
			line := u.Text
			if u.Exact {
				line = "!" + line
			}
			if u.Place != "" {
				line = strings.ReplaceAll(u.Place, "\n", "/") + " ⊢ " + line
			}
			got = append(got, line)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q:\n%q\nwant\n%q", test.in, got, test.want)
		}
	}
}

// drawnTexts draws texts of all kinds of lines.
func drawnTexts() *rapid.Generator[string] {
	line := rapid.OneOf(
		rapid.SampledFrom([]string{"", "", "# A", "## B", "### C", "- item one", "  - inner", "  goes on", "* x", "1. first", "2) second", "```", "```go", "~~~", "| a | b |", "|---|---|", "| 1 | 2 |", "---", "===",
			"x = 1", "port: 5432", "    code here", "\ttabbed", "Lead:", "Lead：", "2026-01-02 03:04:05 log", "$ make", "One. Two. Three.", "No, restart.", "a `b. C` d. E", "「はい。」そうです。", "}", "\r", "e.g. this"}),
		rapid.StringMatching(`[A-Za-zäé.,:;!?*`+"`"+`"' ()\-]{0,70}`),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 0, 14).Draw(t, "lines"), "\n")
	})
}

// Each letter and digit of a text is in one of its units or in a place.
func TestUnitsLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawnTexts().Draw(t, "text")
		var all strings.Builder
		for _, u := range Units(s) {
			all.WriteString(u.Text + u.Place)
		}
		count := func(s string) map[rune]int {
			n := map[rune]int{}
			for _, r := range s {
				if unicode.IsLetter(r) || unicode.IsDigit(r) {
					n[r]++
				}
			}
			return n
		}
		have := count(all.String())
		for _, line := range strings.Split(s, "\n") {
			if fenceLine.MatchString(line) {
				s = strings.Replace(s, line, "", 1) // a fence without a line of code has no unit
			}
		}
		for r, n := range count(s) {
			if have[r] < n {
				t.Fatalf("%q: %d of %d %q in units", s, have[r], n, r)
			}
		}
	})
}

// An excerpt has the units that were chosen, in their places.
func TestExcerpt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawnTexts().Draw(t, "text")
		every := rapid.IntRange(1, 4).Draw(t, "every")
		n := 0
		var want []Unit
		short := Excerpt(s, func(u Unit) bool {
			n++
			if n%every != 0 {
				return false
			}
			want = append(want, u)
			return true
		})
		have := map[[2]string]bool{}
		for _, u := range Units(short) {
			have[[2]string{u.Place, u.Wording()}] = true
		}
		for _, u := range want {
			if !have[[2]string{u.Place, u.Wording()}] {
				t.Fatalf("%q: the excerpt\n%q\nlacks %+v", s, short, u)
			}
		}
	})
	long := "# Ports\nThe first port is 1. The second is 2.\n\nAllowed:\n- finance\n- ops\n\n```sh\nmake\nmake install\n```\nEnd."
	for want, chosen := range map[string]string{
		"# Ports\nThe second is 2.":           "The second is 2.",
		"# Ports\n\nAllowed:\n\n- ops":        "- ops",
		"# Ports\n\n```sh\nmake install\n```": "make install",
		"# Ports\n\nEnd.":                     "End.",
	} {
		if got := Excerpt(long, func(u Unit) bool { return u.Text == chosen }); got != want {
			t.Errorf("%q:\n%q\nwant\n%q", chosen, got, want)
		}
	}
}

func FuzzUnits(f *testing.F) {
	f.Add("# A\n- b\n```\nc\n```\n| d |")
	f.Fuzz(func(t *testing.T, s string) {
		for _, u := range Units(s) {
			if strings.TrimSpace(u.Text) == "" {
				t.Fatalf("%q: an empty unit", s)
			}
			if w := u.Wording(); Wording(Wording(w)) != Wording(w) && !u.Exact && !strings.ContainsAny(s, "*`.。") {
				t.Fatalf("%q: the wording of a wording differs", w)
			}
		}
		Excerpt(s, func(u Unit) bool { return len(u.Text)%2 == 0 })
	})
}
