package similarity

import (
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestDifferencesAreSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := prose.Draw(t, "a")
		b := prose.Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = a + " not " + b
		}
		checkSymmetric(t, a, b)
	})
}

func checkSymmetric(t interface{ Fatalf(string, ...any) }, a, b string) {
	x, y := Differences(a, b), Differences(b, a)
	for i := range y {
		y[i].A, y[i].B = y[i].B, y[i].A
	}
	if d := cmp.Diff(x, y); d != "" {
		t.Fatalf("Differences(%q, %q) and back: %s", a, b, d)
	}
	for _, d := range x {
		if d.Kind == "" || d.A == "" && d.B == "" {
			t.Fatalf("Differences(%q, %q) has the empty %q", a, b, d)
		}
	}
	if got := Differences(a, a); got != nil {
		t.Fatalf("Differences(%q, itself) = %q", a, got)
	}
}

// plain draws sentences of words that carry no fact, each with one slot for a fact.
var plain = rapid.Map(rapid.SliceOfN(rapid.SampledFrom(strings.Fields("the cache holds values that we read there when it runs and everything works well")), 5, 40),
	func(words []string) []string { return words })

func TestOneChangedFactIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := plain.Draw(t, "words")
		at := rapid.IntRange(1, len(words)-1).Draw(t, "at")
		facts := rapid.Permutation(rapid.SampledFrom([][]string{
			{"17", "18", "19.5"}, {"5 ms", "7 ms", "5 minutes"}, {"v1.2.3", "v1.2.4", "v2.0.0"}, {"2026-01-02", "2026-01-03", "May 5"},
			{"foo_bar", "fooBaz", "os.Args"}, {"/a/b", "/a/c", "x/y.go"}, {"Ann", "Bob", "Carol"},
		}).Draw(t, "facts")).Draw(t, "order")
		with := func(fact string) string {
			return strings.Join(words[:at], " ") + " " + fact + " " + strings.Join(words[at:], " ")
		}
		if got := Differences(with(facts[0]), with(facts[1])); len(got) != 1 {
			t.Fatalf("%q against %q: %q", with(facts[0]), facts[1], got)
		}
		if got := Differences(with("is"), with("is not")); len(got) != 1 || got[0].Kind != kindNegation.String() {
			t.Fatalf("not inserted at %d of %q: %q", at, words, got)
		}
		if got := Differences(with(facts[0]), with("something")); got == nil {
			t.Fatalf("%q lost from %q, and nothing differs", facts[0], words)
		}
	})
}

// digits finds the runs of digits of a text.
var digits = regexp.MustCompile(`\d+`)

// A text in which one run of digits is another number states another fact, whatever the run is a part of and whether or not
// what comes of it exists: no calendar has a 6516 November.
func TestAnotherNumberIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbered := rapid.SampledFrom([]string{
			"15 November 2025", "November 15, 2025", "15th of November 2025", "Nov 2025", "5 March", "2025-11-15", "15.11.2025", "5/11/2025",
			"2025/11/15", "2025-11-15T10:30:15Z", "10:30", "10:30:15.25", "v1.2.3", "1.5 GB", "5 ms", "17", "2.25", "1,250", "$5 million", "12%", "#1808", "OPS-1423",
			"192.168.10.12:8080", "db2", "room12b", "/srv/data3/v2", "https://example.org/a/7?x=1", "2nd", "-5", "3 of 4", "5-7",
		})
		words := plain.Draw(t, "words")
		for range rapid.IntRange(1, 3).Draw(t, "facts") {
			at := rapid.IntRange(1, len(words)).Draw(t, "at")
			words = slices.Insert(words, at, numbered.Draw(t, "fact")+" works") // two in a row may be read as one
		}
		a := strings.Join(words, " ")
		runs := digits.FindAllStringIndex(a, -1)
		run := runs[rapid.IntRange(0, len(runs)-1).Draw(t, "run")]
		was := a[run[0]:run[1]]
		is := rapid.StringMatching(`[1-9]\d{0,5}`).Filter(func(s string) bool {
			return s != strings.TrimLeft(was, "0") && !(a[max(0, run[0]-1)] == '.' && strings.TrimRight(s, "0") == strings.TrimRight(was, "0"))
		}).Draw(t, "is")
		b := a[:run[0]] + is + a[run[1]:]
		if got := Differences(a, b); got == nil {
			t.Fatalf("%q\n%q: %s became %s, and nothing differs", a, b, was, is)
		}
	})
}

