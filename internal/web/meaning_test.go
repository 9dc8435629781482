package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memoryd/memoryd/internal/app"
)

// embedder serves vectors: those of texts about paint are near each other. It counts requests, and fails while down is set.
type embedder struct {
	requests atomic.Int64
	down     atomic.Bool
	sent     strings.Builder
}

func (e *embedder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.requests.Add(1)
	var asked struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || e.down.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	vectors := make([]string, len(asked.Input))
	for i, text := range asked.Input {
		e.sent.WriteString(text)
		vectors[i] = `{"embedding":[0,1]}`
		if strings.Contains(text, "painted") || strings.Contains(text, "decorator") {
			vectors[i] = `{"embedding":[1,0.1]}`
		}
	}
	fmt.Fprintf(w, `{"data":[%s],"usage":{"prompt_tokens":5}}`, strings.Join(vectors, ","))
}

// The search of the dashboard compares meanings where a server of embeddings is named, and goes by words where it fails: for a
// minute it isn't asked again.
func TestSearchByMeaning(t *testing.T) {
	e := &embedder{}
	server := httptest.NewServer(e)
	defer server.Close()
	at := noon
	b := serve(t, func(o *Options) {
		o.Meanings = &app.Embeddings{Env: func(string) string { return "" }, Now: func() time.Time { return at }}
	})
	more := map[string]string{"mem_kitchen": `"content":"The kitchen was painted white."`, "mem_private": `"tags":["private"],"content":"The cellar was painted black."`}
	for i := range 8 {
		more[fmt.Sprintf("mem_other%d", i)] = fmt.Sprintf(`"content":"Invoice %d is sent by e-mail."`, i)
	}
	b.put(more)
	const query = "/memories?q=decorator+appointment"
	byWords := b.get(query)
	if strings.Contains(byWords, "mem_kitchen") || e.requests.Load() > 0 {
		t.Fatalf("without a server: %d requests\n%s", e.requests.Load(), byWords)
	}
	settings := fmt.Sprintf("[model]\nenabled = true\n[model.mine]\nbase_url = %q\n[embed]\nprovider = \"mine\"\nmodel = \"small\"\n", server.URL+"/v1")
	if err := os.WriteFile(filepath.Join(b.server.Store.Dir(), "memory.toml"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	if page := b.get(query); !strings.Contains(page, "mem_kitchen") || strings.Contains(page, "mem_private") {
		t.Error(page)
	}
	if strings.Contains(e.sent.String(), "cellar") {
		t.Error("a private memory was sent")
	}
	e.down.Store(true)
	if page := b.get(query); strings.Contains(page, "mem_kitchen") {
		t.Error(page)
	}
	asked := e.requests.Load()
	b.get(query)
	if e.requests.Load() != asked {
		t.Error("a server that failed was asked at once")
	}
	e.down.Store(false)
	if at = at.Add(2 * time.Minute); !strings.Contains(b.get(query), "mem_kitchen") {
		t.Error("the server is not asked again")
	}
}
