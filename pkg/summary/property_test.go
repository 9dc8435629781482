package summary

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/temporal"
)

type reporter interface {
	Helper()
	Fatalf(string, ...any)
}

// checkSummary verifies what the package guarantees for any text.
func checkSummary(t reporter, text string, o Options) {
	t.Helper()
	checkSentences(t, text)
	s, err := Summarise(text, o)
	again, errAgain := Summarise(text, o)
	if diff := cmp.Diff(s, again); diff != "" || (err == nil) != (errAgain == nil) {
		t.Fatalf("not deterministic: %v, %v\n%s", err, errAgain, diff)
	}
	if err != nil {
		if !errors.Is(err, ErrNotShorter) && !errors.Is(err, ErrTooFewKeyTerms) {
			t.Fatalf("unknown error %v", err)
		}
		return
	}
	limit, least := o.MaxChars, o.MinKeyTerms
	if limit <= 0 {
		limit = 2000
	}
	if least <= 0 {
		least = 0.8
	}
	out := s.Text()
	if n, all := utf8.RuneCountInString(out), utf8.RuneCountInString(text); n > limit || n > all/2 {
		t.Fatalf("%d characters of %d, limit %d", n, all, limit)
	}
	for _, list := range [][]string{s.WhatHappened, s.Outcome, s.KeyLearnings} {
		checkVerbatim(t, text, list, o.Ref, s.Cut)
		for _, sentence := range list {
			if !strings.Contains(out, sentence) {
				t.Fatalf("%q is not in the text of the summary", sentence)
			}
		}
	}
	folded := strings.Join(strings.Fields(text), " ")
	for _, name := range s.Who {
		if !strings.Contains(folded, strings.Join(strings.Fields(name), " ")) {
			t.Fatalf("nobody is called %q", name)
		}
	}
	checkKeyTerms(t, text, s, least)
}

// checkVerbatim finds each of the sentences in text, in this order, line breaks and
// the marks of block quotations aside.
func checkVerbatim(t reporter, text string, sentences []string, ref time.Time, cut bool) {
	t.Helper()
	all := squash(text)
	annotated := map[string]string{}
	if !ref.IsZero() {
		for _, original := range Sentences(text) {
			annotated[squash(temporal.Annotate(original, ref))] = squash(original)
		}
	}
	at := 0
	for _, sentence := range sentences {
		if Marked(sentence) > 0 && !strings.Contains(text, sentence) {
			continue
		}
		piece := squash(sentence)
		if original, ok := annotated[piece]; ok {
			piece = original
		}
		if cut {
			piece = strings.TrimSuffix(strings.TrimPrefix(piece, "…"), "…")
		}
		i := strings.Index(all[at:], piece)
		switch {
		case i >= 0:
			at += i
		case !cut || ref.IsZero():
			t.Fatalf("%q is no sentence of the text, or not in its order", sentence)
		}
	}
}

func squash(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '>' {
			return -1
		}
		return r
	}, s)
}

// checkSentences verifies that the sentences are pieces of text in order, and
// that what is between them is not a text: list markers, fences of code, rules.
func checkSentences(t reporter, text string) {
	t.Helper()
	at := 0
	for _, s := range append(split(text, false, nil), sentence{start: len(text), end: len(text), words: len(text)}) {
		if s.start < at || s.end < s.start || s.words < s.start || s.words > s.end {
			t.Fatalf("sentence %+v after byte %d", s, at)
		}
		for _, line := range strings.Split(text[at:s.start], "\n") {
			line = strings.TrimSpace(line)
			fence := strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
			if !fence && strings.ContainsFunc(line, unicode.IsLetter) && !strings.Contains(strings.ToLower(line), "[x]") {
				t.Fatalf("%q is left out before %q", line, text[s.start:s.end])
			}
		}
		at = s.end
	}
}

// checkKeyTerms counts again, on the summary itself, what it says it keeps.
func checkKeyTerms(t reporter, text string, s Summary, least float64) {
	t.Helper()
	keys := KeyTerms(text)
	kept := 1.0
	if len(keys) > 0 {
		kept -= float64(len(s.Missing)) / float64(len(keys))
	}
	if kept != s.KeyTermsKept || kept < least {
		t.Fatalf("keeps %v of %q without %q, says %v, wanted %v", kept, keys, s.Missing, s.KeyTermsKept, least)
	}
	for _, term := range s.Missing {
		if !slices.Contains(keys, term) {
			t.Fatalf("%q is missing but no key term of %q", term, keys)
		}
	}
}

var written = time.Date(2026, 3, 11, 14, 30, 0, 0, time.UTC)

