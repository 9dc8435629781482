package mcp

import (
	"strings"
	"testing"
)

// Where nothing is found since nothing has what was asked for, the answer says so, with the nearest that there is.
func TestHints(t *testing.T) {
	r := roomOf(t, sample(t), true)
	near := `did you mean scope project:shop?`
	if _, _, err := r.save(t.Context(), saveArgs{Type: "factual", Scope: "project:shop", Content: []byte(`"The shop closes at six."`)}); err != nil {
		t.Fatal(err)
	}
	ask := map[string]func(scope string) (string, string, error){
		"search": func(scope string) (string, string, error) {
			result, text, err := r.search(t.Context(), searchArgs{Query: "zzz", Scope: scope})
			return result.Hint, text, err
		},
		"reason": func(scope string) (string, string, error) {
			result, text, err := r.reason(t.Context(), reasonArgs{Question: "zzz", Scope: scope})
			return result.Hint, text, err
		},
		"clusters": func(scope string) (string, string, error) {
			result, text, err := r.clusters(t.Context(), clustersArgs{Scope: scope})
			return result.Hint, text, err
		},
		"consolidate": func(scope string) (string, string, error) {
			result, text, err := r.consolidate(t.Context(), consolidateArgs{Scope: scope})
			return result.Hint, text, err
		},
	}
	for name, of := range ask {
		for scope, want := range map[string]string{"project:shpo": near, "project:shop": "", "global": ""} {
			hint, text, err := of(scope)
			if err != nil || strings.HasSuffix(hint, near) != (want != "") || strings.Contains(text, near) != (want != "") || want == "" && hint != "" {
				t.Errorf("%s of %s: hint %q, text %q, %v", name, scope, hint, text, err)
			}
		}
	}
}
