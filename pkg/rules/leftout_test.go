package rules

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Each member of a draft is in the memory that it went into, or is named.
func TestLeftOutNamesWhatLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := []string{"owner", "ttl", "priority", "review_on", "a.b", "aliases"}
		values := []string{`"x"`, `"y"`, `1`, `2`, `true`, `["p"]`, `["p","q"]`, `null`, `""`, `{"k":"x"}`, `{"k":"y","l":1}`}
		record := func(label string) ([]byte, map[string]string) {
			doc, has := []byte(`{}`), map[string]string{}
			for _, k := range keys {
				if v := rapid.SampledFrom(append(values, "-")).Draw(t, label+k); v != "-" {
					has[k] = v
					var err error
					if doc, err = jsonedit.Apply(doc, jsonedit.Set([]byte(v), k)); err != nil {
						t.Fatal(err)
					}
				}
			}
			return doc, has
		}
		after, is := record("is ")
		draft, wants := record("wants ")
		what := LeftOut(after, after, draft, func(string) bool { return true })
		for k, v := range wants {
			empty := v == "null" || v == `""`
			within := is[k] == v || v == `["p"]` && is[k] == `["p","q"]`
			named := slices.ContainsFunc(what, func(w string) bool { return strings.HasPrefix(w, k+" ") || strings.HasPrefix(w, k+".") })
			if named == (empty || within) {
				t.Fatalf("%s: %s went into %s: named %v", k, v, is[k], named)
			}
		}
	})
}
