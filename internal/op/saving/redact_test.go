package saving

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// Wherever a secret stands beside the place where the summary of a text is cut, nothing of it is left.
func TestRedactBeforeTheCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[a-z][0-9][A-Z][a-zA-Z0-9]{33}`).Draw(t, "secret")
		before := rapid.StringMatching(`([w-z]{1,9} ){0,30}`).Draw(t, "before")
		if rapid.Bool().Draw(t, "one word") {
			before = strings.ReplaceAll(before, " ", "")
		}
		behind := rapid.SampledFrom([]string{"", " w", "\nw x", ". W x y.", strings.Repeat(" wx", 60)}).Draw(t, "behind")
		content, err := app.TextContent(before + " ghp_" + secret + behind)
		if err != nil {
			t.Fatal(err)
		}
		draft, found := redact(secrets.Default(), memory.Draft{Type: memory.Factual, Content: content})
		if len(found) == 0 {
			if before == "" || strings.HasSuffix(before, " ") {
				t.Fatalf("the secret in %s was not found", content)
			}
			t.Skip("a token glued to a word is not one")
		}
		for i := range len(secret) - 3 {
			if strings.Contains(string(draft.Content), secret[i:i+4]) && !strings.Contains(before+behind, secret[i:i+4]) {
				t.Fatalf("%s holds %s of %s", draft.Content, secret[i:i+4], secret)
			}
		}
		if strings.Contains(string(draft.Content), "ghp") {
			t.Fatalf("%s holds how it begins", draft.Content)
		}
	})
}