var pieces = []string{
	"The import failed.", "We fixed the import!", "Why did the cache fail?", "yesterday", "last week", "Ann:", "Bob said", "and",
	"e.g.", "v1.2.3", "ERR_TIMEOUT", "`code. Span`", "```", "\n", "\n\n", "- ", "1. ", "# ", "Lessons learned\n", "Outcome: ", "(see", ")",
	"障害が起きました。", "接続数", "\xff", "2026-03-11T10:00:00Z ERROR", "at a.b(c.java:1)", "|", ">", "    x = f(1)", "https://a.b/c", "\t",
	"cache", "queue", "worker", "deploy", "rollback", "We decided to", "root cause", "…", "\"", "***", "=====", "\r\n",
}

// checkFlat verifies what Flat guarantees for any text.
func checkFlat(t reporter, text, title string, words int, ref time.Time) {
	t.Helper()
	got := Flat(text, title, words, ref)
	if again := Flat(text, title, words, ref); again != got {
		t.Fatalf("not deterministic: %q, %q", got, again)
	}
	if n := len(strings.Fields(got)); n > max(words, 0) {
		t.Fatalf("%d words in %q, limit %d", n, got, words)
	}
	if n := countWords(got); n > max(words, 0) {
		t.Fatalf("counts %d words in %q, limit %d", n, got, words)
	}
	if readable := len(Sentences(text)) > 0; (readable && words > 0) != (got != "") {
		t.Fatalf("%q in %d words of %q", got, words, text)
	}
	if !ref.IsZero() {
		return
	}
	lines := slices.DeleteFunc(strings.Split(got, "\n"), func(line string) bool { return Marked(line) > 0 })
	all, at := squash(text), 0
	for _, sentence := range strings.FieldsFunc(squash(strings.Join(lines, "\n")), func(r rune) bool { return r == '…' }) {
		for _, r := range sentence { // a subsequence: what is between the sentences is left out
			i := strings.IndexRune(all[at:], r)
			if i < 0 {
				t.Fatalf("%q is not taken from %q", got, text)
			}
			at += i
		}
	}
}

func TestFlatProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 200).Draw(t, "words")
		text := strings.Join(words, rapid.SampledFrom([]string{" ", "\n", "", "  "}).Draw(t, "glue"))
		title := rapid.SampledFrom([]string{"", "cache and queue", "\xff", "障害"}).Draw(t, "title")
		ref := rapid.SampledFrom([]time.Time{{}, written}).Draw(t, "ref")
		checkFlat(t, text, title, rapid.IntRange(-1, 60).Draw(t, "limit"), ref)
	})
}

func FuzzFlat(f *testing.F) {
	f.Add(strings.Join(pieces, " "), "cache", 50, true)
	f.Add(strings.Repeat("a", 5000), "", 100, false)
	f.Add(strings.Repeat("障害", 500), "障害", 3, false)
	f.Add("ระบบล่มเมื่อวานนี้แล้วทีมงานก็แก้ไข เสร็จ", "", 5, true)
	f.Add("> a quoted line that goes on\n> and on: it ends.\r\n\x00", "", 7, false)
	f.Add("rt! Why did the'cache fail? yesterday last week Ann: Bob said and e.g. v1.2.3 ERR_TIMEOUT `code. Span` ``` \n1) | >   \n\n -  1.  #  Lesso", "cache", 50, false)
	f.Fuzz(func(t *testing.T, text, title string, words int, dated bool) {
		ref := time.Time{}
		if dated {
			ref = written
		}
		checkFlat(t, text, title, min(words, 1000), ref)
	})
}

func TestSummariseProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom(pieces), 40, 300).Draw(t, "words")
		text := strings.Join(words, rapid.SampledFrom([]string{" ", "\n", "", "  "}).Draw(t, "glue"))
		o := Options{
			MaxChars:    rapid.SampledFrom([]int{0, 60, 200, 600}).Draw(t, "limit"),
			MinKeyTerms: rapid.SampledFrom([]float64{0, 0.1, 0.5, 1}).Draw(t, "share"),
		}
		if rapid.Bool().Draw(t, "dated") {
			o.Ref = written
		}
		checkSummary(t, text, o)
	})
}

func FuzzSummarise(f *testing.F) {
	f.Add(strings.Join(pieces, " "), 500, true)
	f.Add("Ann: a b. C?\nBob: d\n", 80, false)
	f.Add("```\n# x\n    y\n- z\n", 0, true)
	f.Add("。！？", 10, false)
	f.Fuzz(func(t *testing.T, text string, limit int, dated bool) {
		o := Options{MaxChars: limit, MinKeyTerms: 0.3}
		if dated {
			o.Ref = written
		}
		checkSummary(t, text, o)
	})
}
