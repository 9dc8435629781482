package supersession

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The quick look finds what looking for each stem at the beginning of the words of the lower-case text would.
func TestReplacing(t *testing.T) {
	pieces := append([]string{"retire", "REPLACed", "the amendment", " ", "é", "-", "sup", "ersede", "re", "UPDAT", "x", "insteaD", "succ", "succe"}, replacingStems...)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 4).Draw(t, "text"), rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "between"))
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		text = text[cut:]
		want := false
		lower := strings.ToLower(text)
		for i := range lower {
			begins := i == 0 || !isASCIILetter(lower[i-1])
			want = want || begins && slices.ContainsFunc(replacingStems, func(stem string) bool { return strings.HasPrefix(lower[i:], stem) })
		}
		if got, _ := Speaks(text); got != want {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	})
}

// A plain title gives no key, with a name or without.
func TestPlain(t *testing.T) {
	pieces := []string{"ADR", "adr-0012", "12", "12:", "a", "_", "%", "-", ".", "é", "日本", "１２", ": ", " ", " ", " ", "\u00a0", "the", "queue", "RFC", "822", "#7", "(x)", "v2", "'s", strings.Repeat("long", 60)}
	words := []string{"the", " queue", " jobs", " holds", "a"} // of these most titles are plain
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		title := strings.Join(rapid.SliceOfN(rapid.SampledFrom(rapid.SampledFrom([][]string{pieces, words}).Draw(t, "from")), 3, 12).Draw(t, "title"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		if !Plain(title) {
			return
		}
		plain++
		if keys := (Note{Title: title}).Keys(); len(keys) > 0 {
			t.Fatalf("%q is plain, and gives %q", title, keys)
		}
		if with, without := (Note{Name: "ADR-7", Title: title}).Keys(), (Note{Name: "ADR-7"}).Keys(); !slices.Equal(with, without) {
			t.Fatalf("%q is plain, and makes %q of %q", title, with, without)
		}
	})
	if plain == 0 || !Plain("The queue holds jobs") || Plain("ADR 12: the queue") {
		t.Errorf("%d titles were plain", plain)
	}
}

func BenchmarkCited(b *testing.B) {
	text := strings.Repeat("The queue holds 1,200 jobs at most, and workers take them in order. ", 12)
	for name, text := range map[string]string{"silent": text, "speaking": text + "This replaces ADR-0012."} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Cited(text)
			}
		})
	}
}
