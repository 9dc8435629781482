package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// journal is a journal in memory.
type journal struct {
	mu   sync.Mutex
	text []byte
}

func (j *journal) Update(_ context.Context, add func([]byte) ([]byte, error)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	line, err := add(j.text)
	j.text = append(j.text, line...)
	return err
}

func (j *journal) receipts() []Receipt { return ReadReceipts(j.text) }

// cache is a cache in memory.
type cache map[string][]byte

func (c cache) Read(name string) ([]byte, error) {
	if data, ok := c[name]; ok {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

func (c cache) Write(name string, data []byte) error { c[name] = data; return nil }

// server is a model server in one of the formats.
type server struct {
	kind  Kind
	asked int           // requests so far
	usage Usage         // reported with each reply
	sent  Usage         // the sum of what was reported
	body  func() []byte // of the last request
	reply func(n int, code string) reply
}

// say is a reply in the server's format.
func (s *server) say(content, finish string) reply {
	s.sent.In, s.sent.Out = s.sent.In+s.usage.In, s.sent.Out+s.usage.Out
	text, _ := json.Marshal(content)
	var body string
	switch s.kind {
	case Anthropic:
		body = fmt.Sprintf(`{"type":"message","content":[{"type":"thinking","thinking":"{}"},{"type":"text","text":%s}],"stop_reason":%q,"usage":{"input_tokens":%d,"output_tokens":%d}}`, text, finish, s.usage.In, s.usage.Out)
	case Ollama:
		body = fmt.Sprintf(`{"message":{"role":"assistant","content":%s},"done":true,"done_reason":%q,"prompt_eval_count":%d,"eval_count":%d}`, text, finish, s.usage.In, s.usage.Out)
	default:
		body = fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":%q}],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, text, finish, s.usage.In, s.usage.Out)
	}
	return reply{200, nil, []byte(body)}
}

func (s *server) cut() string {
	return map[Kind]string{Anthropic: "max_tokens"}[s.kind] + map[bool]string{true: "length"}[s.kind != Anthropic]
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked++
	body, _ := io.ReadAll(r.Body)
	s.body = func() []byte { return body }
	_, code, _ := strings.Cut(string(body), "code: ")
	out := s.reply(s.asked, code[:8])
	for key, values := range out.header {
		w.Header()[key] = values
	}
	w.WriteHeader(out.status)
	_, _ = w.Write(out.body)
}

// roundTrip serves requests without a network, so that time can be that of synctest.
type roundTrip struct{ http.Handler }

func (t roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	w, done := httptest.NewRecorder(), make(chan struct{})
	go func() {
		defer close(done)
		t.ServeHTTP(w, r)
	}()
	select {
	case <-done:
		return w.Result(), nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func endpointFor(kind Kind) Endpoint {
	return Endpoint{Name: string(kind), Kind: kind, BaseURL: "http://localhost:9/" + string(kind), Model: "m", Key: "sk-secret-key", Local: true, Context: 8192, MaxOutput: 500, Timeout: time.Minute, LoadTimeout: 3 * time.Minute}
}

func chainOf(t *testing.T, by http.RoundTripper, endpoints ...Endpoint) (*Chain, *journal) {
	t.Helper()
	j := &journal{}
	c, err := New(Options{Endpoints: endpoints, Ledger: &Ledger{Journal: j, RunID: "run_1"}, Cache: cache{}, Transport: by})
	if err != nil {
		t.Fatal(err)
	}
	return c, j
}

var kinds = []Kind{OpenAI, Compatible, Anthropic, Ollama}

var question = Request{
	Task: "test", Version: "1", System: "Be brief.", User: `Is <1> 1?`, Reach: Local, Scope: "global", IDs: []string{"mem_a"},
	Schema: json.RawMessage(`{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}`),
}

func good(code string) string { return fmt.Sprintf(`{"code":%q,"yes":true}`, code) }

// sum adds up what receipts say was used.
func sum(all []Receipt) (u Usage) {
	for _, r := range all {
		u.In, u.Out = u.In+r.TokensIn, u.Out+r.TokensOut
	}
	return u
}

func TestServersThatMisbehave(t *testing.T) {
	status := func(n int, body string, header ...string) reply {
		h := http.Header{}
		for i := 0; i+1 < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return reply{n, h, []byte(body)}
	}
	think := strings.Repeat("hm ", 20)
	cases := []struct {
		name    string
		reply   func(s *server, n int, code string) reply
		outcome Outcome
		asked   int
	}{
		{"bare", func(s *server, _ int, c string) reply { return s.say(" "+good(c)+"\n", "stop") }, OK, 1},
		{"fence", func(s *server, _ int, c string) reply { return s.say("```json\n"+good(c)+"\n```", "stop") }, OK, 1},
		{"fence without a language", func(s *server, _ int, c string) reply { return s.say("```\n"+good(c)+"```\n", "stop") }, OK, 1},
		{"fence in prose", func(s *server, _ int, c string) reply {
			return s.say("Here:\n```json\n"+good(c)+"\n```\nDone.", "stop")
		}, OK, 1},
		{"thinking", func(s *server, _ int, c string) reply {
			return s.say("<think>"+think+`{"code":"x","yes":false}</think>`+good(c), "stop")
		}, OK, 1},
		{"thinking without an end", func(s *server, _ int, c string) reply { return s.say("<think>"+think+good(c), "stop") }, Shape, 2},
		{"empty", func(s *server, _ int, _ string) reply { return s.say("", "stop") }, Shape, 2},
		{"prose", func(s *server, _ int, c string) reply { return s.say("Sure! "+good(c), "stop") }, Shape, 2},
		{"prose, then an object", func(s *server, n int, c string) reply {
			if n == 1 {
				return s.say("Yes.", "stop")
			}
			return s.say(good(c), "stop")
		}, OK, 2},
		{"two objects", func(s *server, _ int, c string) reply { return s.say(good(c)+good(c), "stop") }, Shape, 2},
		{"two fences", func(s *server, _ int, c string) reply {
			return s.say("```\n"+good(c)+"\n```\n```\n"+good(c)+"\n```", "stop")
		}, Shape, 2},
		{"a list", func(s *server, _ int, c string) reply { return s.say("["+good(c)+"]", "stop") }, Shape, 2},
		{"a member twice", func(s *server, _ int, c string) reply {
			return s.say(fmt.Sprintf(`{"code":%q,"yes":true,"yes":false}`, c), "stop")
		}, Shape, 2},
		{"cut off", func(s *server, _ int, c string) reply { return s.say(good(c)[:12], s.cut()) }, Length, 1},
		{"cut off behind the object", func(s *server, _ int, c string) reply { return s.say(good(c), s.cut()) }, Length, 1},
		{"cut off unsaid", func(s *server, _ int, c string) reply { return s.say(good(c)[:12], "stop") }, Shape, 2},
		{"the prompt was cut", func(s *server, _ int, _ string) reply { return s.say(`{"code":"","yes":true}`, "stop") }, Context, 1},
		{"another code", func(s *server, _ int, _ string) reply { return s.say(good("00000000"), "stop") }, Context, 1},
		{"HTML", func(*server, int, string) reply { return status(200, "<!doctype html><p>Welcome") }, Unreachable, 1},
		{"nothing", func(*server, int, string) reply { return status(200, "") }, Shape, 2},
		{"an error with 200", func(*server, int, string) reply { return status(200, `{"error":{"message":"model crashed"}}`) }, Busy, 1},
		{"an error as a string with 200", func(*server, int, string) reply { return status(200, `{"error":"model crashed"}`) }, Busy, 1},
		{"429", func(*server, int, string) reply { return status(429, `{"error":{"message":"slow down"}}`) }, Busy, 1},
		{"429, then an object", func(s *server, n int, c string) reply {
			if n == 1 {
				return status(429, `{}`, "Retry-After", "3")
			}
			return s.say(good(c), "stop")
		}, OK, 2},
		{"429 for too long", func(*server, int, string) reply { return status(429, `{}`, "Retry-After", "30") }, Busy, 1},
		{"503 with HTML", func(*server, int, string) reply { return status(503, "<p>down", "Retry-After", "1") }, Busy, 2},
		{"500", func(*server, int, string) reply { return status(500, `{"error":"crash"}`) }, Busy, 1},
		{"401", func(*server, int, string) reply { return status(401, `{"error":{"message":"bad key sk-secret-key"}}`) }, Denied, 1},
		{"404", func(*server, int, string) reply { return status(404, `{"error":"model not found"}`) }, Denied, 1},
		{"redirect", func(*server, int, string) reply { return status(307, "", "Location", "http://elsewhere.example/") }, Denied, 1},
		{"context full", func(*server, int, string) reply {
			return status(400, `{"error":{"message":"This model's maximum context length is 10 tokens","code":"context_length_exceeded"}}`)
		}, Context, 1},
		{"hang", func(*server, int, string) reply { time.Sleep(10 * time.Minute); return reply{status: 200} }, Timeout, 1},
		{"slow load", func(s *server, _ int, c string) reply {
			time.Sleep(170 * time.Second)
			return s.say(good(c), "stop")
		}, OK, 1},
	}
	for _, kind := range kinds {
		for _, tt := range cases {
			t.Run(string(kind)+"/"+tt.name, func(t *testing.T) {
				inBubble(t, func(t *testing.T) {
					s := &server{kind: kind, usage: Usage{In: 11, Out: 7}}
					s.reply = func(n int, code string) reply { return tt.reply(s, n, code) }
					c, j := chainOf(t, roundTrip{s}, endpointFor(kind))
					a, err := c.Ask(t.Context(), question)
					checkOutcome(t, tt.outcome, a, err)
					if s.asked != tt.asked {
						t.Errorf("asked %d times, not %d", s.asked, tt.asked)
					}
					checkReceipts(t, j.receipts(), s, tt.outcome)
					if strings.Contains(fmt.Sprint(err, string(j.text)), "secret-key") {
						t.Error("the key stands in the error or in the receipts")
					}
				})
			})
		}
	}
}

func checkOutcome(t *testing.T, want Outcome, a Answer, err error) {
	t.Helper()
	if want == OK {
		if err != nil || string(a.Object) != `{"yes":true}` {
			t.Fatalf("%s, %v", a.Object, err)
		}
		return
	}
	if OutcomeOf(err) != want || a.Object != nil {
		t.Fatalf("%s, %v: not %s", a.Object, err, want)
	}
}

// checkReceipts holds the receipts against what a server counted. Where it can't have counted, they are estimates.
func checkReceipts(t *testing.T, all []Receipt, s *server, last Outcome) {
	t.Helper()
	if len(all) != s.asked || all[len(all)-1].Outcome != last {
		t.Errorf("%d receipts for %d requests, the last %s", len(all), s.asked, all[len(all)-1].Outcome)
	}
	for _, r := range all {
		if r.Estimated {
			return
		}
	}
	if got := sum(all); got != s.sent {
		t.Errorf("receipts say %v, the server %v", got, s.sent)
	}
}

func TestAnsweredOnceNotAskedAgain(t *testing.T) {
	for _, kind := range kinds {
		s := &server{kind: kind, usage: Usage{In: 11, Out: 7}}
		s.reply = func(_ int, code string) reply { return s.say(good(code), "stop") }
		c, j := chainOf(t, roundTrip{s}, endpointFor(kind))
		for range 3 {
			if a, err := c.Ask(t.Context(), question); err != nil || string(a.Object) != `{"yes":true}` {
				t.Fatal(a, err)
			}
		}
		if s.asked != 1 || sum(j.receipts()) != s.usage || j.receipts()[2].Outcome != Cached {
			t.Errorf("%s: asked %d times: %+v", kind, s.asked, j.receipts())
		}
		other := question
		other.Version = "2"
		if _, err := c.Ask(t.Context(), other); err != nil || s.asked != 2 {
			t.Errorf("%s: another version is another request: %v", kind, err)
		}
	}
}

func TestReasoningCountsIfThereIsNothingElse(t *testing.T) {
	s := &server{kind: Compatible}
	s.reply = func(_ int, code string) reply {
		text, _ := json.Marshal(good(code))
		return reply{200, nil, fmt.Appendf(nil, `{"choices":[{"message":{"content":"","reasoning_content":%s}}]}`, text)}
	}
	c, j := chainOf(t, roundTrip{s}, endpointFor(Compatible))
	if a, err := c.Ask(t.Context(), question); err != nil || string(a.Object) != `{"yes":true}` {
		t.Fatal(a, err)
	}
	if r := j.receipts()[0]; !r.Estimated || r.TokensIn == 0 {
		t.Errorf("no usage was reported, so it is estimated: %+v", r)
	}
}

func TestWhatIsSent(t *testing.T) {
	want := map[Kind]map[string]string{
		OpenAI:     {"max_completion_tokens": "500", "temperature": "", "response_format.json_schema.strict": "true", "messages.0.role": "system"},
		Compatible: {"max_tokens": "500", "temperature": "0", "response_format.type": "json_schema", "messages.1.role": "user"},
		Anthropic:  {"max_tokens": "500", "temperature": "0", "messages.#": "1"},
		Ollama:     {"options.num_ctx": "8192", "options.num_predict": "500", "truncate": "false", "think": "false", "stream": "false", "format.type": "object"},
	}
	for _, kind := range kinds {
		s := &server{kind: kind}
		s.reply = func(_ int, code string) reply { return s.say(good(code), "stop") }
		var path, auth string
		by := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path, auth = r.URL.Path, r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")
			s.ServeHTTP(w, r)
		})
		c, _ := chainOf(t, roundTrip{by}, endpointFor(kind))
		p, err := c.Preview(question)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Ask(t.Context(), question); err != nil {
			t.Fatal(err)
		}
		if p.Body != string(s.body()) || !strings.HasSuffix(p.URL, path) {
			t.Errorf("%s: the preview differs from what was sent:\n%s\n%s", kind, p.Body, s.body())
		}
		for key, value := range want[kind] {
			if got := gjson.GetBytes(s.body(), key).String(); got != value {
				t.Errorf("%s: %s is %q, not %q", kind, key, got, value)
			}
		}
		if !strings.Contains(auth, "sk-secret-key") || strings.Contains(p.Body, "sk-secret-key") {
			t.Errorf("%s: the key belongs in the header: %q", kind, auth)
		}
		if !strings.Contains(p.Body, "<1>") {
			t.Errorf("%s: signs are escaped: %s", kind, p.Body)
		}
	}
}

func TestSecretsAreTakenOut(t *testing.T) {
	s := &server{kind: Ollama}
	s.reply = func(_ int, code string) reply { return s.say(good(code), "stop") }
	c, _ := chainOf(t, roundTrip{s}, endpointFor(Ollama))
	c.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }
	r := question
	r.User, r.System = "the password is hunter2", "hunter2"
	if _, err := c.Ask(t.Context(), r); err != nil || strings.Contains(string(s.body()), "hunter2") {
		t.Errorf("sent: %s, %v", s.body(), err)
	}
}

func TestUnreachable(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	e := endpointFor(Ollama)
	e.BaseURL = closed.URL
	c, j := chainOf(t, nil, e)
	_, err := c.Ask(t.Context(), question)
	if OutcomeOf(err) != Unreachable || sum(j.receipts()) != (Usage{}) {
		t.Errorf("%v, %+v", err, j.receipts())
	}
}

func TestBrokenReply(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"choices":`))
	}))
	defer srv.Close()
	e := endpointFor(OpenAI)
	e.BaseURL = srv.URL
	c, j := chainOf(t, nil, e)
	_, err := c.Ask(t.Context(), question)
	if OutcomeOf(err) != Unreachable || len(j.receipts()) != 1 || !j.receipts()[0].Estimated {
		t.Errorf("what was sent stays spent: %v, %+v", err, j.receipts())
	}
}

func TestGivenUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := &server{kind: Ollama}
		s.reply = func(int, string) reply { time.Sleep(time.Hour); return reply{status: 200} }
		c, j := chainOf(t, roundTrip{s}, endpointFor(Ollama))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Ask(ctx, question); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if r := j.receipts(); len(r) != 1 || r[0].Outcome != Timeout {
			t.Errorf("%+v", r)
		}
	})
}
