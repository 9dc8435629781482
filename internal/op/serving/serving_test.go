package serving

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memoryd/memoryd/internal/fail"
)

// A server that runs is found by its note, and asked for a link with its secret; none is found after its end.
func TestAsk(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/api/v1/key" || r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(`{"url":"http://127.0.0.1/?key=1"}`))
	}))
	defer server.Close()
	note := Note(filepath.Join(t.TempDir(), "memoryd", "serve-x.json"))
	if _, ok := note.Ask(t.Context()); ok {
		t.Error("a server without a note")
	}
	for secret, want := range map[string]bool{"secret": true, "another": false} {
		if err := note.Write(server.URL, secret); err != nil {
			t.Fatal(err)
		}
		if url, ok := note.Ask(t.Context()); ok != want || ok && url != "http://127.0.0.1/?key=1" {
			t.Errorf("%s: %q, %v", secret, url, ok)
		}
	}
	if err := note.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, ok := note.Ask(t.Context()); ok {
		t.Error("the note stays")
	}
}

func TestReadTokens(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tokens")
	if _, err := ReadTokens(name); fail.Code(err) != fail.ExitNotFound {
		t.Error(err)
	}
	for text, want := range map[string][]string{
		"":         nil,
		"# none\n": nil,
		"short\n":  nil,
		"0123456789abcdef\n# x\n\n fedcba9876543210\r\n": {"0123456789abcdef", "fedcba9876543210"},
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadTokens(name); !slices.Equal(got, want) || want == nil && fail.Code(err) != fail.ExitUsage {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
