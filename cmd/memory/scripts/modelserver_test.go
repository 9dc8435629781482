package scripts_test

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// modelServer serves a language model that answers from files: 1.json of the given directory is the first answer,
// and so on. $code in it is the code of the prompt. A file that begins with "HTTP " and a number is that status, with the rest as the
// body; one that isn't there is status 500. What lies in the directory 1.files is written below $WORK before the first answer, as if somebody
// had saved it meanwhile. Vectors tell texts about cars from others. What was asked is appended to asked.jsonl. The address is $MODEL_URL, in all formats.
func modelServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: modelserver DIR")
	}
	s := &answers{dir: ts.MkAbs(args[0]), work: ts.Getenv("WORK")}
	srv := httptest.NewServer(s)
	ts.Defer(srv.Close)
	ts.Setenv("MODEL_URL", srv.URL)
}

type answers struct {
	dir, work string
	mu        sync.Mutex
	n         int
}

func (s *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "asked.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		fmt.Fprintf(log, "%s\n", body)
		err = log.Close()
	}
	if strings.HasSuffix(r.URL.Path, "/embeddings") {
		fmt.Fprint(w, embeddings(body))
		return
	}
	s.n++
	if err := s.meanwhile(); err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	text, missing := os.ReadFile(filepath.Join(s.dir, fmt.Sprintf("%d.json", s.n)))
	if err != nil || missing != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if rest, ok := strings.CutPrefix(string(text), "HTTP "); ok {
		var status int
		line, rest, _ := strings.Cut(rest, "\n")
		fmt.Sscan(line, &status)
		w.WriteHeader(status)
		io.WriteString(w, rest)
		return
	}
	_, code, _ := strings.Cut(string(body), "code: ")
	said, _ := json.Marshal(strings.ReplaceAll(string(text), "$code", code[:8])) // a string always marshals
	switch {
	case strings.HasSuffix(r.URL.Path, "/messages"):
		fmt.Fprintf(w, `{"content":[{"type":"text","text":%s}],"stop_reason":"end_turn","usage":{"input_tokens":100,"output_tokens":20}}`, said)
	case strings.HasSuffix(r.URL.Path, "/api/chat"):
		fmt.Fprintf(w, `{"message":{"content":%s},"done":true,"done_reason":"stop","prompt_eval_count":100,"eval_count":20}`, said)
	default:
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20}}`, said)
	}
}

// meanwhile writes the files that somebody saves before an answer.
func (s *answers) meanwhile() error {
	from := filepath.Join(s.dir, fmt.Sprintf("%d.files", s.n))
	if _, err := os.Stat(from); err != nil {
		return nil
	}
	return fs.WalkDir(os.DirFS(from), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(s.work, name), text, 0o644)
		}
		return err
	})
}

// embeddings are vectors for the texts of a request: of one direction for texts about cars, of another for others.
func embeddings(request []byte) string {
	var asked struct{ Input []string }
	if err := json.Unmarshal(request, &asked); err != nil {
		return `{"error":"no request"}`
	}
	vectors := make([]string, len(asked.Input))
	for i, text := range asked.Input {
		vectors[i] = `{"embedding":[0,1]}`
		if strings.Contains(text, "car ") || strings.Contains(text, "automobile") {
			vectors[i] = `{"embedding":[1,0.1]}`
		}
	}
	return `{"data":[` + strings.Join(vectors, ",") + `],"usage":{"prompt_tokens":5}}`
}
