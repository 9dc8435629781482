package similarity

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"sync"
	"testing"

	"github.com/adrg/strutil"
	"github.com/adrg/strutil/metrics"
	"github.com/memoryd/memoryd/pkg/text"
	"pgregory.net/rapid"
)

func content(a, b string) float64 { return Content(Prepare(a), Prepare(b)) }

func TestContent(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"", "", 1},
		{"", " !? ", 1},
		{"", "a", 0},
		{"a", "b", 0},
		{"a", "A.", 1},
		{"We don't cache it.", "we do not   cache “it”", 1},
		{"a b c d e f g h i j", "a b c d e f g h i x", 0.9},
		{"a a b", "a b b", 2.0 / 3},
		{"東京都", "東京府", 0.5},
	} {
		if got := content(c.a, c.b); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("Content(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
	if got := Content(nil, Prepare("")); got != 1 {
		t.Errorf("Content(nil, empty) = %v, want 1", got)
	}
}

// prose draws texts with the things that normalisation is about.
var prose = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom(strings.Fields("the cache is not cold don't Don’t 1,000 1000 été É 東京 東 👍 a_b x-y v1.2 . , ` `` \n -5 10:30 May 5")),
		rapid.StringN(0, 6, -1),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 4), func(b []byte) string { return string(b) }),
	), 0, 30).Draw(t, "words"), " ")
})

// asRunes writes a text with one private character per distinct word, so that measures over characters measure words.
func asRunes(text string, runes map[string]rune) string {
	var b strings.Builder
	for _, w := range wordsOf(text) {
		if runes[w] == 0 {
			runes[w] = 0xF0000 + rune(len(runes))
		}
		b.WriteRune(runes[w])
	}
	return b.String()
}

func TestContentEqualsStrutilOverWords(t *testing.T) {
	oracle := metrics.NewSorensenDice()
	oracle.NgramSize = 1
	rapid.Check(t, func(t *rapid.T) {
		a, b := prose.Draw(t, "a"), prose.Draw(t, "b")
		runes := map[string]rune{}
		x, y := asRunes(a, runes), asRunes(b, runes)
		want := strutil.Similarity(x, y, oracle)
		if x == "" && y == "" {
			want = 1 // strutil does not compare n-grams where there are none
		}
		if got := content(a, b); math.Abs(got-want) > 1e-12 {
			t.Fatalf("Content(%q, %q) = %v, strutil says %v", a, b, got, want)
		}
	})
}

func TestContentProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := prose.Draw(t, "a"), prose.Draw(t, "b")
		s := content(a, b)
		if !(0 <= s && s <= 1) || s != content(b, a) {
			t.Fatalf("Content(%q, %q) = %v, the other way %v", a, b, s, content(b, a))
		}
		if content(a, a) != 1 {
			t.Fatalf("Content(%q, itself) = %v", a, content(a, a))
		}
		if upper := strings.ToUpper("  " + strings.ReplaceAll(a, " ", "  ") + " ."); text.IsASCII(a) && content(a, upper) != 1 {
			t.Fatalf("Content(%q, %q) = %v", a, upper, content(a, upper))
		}
	})
}

// The share of replaced words decides, not the length.
func TestContentKeepsItsMeaningWithLength(t *testing.T) {
	for _, n := range []int{20, 200, 2000} {
		a, b := make([]string, n), make([]string, n)
		for i := range a {
			a[i] = "w" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
			b[i] = a[i]
			if i%10 == 0 {
				b[i] = "other" + a[i]
			}
		}
		if got := content(strings.Join(a, " "), strings.Join(b, " ")); math.Abs(got-0.9) > 1e-12 {
			t.Errorf("%d words, a tenth replaced: %v", n, got)
		}
	}
}

func TestFeaturesAreShared(t *testing.T) {
	f, g := Prepare("one text, many readers"), Prepare("one text, many writers")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := Content(f, g); got != 0.75 {
				t.Errorf("Content = %v", got)
			}
		})
	}
	wg.Wait()
}

func TestTags(t *testing.T) {
	for _, c := range []struct {
		a, b []string
		want float64
	}{
		{nil, nil, 1},
		{nil, []string{"", " "}, 1},
		{nil, []string{"a"}, 0},
		{[]string{"a", "B "}, []string{" b", "A", "a"}, 1},
		{[]string{"a", "b", "c"}, []string{"b", "c", "d"}, 0.5},
	} {
		if got, back := Tags(c.a, c.b), Tags(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("Tags(%q, %q) = %v, the other way %v, want %v", c.a, c.b, got, back, c.want)
		}
	}
}

func FuzzContent(f *testing.F) {
	f.Add("We don't cache 1,000 rows.", "we do not cache 1000 rows")
	f.Add("東京都", "a東'京\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		s := content(a, b)
		if !(0 <= s && s <= 1) || s != content(b, a) || content(a, a) != 1 {
			t.Fatalf("Content(%q, %q) = %v, back %v, of itself %v", a, b, s, content(b, a), content(a, a))
		}
	})
}

func BenchmarkContent(b *testing.B) {
	records := corpus(10, 5000, sameTags)
	x, y := records[7].Text, records[8].Text
	x.hashes()
	y.hashes()
	b.Run("prepared", func(b *testing.B) {
		for b.Loop() {
			Content(x, y)
		}
	})
	long := strings.Repeat("Every write goes through the journal, which isn't optional; see section 4. ", 14)
	b.Run("prepare 1 KB", func(b *testing.B) {
		b.SetBytes(int64(len(long)))
		for b.Loop() {
			Prepare(long).hashes()
		}
	})
	dice, lev := metrics.NewSorensenDice(), metrics.NewLevenshtein()
	b.Run("strutil SorensenDice 1 KB", func(b *testing.B) {
		for b.Loop() {
			strutil.Similarity(long, long[1:], dice)
		}
	})
	b.Run("strutil Levenshtein 1 KB", func(b *testing.B) {
		for b.Loop() {
			strutil.Similarity(long, long[1:], lev)
		}
	})
	b.Run("differences 1 KB", func(b *testing.B) {
		for b.Loop() {
			Differences(long, long[1:])
		}
	})
}

// BenchmarkJudge compares prepared texts of 1 KB that differ in one word of twenty.
func BenchmarkJudge(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	var words, wording, facts []string
	for n := 0; n < 1024; n += len(words[len(words)-1]) + 1 {
		w := fmt.Sprintf("word%c%c", 'a'+r.Intn(26), 'a'+r.Intn(26))
		words, wording, facts = append(words, w), append(wording, w), append(facts, w)
		if i := len(words) - 1; i%20 == 7 {
			words[i], wording[i], facts[i] = fmt.Sprint("read_", i), "other", fmt.Sprint("write_", i)
		}
	}
	for name, other := range map[string][]string{"equal": words, "wording": wording, "facts": facts} {
		x, y := Prepare(strings.Join(words, " ")), Prepare(strings.Join(other, " ")+".")
		Judge(x, y, 0)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Judge(x, y, 0)
			}
		})
	}
	joined := strings.Join(words, " ")
	b.Run("prepare", func(b *testing.B) {
		for b.Loop() {
			newDocument(joined)
		}
	})
}
