package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// call is a tool call that the model makes.
type call struct {
	tool string // the end of the tool's name, such as save
	args string // a JSON object
}

// model stands for a language model: it makes the calls of its script, one after another, and then says that it is done. It keeps
// what it is sent.
type model struct {
	url string

	mu       sync.Mutex
	script   []call
	delay    time.Duration // before each answer
	requests []request
}

// serve starts a model on this machine.
func serve() (*model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{url: "http://" + listener.Addr().String()}
	go func() { _ = http.Serve(listener, m) }() // ends with the process
	return m, nil
}

// expect begins a new record, with a script and a delay.
func (m *model) expect(delay time.Duration, script ...call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests, m.script, m.delay = nil, script, delay
}

// count says how often a text is in what the last request of an agent says; requests without tools are made for titles and the like.
func (m *model) count(text string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.requests) - 1; i >= 0; i-- {
		if r := m.requests[i]; len(r.tools) > 0 {
			return strings.Count(r.said, text)
		}
	}
	return 0
}

// asked reports whether an agent has asked the model for anything.
func (m *model) asked() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.requests {
		if len(r.tools) > 0 {
			return true
		}
	}
	return false
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, f := range formats {
		if r.Method == http.MethodPost && f.serves(r.URL.Path) {
			m.answer(w, r, f, body)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/models"):
		fmt.Fprint(w, `{"object":"list","data":[{"id":"mock","object":"model","type":"model","display_name":"mock","created_at":"2026-01-01T00:00:00Z"}],"models":[],"has_more":false}`)
	case strings.HasSuffix(path, "count_tokens"), strings.HasSuffix(path, ":countTokens"):
		fmt.Fprint(w, `{"input_tokens":100,"totalTokens":100}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"type":"not_found_error","message":"no such path"}}`)
	}
}

// answer answers a request in its format.
func (m *model) answer(w http.ResponseWriter, r *http.Request, f format, body []byte) {
	var doc map[string]any
	if err := json.Unmarshal(body, &doc); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req := f.read(doc)
	m.mu.Lock()
	m.requests = append(m.requests, req)
	n, script, delay := len(m.requests), m.script, m.delay
	m.mu.Unlock()
	if len(req.tools) > 0 {
		select {
		case <-time.After(delay):
		case <-r.Context().Done():
			return
		}
	}
	said := reply{id: fmt.Sprint(n), text: "MODEL-DONE"}
	if len(req.tools) > 0 && req.results < len(script) {
		next := script[req.results]
		if said.tool = find(req.tools, next.tool); said.tool == nil {
			said.text = "MODEL-LACKS " + next.tool
		}
		said.args = next.args
	}
	if req.schema != nil {
		said.text = string(mustJSON(least(req.schema)))
	}
	events := f.write(said)
	if stream, _ := doc["stream"].(bool); !stream && !strings.Contains(r.URL.Path, "stream") {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(mustJSON(f.whole(said)))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		if e.name != "" {
			fmt.Fprintf(w, "event: %s\n", e.name)
		}
		fmt.Fprintf(w, "data: %s\n\n", e.data)
	}
}

// find finds a tool by the end of its name; of several one of memory's.
func find(tools []tool, name string) (found *tool) {
	for _, t := range tools {
		ends := t.name == name
		for _, sep := range []string{"_", "-", ".", "/"} {
			ends = ends || strings.HasSuffix(t.name, sep+name)
		}
		if ends && (found == nil || strings.Contains(t.space+t.name, "memory")) {
			found = &t
		}
	}
	return found
}

// least is the plainest value that a JSON Schema allows.
func least(schema map[string]any) any {
	if list, ok := schema["enum"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	switch kind, _ := schema["type"].(string); strings.ToLower(kind) {
	case "object":
		value := map[string]any{}
		for name, inner := range object(schema["properties"]) {
			value[name] = least(object(inner))
		}
		return value
	case "array":
		return []any{}
	case "boolean":
		return false
	case "number", "integer":
		return 1
	}
	return "mock"
}

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // values of this program always marshal
	}
	return text
}
