package text

import (
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestSameName(t *testing.T) {
	for _, n := range []string{"café", "Été", "Ærø", "가게", "Việt Nam", "がぎぐ", "Dev-1", "ÅNGSTRÖM", "ﬁn"} {
		if d := norm.NFD.String(n); !SameName(n, d) || Composed(d) != norm.NFC.String(n) || FoldName(d) != FoldName(n) {
			t.Errorf("%q and its decomposed form are not one", n)
		}
	}
	for _, pair := range [][2]string{{"Dev-1", "dev-1"}, {"ÉTÉ", "été"}, {"Łódź", "łÓDŹ"}} {
		if !SameName(pair[0], pair[1]) {
			t.Errorf("%q and %q are not one", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"shop-front", "shop_front"}, {"cafe", "café"}, {"a", ""}, {"dev-1", "dev-11"}} {
		if SameName(pair[0], pair[1]) {
			t.Errorf("%q and %q are one", pair[0], pair[1])
		}
	}
}

func TestNamesAreOneInBothForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.String().Draw(t, "name")
		if !SameName(n, norm.NFD.String(n)) || FoldName(norm.NFD.String(n)) != FoldName(n) || FoldName(FoldName(n)) != FoldName(n) || Composed(Composed(n)) != Composed(n) {
			t.Errorf("%q", n)
		}
	})
}
