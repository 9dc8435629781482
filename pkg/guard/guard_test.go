package guard

import (
	"flag"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/fixtures/datasets"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/summary"
)

const incident = `On 3 March 2026 the deploy of billing-api v2.4.1 failed on host db-7. Maria Petrov rolled it back after 12 minutes.
The cause was a timeout of 30 s in config/pool.yaml. We must not raise the limit above 60 s. The queue drained at 14:05.`

func TestWording(t *testing.T) {
	s := Read(incident)
	for _, tt := range []struct {
		sentence string
		stands   bool
	}{
		{"Maria Petrov rolled it back after 12 minutes.", true},
		{"maria petrov rolled it back after 12 minutes", true},
		{"The deploy of billing-api v2.4.1 failed on host db-7.", true},
		{"The cause was a timeout of 30 seconds in config/pool.yaml.", true},
		{"Maria Petrov rolled it back after 13 minutes.", false},
		{"Boris Petrov rolled it back after 12 minutes.", false},
		{"We must raise the limit above 60 s.", false},
		{"The cause was not a timeout of 30 s in config/pool.yaml.", false},
		{"The cause was a timeout of 30 s in config/pools.yaml.", false},
		{"The deploy of billing-api v2.4.2 failed on host db-7.", false},
		{"The team celebrated a wonderful success together.", false},
		{"", false},
		{"the of and", false},
	} {
		if reason := s.Wording(tt.sentence); (reason == "") != tt.stands {
			t.Errorf("%q: %q", tt.sentence, reason)
		}
	}
}

func TestText(t *testing.T) {
	s := Read(incident)
	kept, ok := s.Text("The queue drained at 14:05. The queue drained at 14:06.")
	if !ok || len(kept) != 1 || kept[0] != "The queue drained at 14:05." {
		t.Errorf("%q, %v", kept, ok)
	}
	if kept, ok := s.Text("The queue drained at 14:05. It rained. It snowed in Norway."); ok {
		t.Errorf("%q stands", kept)
	}
	if _, ok := s.Text(""); ok {
		t.Error("nothing stands")
	}
}

func TestLost(t *testing.T) {
	lost := Lost([]string{incident}, []string{"On 2026-03-03 the deploy of billing-api v2.4.1 failed on host db-7."})
	var texts []string
	for _, f := range lost {
		texts = append(texts, f.Text)
	}
	got := strings.Join(texts, " | ")
	for _, want := range []string{"12 minutes", "config/pool.yaml", "14:05"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not lost: %s", want, got)
		}
	}
	if strings.Contains(got, "v2.4.1") || strings.Contains(got, "March") {
		t.Errorf("these still stand: %s", got)
	}
	if lost := Lost([]string{incident}, []string{incident, "more"}); lost != nil {
		t.Errorf("nothing is lost: %v", lost)
	}
}

// What is taken out of a source stands in it, and so does the source beside anything.
func TestExtractsStand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom(strings.Fields(incident+" Größe 日本語のテスト -5 != 3.10 ./x.go née № ０１ 🙂 «a»")), 1, 30)
		source := strings.Join(words.Draw(t, "source"), " ") + ". " + strings.Join(words.Draw(t, "more"), " ")
		s := Read(source, rapid.String().Draw(t, "other"))
		for _, sentence := range summary.Sentences(source) {
			if len(similarity.Facts(sentence)) == 0 {
				continue
			}
			if reason := s.Wording(sentence); reason != "" {
				t.Fatalf("%q does not stand in %q: %s", sentence, source, reason)
			}
		}
		if lost := Lost([]string{source}, []string{"x", source}); len(lost) > 0 {
			t.Fatalf("lost: %v", lost)
		}
	})
}

func FuzzWording(f *testing.F) {
	f.Add(incident, "The cause was a timeout.")
	f.Add("\xff", "\x00")
	f.Fuzz(func(t *testing.T, source, sentence string) {
		if len(source) > 10_000 || len(sentence) > 1000 {
			t.Skip()
		}
		s := Read(source)
		s.Wording(sentence)
		s.Text(sentence)
		Lost([]string{source}, []string{sentence})
	})
}

