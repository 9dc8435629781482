package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Both formats give a vector for each text, and count what the server says; whatever else a server sends is an error.
func TestEmbed(t *testing.T) {
	for _, tt := range []struct {
		kind    Kind
		status  int
		body    string
		outcome Outcome
		in      int // tokens that are counted
	}{
		{Compatible, 200, `{"data":[{"embedding":[1,0]},{"embedding":[0,1]}],"usage":{"prompt_tokens":7}}`, OK, 7},
		{Ollama, 200, `{"embeddings":[[1,0],[0,1]],"prompt_eval_count":9}`, OK, 9},
		{Compatible, 200, `{"data":[{"embedding":[1,0]}],"usage":{"prompt_tokens":7}}`, Shape, 7},
		{Compatible, 200, `{"data":[{"embedding":[1,0]},{"embedding":[0]}],"usage":{"prompt_tokens":7}}`, Shape, 7},
		{Compatible, 200, `{"data":[{"embedding":[]},{"embedding":[]}],"usage":{"prompt_tokens":7}}`, Shape, 7},
		{Compatible, 200, `<html>`, Unreachable, 0},
		{Compatible, 200, `{"error":"no"}`, Busy, 0},
		{Ollama, 404, `{"error":"model not found"}`, Denied, 0},
		{Ollama, 429, `{}`, Busy, 0},
	} {
		var asked string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			asked = r.URL.Path + " " + string(body)
			w.WriteHeader(tt.status)
			fmt.Fprint(w, tt.body)
		}))
		j := &journal{}
		e := &Embedder{
			Endpoint: Endpoint{Name: "e", Kind: tt.kind, BaseURL: srv.URL, Model: "m", Local: true, Timeout: time.Minute},
			Ledger:   &Ledger{Journal: j}, Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[password]") },
		}
		vectors, err := e.Embed(context.Background(), []string{"the key is hunter2", "b"})
		srv.Close()
		got := OutcomeOf(err)
		if err == nil {
			got = OK
		}
		all := j.receipts()
		if got != tt.outcome || (got == OK) != (len(vectors) == 2) || len(all) != 1 || all[0].Outcome != tt.outcome || all[0].TokensIn != tt.in {
			t.Errorf("%s %d %s: %v, %v, %+v", tt.kind, tt.status, tt.body, vectors, err, all)
		}
		if strings.Contains(asked, "hunter2") || !strings.Contains(asked, "[password]") || (tt.kind == Ollama) != strings.HasPrefix(asked, "/api/embed") {
			t.Errorf("asked %s", asked)
		}
	}
	over := &Embedder{Endpoint: Endpoint{Name: "e", Kind: Ollama, BaseURL: "http://127.0.0.1:9", Model: "m", Local: true, Timeout: time.Second}, Ledger: &Ledger{Journal: &journal{}, Limits: Limits{DayTokens: 1}}}
	var budget *BudgetError
	if _, err := over.Embed(context.Background(), []string{"more than one token"}); !errors.As(err, &budget) {
		t.Errorf("%v", err)
	}
	over.Kind = Anthropic
	if _, err := over.Embed(context.Background(), []string{"x"}); OutcomeOf(err) != Denied {
		t.Errorf("%v", err)
	}
}
