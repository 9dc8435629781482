package similarity

import (
	"testing"

	"pgregory.net/rapid"
)

// sideOf makes a side of tokens.
func sideOf(tokens []token) *side {
	s := &side{tokens: tokens}
	for _, t := range tokens {
		s.keys = append(s.keys, hashWord(t.key))
	}
	return s
}

func tokensOf(keys []string) []token {
	out := make([]token, len(keys))
	for i, k := range keys {
		out[i].key = k
	}
	return out
}

// longest is the length of a longest common subsequence, by the textbook recurrence.
func longest(a, b []token) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if a[i].key == b[j].key {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func TestAlignIsAShortestEdit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 30)
		a, b := tokensOf(keys.Draw(t, "a")), tokensOf(keys.Draw(t, "b"))
		for i := range b {
			b[i].gap = gap(rapid.IntRange(0, 2).Draw(t, "gap"))
		}
		x, y, equal := 0, 0, 0
		for _, h := range append(align(sideOf(a), sideOf(b)), hunk{len(a), len(a), len(b), len(b)}) {
			if h.a0-x != h.b0-y || h.a0 < x || h.a1 < h.a0 || h.b1 < h.b0 {
				t.Fatalf("hunk %v does not follow %d, %d", h, x, y)
			}
			for ; x < h.a0; x, y = x+1, y+1 {
				if a[x].key != b[y].key {
					t.Fatalf("%d and %d stand between hunks and differ", x, y)
				}
				equal++
			}
			x, y = h.a1, h.b1
		}
		if want := longest(a, b); equal != want {
			t.Fatalf("%d tokens aligned, %d possible", equal, want)
		}
	})
}

func TestAlignGivesUp(t *testing.T) {
	a, b := make([]token, 3*maxEdits), make([]token, 3*maxEdits)
	for i := range a {
		a[i].key, b[i].key = "a", "b"
	}
	a[0].key, b[0].key = "same", "same"
	a[maxEdits].key, b[maxEdits].key = "same", "same"
	got := align(sideOf(a), sideOf(b))
	if want := (hunk{1, len(a), 1, len(b)}); len(got) != 1 || got[0] != want {
		t.Errorf("got %v, want one hunk %v", got, want)
	}
}

func TestAlignFindsTheAddedSentence(t *testing.T) {
	a := lexed("We test. We need it.")
	b := lexed("We test. We never guess. We need it.")
	got := align(sideOf(a), sideOf(b))
	if want := (hunk{2, 2, 2, 5}); len(got) != 1 || got[0] != want {
		t.Errorf("got %v, want one hunk %v", got, want)
	}
}

func lexed(s string) []token { return tokenize(s, nil) }
