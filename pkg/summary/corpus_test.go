package summary

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/memoryd/memoryd/fixtures/datasets"
	"github.com/memoryd/memoryd/pkg/text"
)

// TestVerboseMemories summarises what the rule for verbose episodic memories
// would: every one of them must come out.
func TestVerboseMemories(t *testing.T) {
	var truth struct{ Summarise []string }
	if err := json.Unmarshal(datasets.Read(t, "dev/workspace1000_truth.json"), &truth); err != nil {
		t.Fatal(err)
	}
	type memory struct {
		ID        string    `json:"id"`
		CreatedAt time.Time `json:"created_at"`
		Content   struct {
			Details string `json:"details"`
		} `json:"content"`
	}
	n := 0
	for m := range datasets.Rows[memory](t, "dev/workspace1000.jsonl") {
		if !slices.Contains(truth.Summarise, m.ID) {
			continue
		}
		n++
		o := Options{MaxChars: 2000, Ref: m.CreatedAt}
		if _, err := Summarise(m.Content.Details, o); err != nil {
			t.Errorf("%s: %v", m.ID, err)
		}
		checkSummary(t, m.Content.Details, o)
	}
	if n == 0 || n != len(truth.Summarise) {
		t.Errorf("%d memories summarised, want the %d of the truth", n, len(truth.Summarise))
	}
}

// TestLongDocuments summarises meeting notes, proposals and incident reports of
// up to 77,000 characters; a fiftieth of them may be refused.
func TestLongDocuments(t *testing.T) {
	type document struct{ ID, Text string }
	all, refused := 0, 0
	for d := range datasets.Rows[document](t, "dev/summarisation.jsonl.gz") {
		all++
		if _, err := Summarise(d.Text, Options{}); err != nil {
			refused++
			t.Logf("%s (%d characters): %v", d.ID, utf8.RuneCountInString(d.Text), err)
		}
		if all%4 == 0 {
			checkSummary(t, d.Text, Options{Ref: written})
		}
	}
	if 50*refused > all || all == 0 {
		t.Errorf("%d of %d refused", refused, all)
	}
}

// TestReferenceSummaries holds the ranking to what it has reached against summaries
// written by people: ROUGE-1 and ROUGE-2 (Lin 2004, F1, stemmed) of 100 words. The
// stemmer differs from that of the usual scorer, which moves the figures by .1.
func TestReferenceSummaries(t *testing.T) {
	type document struct{ ID, Source, Title, Text, Reference string }
	type sum struct{ n, rouge1, rouge2 float64 }
	sums := map[string]sum{}
	for d := range datasets.Rows[document](t, "dev/summarisation.jsonl.gz") {
		got := Flat(d.Text, d.Title, 100, time.Time{})
		if n := len(strings.Fields(got)); n > 100 {
			t.Errorf("%s: %d words", d.ID, n)
		}
		got1, got2 := grams(got)
		want1, want2 := grams(d.Reference)
		for _, source := range []string{d.Source, "all"} {
			s := sums[source]
			sums[source] = sum{s.n + 1, s.rouge1 + f1(got1, want1), s.rouge2 + f1(got2, want2)}
		}
	}
	for _, source := range slices.Sorted(maps.Keys(sums)) {
		s := sums[source]
		t.Logf("%-10s %3.0f documents: ROUGE-1 %.2f, ROUGE-2 %.2f", source, s.n, 100*s.rouge1/s.n, 100*s.rouge2/s.n)
	}
	if s := sums["all"]; s.rouge1/s.n < 0.315 || s.rouge2/s.n < 0.07 {
		t.Errorf("ROUGE-1 %.4f, ROUGE-2 %.4f, want at least .315 and .070", s.rouge1/s.n, s.rouge2/s.n)
	}
}

// grams counts the stemmed words of a text, and the pairs of neighbouring ones.
func grams(s string) (words, pairs map[string]int) {
	words, pairs = map[string]int{}, map[string]int{}
	last := ""
	for _, word := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if len(word) > 3 {
			word = text.English.Stem(word)
		}
		words[word]++
		if last != "" {
			pairs[last+" "+word]++
		}
		last = word
	}
	return words, pairs
}

// f1 is the harmonic mean of precision and recall of the counts.
func f1(got, want map[string]int) float64 {
	hit, all := 0, 0
	for gram, n := range got {
		hit += min(n, want[gram])
		all += n
	}
	for _, n := range want {
		all += n
	}
	return 2 * float64(hit) / float64(max(1, all))
}
