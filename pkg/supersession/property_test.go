package supersession_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/supersession"
)

var (
	subjects = []string{"The deploy window of the shop", "The owner of the billing service", "The default region", "The on-call engineer"}
	values   = []string{"Tuesday", "Ana Silva", "Frankfurt", "PostgreSQL 16", "9090", "Ben Okafor", "version 2.4.1"}
	verbs    = []string{"is", "was", "will be"}
	closings = []string{"", " It is written down in the handbook.", " Everybody agreed. The minutes are in the wiki."}
)

// note draws a text of statements, ordinary or odd.
func note(t *rapid.T, label string) supersession.Note {
	text := strings.Join(rapid.SliceOfN(rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom(subjects).Draw(t, "subject") + " is " + rapid.SampledFrom(values).Draw(t, "value") + "."
		}),
		rapid.SampledFrom([]string{"Who owns it? Ana.", "This replaces ADR-4.", "No longer so.", "retry = 3", "不再使用Redis。", "The queue: Redis → NATS", "Correction: it is Ana, not Ben.", "We moved from Redis to NATS.", "\n"}),
		rapid.String(),
	), 0, 5).Draw(t, label), " ")
	return supersession.Note{
		Name:  rapid.SampledFrom([]string{"", "ADR-4", "mem_1", "..", "0"}).Draw(t, "name"),
		Title: rapid.SampledFrom([]string{"", "ADR 4: queue", "Job queue", "?"}).Draw(t, "title"),
		Text:  text,
	}
}

// A text is a duplicate of itself, however it is written.
func TestSameWordsAreDuplicates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := note(t, "text")
		m := n
		m.Text = rapid.SampledFrom([]string{n.Text, strings.ToUpper(n.Text), " " + n.Text + "\n"}).Draw(t, "rewritten")
		if !strings.EqualFold(m.Text, n.Text) && strings.TrimSpace(m.Text) != strings.TrimSpace(n.Text) {
			m.Text = n.Text // letters that have no other case
		}
		if j := supersession.Judge(n, n); j != (supersession.Judgement{Relation: supersession.Duplicate}) {
			t.Fatalf("%+v", j)
		}
	})
}

// Texts without a common word are unrelated, unless one names the other.
func TestDisjointTextsAreUnrelated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(alphabet string) string {
			return strings.Join(rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune(alphabet)), 3, 9, -1), 1, 12).Draw(t, "words"), " ") + "."
		}
		a, b := draw("abcdefgh"), draw("nopqrstuvw")
		if j := supersession.Judge(supersession.Note{Text: a}, supersession.Note{Text: b}); j.Relation != supersession.Unrelated {
			t.Fatalf("%q and %q: %+v", a, b, j)
		}
	})
}

// Another value in place of the old one is an update, whatever stands around it, and
// the judgement names both.
func TestChangedValuesAreUpdates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.SampledFrom(subjects).Draw(t, "subject") + " " + rapid.SampledFrom(verbs).Draw(t, "verb") + " "
		rest := rapid.SampledFrom(closings).Draw(t, "rest")
		pair := rapid.SliceOfNDistinct(rapid.SampledFrom(values), 2, 2, rapid.ID).Draw(t, "values")
		j := supersession.Judge(supersession.Note{Text: head + pair[0] + "." + rest}, supersession.Note{Text: head + pair[1] + "." + rest})
		if j.Relation != supersession.Updates || j.Cue != supersession.CueValue || j.Old == "" || j.New == "" ||
			!strings.Contains(pair[0], j.Old) || !strings.Contains(pair[1], j.New) {
			t.Fatalf("%q, then %q: %+v", head+pair[0], head+pair[1], j)
		}
	})
}

// check holds a judgement to what it promises of itself.
func check(t interface{ Fatalf(string, ...any) }, older, newer supersession.Note) {
	j := supersession.Judge(older, newer)
	if j != supersession.Judge(older, newer) {
		t.Fatalf("judging twice differs")
	}
	if (j.Relation == supersession.Updates) != (j.Cue != "") {
		t.Fatalf("%s by the cue %q", j.Relation, j.Cue)
	}
	if j.Relation != supersession.Updates && j != (supersession.Judgement{Relation: j.Relation}) {
		t.Fatalf("evidence of nothing: %+v", j)
	}
	if !strings.Contains(older.Text, j.OlderSentence) && !strings.Contains(j.OlderSentence, "? ") || !strings.Contains(newer.Text, j.NewerSentence) && !strings.Contains(j.NewerSentence, "? ") {
		t.Fatalf("the evidence is not in the texts: %+v", j)
	}
	if _, there := supersession.Corrects(newer, older); there && !supersession.Marked(newer.Text) {
		t.Fatalf("%q corrects without a mark", newer.Text)
	}
	older.Keys()
	supersession.Cited(newer.Text)
}

func TestJudgementsHoldTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { check(t, note(t, "older"), note(t, "newer")) })
}

func FuzzJudge(f *testing.F) {
	for _, s := range []string{"The lead is Ana.", "Who? Me.", "replaces ADR 4", "no longer", "a: b = c", "from x to y instead of z rather than", "\xff\xfe.", "v1.2.3 → v1.2.4", "从Redis切换到NATS", "d'Oracle à Postgres", "OLD NEW … |*"} {
		f.Add("ADR-4", "Job queue", s, s+" Ben")
	}
	f.Fuzz(func(t *testing.T, name, title, a, b string) {
		check(t, supersession.Note{Name: name, Title: title, Text: a}, supersession.Note{Title: title, Text: b})
	})
}

// Hostile texts are read in bounded time: the test ends, that is all.
func TestHostileTexts(t *testing.T) {
	for _, unit := range []string{"instead of x ", "a. ", "We moved from a to b. ", "is ", "no longer so. ", "ADR-4 replaces ADR-4 ", "Who? ", "not x, but y; ", "→ ", "不再", "x=1\n", "é", "aaaaaaaaaa"} {
		long := strings.Repeat(unit, 1<<20/len(unit))
		older := supersession.Note{Name: "ADR-4", Title: long, Text: long}
		check(t, older, supersession.Note{Name: "ADR-5", Title: long + "b", Text: "b " + long})
	}
}

func BenchmarkJudge(b *testing.B) {
	paragraph := strings.Repeat("The nightly export of the billing service writes to the shared bucket and has to finish before the morning. ", 9)
	for _, c := range []struct{ name, older, newer string }{
		{"statement", "The release manager is Ana.", "The release manager is Ben."},
		{"1KB", paragraph + "It may take 30 minutes.", paragraph + "It may take 45 minutes."},
		{"unrelated1KB", paragraph, strings.Repeat("Buttons use the accent colour, links are underlined and headings stay black. ", 13)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				supersession.Judge(supersession.Note{Text: c.older}, supersession.Note{Text: c.newer})
			}
		})
	}
}