var (
	digits    = regexp.MustCompile(`\b[0-9]{1,4}\b`)
	not       = regexp.MustCompile(`(?i)\b(is|are|was|were|will|can|should|could|would|does|do|did|has|have|must|may)\b( not\b)?`)
	titleCase = regexp.MustCompile(`[a-z,] ([A-Z][a-z]{3,})\b`)
)

// mutation is a way to make an extract untrue; ok if it could.
type mutation func(sentence, source string, rng *rand.Rand) (changed string, ok bool)

func changedNumber(sentence, source string, rng *rand.Rand) (string, bool) {
	at := digits.FindStringIndex(sentence)
	if at == nil {
		return "", false
	}
	n, err := strconv.Atoi(sentence[at[0]:at[1]])
	if err != nil {
		return "", false
	}
	return sentence[:at[0]] + strconv.Itoa(n+1+rng.Intn(9)) + sentence[at[1]:], true
}

func changedName(sentence, source string, rng *rand.Rand) (string, bool) {
	at := titleCase.FindStringSubmatchIndex(sentence)
	other := []string{"Petrov", "Lisbon", "Grafana", "Yamada"}[rng.Intn(4)]
	if at == nil || strings.Contains(source, other) {
		return "", false
	}
	return sentence[:at[2]] + other + sentence[at[3]:], true
}

func turned(sentence, source string, _ *rand.Rand) (string, bool) {
	at := not.FindStringSubmatchIndex(sentence)
	switch {
	case at == nil:
		return "", false
	case at[4] >= 0:
		return sentence[:at[4]] + sentence[at[5]:], true
	}
	return sentence[:at[1]] + " not" + sentence[at[1]:], true
}

var every = flag.Int("every", 4, "measure every `N`th document")

// Extracts of real documents pass, and hardly any does that says something else.
func TestMutatedExtracts(t *testing.T) {
	type row struct{ Text, Title string }
	rng := rand.New(rand.NewSource(1))
	kinds := []struct {
		name   string
		mutate mutation
		least  float64
	}{{"number", changedNumber, .98}, {"name", changedName, .98}, {"not", turned, .94}}
	made, caught := [3]int{}, [3]int{}
	documents, sentences, alarms := 0, 0, 0
	for d := range datasets.Rows[row](t, "dev/summarisation.jsonl.gz") {
		if documents++; documents%*every != 0 {
			continue
		}
		extract := summary.Flat(d.Text, d.Title, 100, time.Time{})
		s := Read(d.Text)
		for _, sentence := range summary.Sentences(d.Text) {
			if !strings.Contains(extract, sentence) || len(strings.Fields(sentence)) < 4 {
				continue
			}
			sentences++
			if reason := s.judge(sentence); reason != "" || s.Wording(sentence) != "" { // it would pass as a quotation
				alarms++
				t.Logf("false alarm: %q: %s", sentence, reason)
				continue
			}
			for i, k := range kinds {
				if changed, ok := k.mutate(sentence, d.Text, rng); ok {
					if made[i]++; s.Wording(changed) != "" {
						caught[i]++
					} else if testing.Verbose() {
						t.Logf("%s: %q", k.name, changed)
					}
				}
			}
		}
	}
	t.Logf("%d documents, %d sentences, %d false alarms", documents, sentences, alarms)
	if alarms > 0 {
		t.Errorf("%d of %d sentences of extracts are refused", alarms, sentences)
	}
	for i, k := range kinds {
		share := float64(caught[i]) / float64(max(made[i], 1))
		t.Logf("%s: %d of %d caught, %.3f", k.name, caught[i], made[i], share)
		if made[i] < 20 || share < k.least {
			t.Errorf("%s: %.3f caught, not %.2f", k.name, share, k.least)
		}
	}
}
