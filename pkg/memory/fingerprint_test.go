package memory

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// A fingerprint is what earlier versions have written into queues and notes: the beginning of the
// SHA-256 of these five, quoted as Go does.
func TestFingerprintStaysWhatItWas(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "semantic", "a \"b\"", "naïve\u2028", "tab\t\\", "日本 ", "\x00"})
	rapid.Check(t, func(t *rapid.T) {
		doc := map[string]any{
			"id": "mem_a", "type": text.Draw(t, "type"), "subtype": text.Draw(t, "subtype"), "tags": rapid.SliceOfN(text, 0, 4).Draw(t, "tags"),
			"content": map[string]any{"summary": text.Draw(t, "summary"), "n": []int{1, 2}},
		}
		if rapid.Bool().Draw(t, "titled") {
			doc["title"] = text.Draw(t, "title")
		}
		raw, err := json.MarshalIndent(doc, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		ms, err := ParseRecords("global/a.json", raw)
		if err != nil || len(ms) != 1 {
			t.Fatalf("%d memories, %v", len(ms), err)
		}
		m := ms[0]
		said := fmt.Sprintf("%q %q %q %q ", m.Type, m.Subtype, indexfile.NormalTags(m.Tags), parse(raw).Get("title").Raw)
		sum := sha256.Sum256(append([]byte(said), jsonedit.Compact([]byte(m.Content().Raw))...))
		for range 2 { // made, and remembered
			if got, want := m.Fingerprint(), fmt.Sprintf("%x", sum[:8]); got != want {
				t.Fatalf("%s, not %s, of %s", got, want, raw)
			}
		}
	})
}
