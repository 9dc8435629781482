package secrets_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/secrets"
)

// What is found in a short text is found in the midst of a long one, which is searched near its keywords only.
func TestLongTexts(t *testing.T) {
	l := lot{rand.New(rand.NewPCG(2026, 50))}
	rules := secrets.Default()
	prose := strings.Repeat("The meeting was about the login page and how an admin gets there from https://wiki.acme.dev/home on a slow day.\nA backup takes an hour, and curl needs a proxy. Nobody liked the wifi, or the cookie banner.\n\n", 12)
	if found := rules.Find(prose); len(found) > 0 {
		t.Fatalf("the prose holds %v", found[0])
	}
	for _, d := range append(slices.Clone(told), documents...) {
		for _, form := range d.write {
			text := strings.ReplaceAll(form, "§", d.draw(l))
			short := rules.Find("A line.\n\n" + text + "\n\nAnother line.\n")
			long := rules.Find(prose + "\n\n" + text + "\n\n" + prose)
			if len(long) < len(short) {
				t.Errorf("%s: %q is found in a short text only: %v, %v", d.kind, form, short, long)
			}
		}
	}
}