func TestHostileInputEnds(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	random := func() string {
		var b strings.Builder
		for range 20000 {
			b.WriteString(string(rune('a'+r.Intn(26))) + string(rune('a'+r.Intn(26))) + " ")
		}
		return b.String()
	}
	const n = 20000
	for _, c := range [][2]string{
		{random(), random()},
		{strings.Repeat("`a ", n), strings.Repeat("` b", n)},
		{strings.Repeat("1", n), strings.Repeat("2", n)},
		{strings.Repeat("1 ", n), strings.Repeat("2 ", n)},
		{"5" + strings.Repeat(" trillion", n), "5" + strings.Repeat(" billion", n)},
		{strings.Repeat("a-", n), strings.Repeat("b-1", n)},
		{strings.Repeat("a.b", n), strings.Repeat("1.", n)},
		{strings.Repeat("a'", n), strings.Repeat("'a", n)},
		{strings.Repeat("a\n", n), strings.Repeat("a\n", n-1)},
		{strings.Repeat("not ", n), strings.Repeat("never ", n)},
		{strings.Repeat("不東", n), strings.Repeat("東京", n)},
		{strings.Repeat("\xff", n), strings.Repeat("\u0301", n)},
		{strings.Repeat("a_1 of Bob x ", 500), strings.Repeat("c_2 of Dan x ", 500)},
		{strings.Repeat("is Ann of Bob ", 300) + strings.Repeat("of Cid of ", 300), strings.Repeat("is of Bob Dan ", 300) + strings.Repeat("of of Eve ", 300)},
		{strings.Repeat("1. A ", n), strings.Repeat("2. A ", n)},
		{strings.Repeat("a: b\n", n), strings.Repeat("a: c\n", n)},
		{strings.Repeat("5 % ", n), strings.Repeat("per cent ", n)},
		{strings.Repeat("x\n", n), strings.Repeat("x\n", n) + "y"},
		{strings.Repeat("5 May 2025 ", n), strings.Repeat("x May 6516 ", n)},
	} {
		if got := Differences(c[0], c[1]); len(got) > maxDifferences {
			t.Errorf("%.20q, %.20q: %d differences", c[0], c[1], len(got))
		}
	}
}

func FuzzDifferences(f *testing.F) {
	f.Add("\x80", strings.Repeat("\x82", 300)) // no character begins within an excerpt
	f.Add("Port 8080 isn't open on 2026-03-05.", "port 9090 is open on 5 March 2026")
	f.Add("`a_b` /x/y.go v1.2 $5 million ann@x.org", "C++ --flag 5ms 10:30 pm #7 不 [x]")
	f.Add("x\nx y", "x…\nx z")
	f.Fuzz(func(t *testing.T, a, b string) { checkSymmetric(t, a, b) })
}

// scripts are words of our own in several scripts, of languages with a file and without.
var scripts = rapid.SampledFrom([][]string{
	strings.Fields("the importer of branch reads tables at night and writes them into archive for agency"),
	strings.Fields("насос подвале сторож пишет книгу после сигнала двор цех лежит архив"),
	strings.Fields("αντλία υπόγειο φύλακας γράφει βιβλίο μετά σήμα αυλή αποθήκη"),
	strings.Fields("تعمل المضخة القبو الحارس يكتب الدفتر بعد الإنذار الفناء"),
	strings.Fields("משאבה מרתף שומר כותב יומן אחרי אזעקה חצר מחסן"),
	strings.Fields("पहरेदार तहखाने पंप किताब लिखता आँगन गोदाम सूचना"),
	strings.Fields("펌프는 지하실에서 경비원이 기록한다 신호 마당 창고"),
	{"地下の", "ポンプは", "守衛が", "記録", "する", "中庭", "倉庫"},
	{"水泵", "地下室", "门卫", "记录", "后院", "仓库", "每晚"},
	strings.Fields("máy bơm dưới hầm người gác ghi sổ sân kho"),
})

// Whatever the script: a fact that is changed, added or dropped is a difference.
func TestNoFactIsLostInAnyScript(t *testing.T) {
	facts := rapid.SampledFrom([]string{"17", "٨٤", "५६", "3.14", "-5", "5%", "v2.1.0", "2026-03-05", "10:30", "-x", "-X", "&&", "||", "!=", "a_b", "a-1", "getUser", "🟢", "🔴", "½", "m²",
		"/srv/a", "https://a.org/x", "$40", "#12", "x@y.org", "=", "+e", "*.go", "①"})
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom(scripts.Draw(t, "script")), 4, 30).Draw(t, "words")
		at := rapid.IntRange(1, len(words)-1).Draw(t, "at")
		x, y := facts.Draw(t, "fact"), facts.Draw(t, "other")
		with := func(fact string) string {
			return strings.Join(slices.Insert(slices.Clone(words), at, fact), " ")
		}
		if x != y && Differences(with(x), with(y)) == nil {
			t.Fatalf("%q became %q, and nothing differs", with(x), y)
		}
		if strings.ContainsAny(x, "0123456789٨५½①🟢🔴&|!=") && Differences(with(x), strings.Join(words, " ")) == nil {
			t.Fatalf("%q lost %q, and nothing differs", with(x), x)
		}
	})
}

// Whatever the script: form is not a difference.
func TestFormIsHarmlessInAnyScript(t *testing.T) {
	noise := []func(string) string{
		func(w string) string { return "**" + w + "**" }, func(w string) string { return "_" + w + "_" }, func(w string) string { return "“" + w + "”" },
		func(w string) string { return w + "," }, func(w string) string { return "  " + w }, func(w string) string { return norm.NFD.String(w) },
		func(w string) string { return "(" + w + ")" }, func(w string) string { return w + " –" }, func(w string) string { return "\u200b" + w },
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom(scripts.Draw(t, "script")), 4, 30).Draw(t, "words")
		other := slices.Clone(words)
		for range rapid.IntRange(1, 4).Draw(t, "places") {
			at := rapid.IntRange(0, len(other)-1).Draw(t, "at")
			if other[at] == words[at] {
				other[at] = rapid.SampledFrom(noise).Draw(t, "noise")(other[at])
			}
		}
		a, b := strings.Join(words, " "), strings.Join(other, " ")+"."
		if got := Differences(a, b); got != nil {
			t.Fatalf("%q\n%q\n%q", a, b, got)
		}
	})
}
