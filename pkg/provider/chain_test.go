package provider

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// inBubble runs a test whose time passes at once. Servers that hang end with it.
func inBubble(t *testing.T, f func(*testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		f(t)
		time.Sleep(24 * time.Hour)
	})
}

// hosts sends requests to handlers by the path of their base URL.
type hosts map[string]http.Handler

func (h hosts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h[strings.Split(r.URL.Path, "/")[1]].ServeHTTP(w, r)
}

func TestTheNextOneIsAsked(t *testing.T) {
	bad := &server{kind: Compatible, reply: func(int, string) reply { return reply{500, nil, nil} }}
	ok := &server{kind: Ollama, usage: Usage{5, 0, 3}}
	ok.reply = func(_ int, code string) reply { return ok.say(good(code), "stop") }
	c, j := chainOf(t, roundTrip{hosts{"compatible": bad, "ollama": ok}}, endpointFor(Compatible), endpointFor(Ollama))
	for i := range 5 {
		r := question
		r.User = strings.Repeat("x", i+1)
		if a, err := c.Ask(t.Context(), r); err != nil || a.Receipt.Provider != "ollama" {
			t.Fatal(a, err)
		}
	}
	if bad.asked != failuresOff || ok.asked != 5 {
		t.Errorf("after %d failures an endpoint is left alone: %d, %d", failuresOff, bad.asked, ok.asked)
	}
	if got := sum(j.receipts()); got != (Usage{In: 25, Out: 15}) {
		t.Errorf("used: %v", got)
	}
}

func TestLeftAloneThenTriedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := &server{kind: Ollama}
		works := false
		s.reply = func(_ int, code string) reply {
			if works {
				return s.say(good(code), "stop")
			}
			return reply{500, nil, nil}
		}
		c, _ := chainOf(t, roundTrip{s}, endpointFor(Ollama))
		ask := func() error { _, err := c.Ask(t.Context(), question); return err }
		for range 5 {
			if ask() == nil {
				t.Fatal("answered")
			}
		}
		time.Sleep(offFor + time.Second)
		for range 2 {
			_ = ask()
		}
		if s.asked != failuresOff+1 {
			t.Errorf("asked %d times", s.asked)
		}
		works = true
		time.Sleep(offFor + time.Second)
		if err := ask(); err != nil {
			t.Error(err)
		}
	})
}

func TestRefusalIsFinal(t *testing.T) {
	first := &server{kind: Anthropic}
	first.reply = func(int, string) reply { return first.say("no", "refusal") }
	second := &server{kind: Ollama}
	c, _ := chainOf(t, roundTrip{hosts{"anthropic": first, "ollama": second}}, endpointFor(Anthropic), endpointFor(Ollama))
	if _, err := c.Ask(t.Context(), question); OutcomeOf(err) != Refused || second.asked > 0 {
		t.Errorf("%v, the second one was asked %d times", err, second.asked)
	}
}

func TestWhatIsLocalStaysLocal(t *testing.T) {
	remote := &server{kind: OpenAI}
	remote.reply = func(_ int, code string) reply { return remote.say(good(code), "stop") }
	local := &server{kind: Ollama, reply: func(int, string) reply { return reply{500, nil, nil} }}
	far := endpointFor(OpenAI)
	far.BaseURL, far.Local = "https://models.example/openai", false
	c, _ := chainOf(t, roundTrip{hosts{"openai": remote, "ollama": local}}, far, endpointFor(Ollama))
	if _, err := c.Ask(t.Context(), question); err == nil || remote.asked > 0 || local.asked != 1 {
		t.Errorf("%v: the remote one was asked %d times, the local one %d", err, remote.asked, local.asked)
	}
	r := question
	r.Reach = Never
	if _, err := c.Ask(t.Context(), r); err == nil || remote.asked+local.asked != 1 {
		t.Errorf("never: %v", err)
	}
	r.Reach = Remote
	if _, err := c.Ask(t.Context(), r); err != nil || remote.asked != 1 {
		t.Errorf("remote: %v", err)
	}
}

func TestOneLocalRequestAtATime(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var mu sync.Mutex
		now, most := 0, 0
		handler := func(kind Kind) http.Handler {
			s := &server{kind: kind}
			s.reply = func(_ int, code string) reply { return s.say(good(code), "stop") }
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				now++
				most = max(most, now)
				mu.Unlock()
				time.Sleep(50 * time.Second)
				mu.Lock()
				now--
				s.ServeHTTP(w, r)
				mu.Unlock()
			})
		}
		c, _ := chainOf(t, roundTrip{hosts{"ollama": handler(Ollama)}}, endpointFor(Ollama))
		c.Cache = nil
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := c.Ask(t.Context(), question); err != nil {
					t.Error(err) // the time counts from sending, not from waiting
				}
			})
		}
		wg.Wait()
		if most != 1 {
			t.Errorf("%d at once", most)
		}
	})
}

func TestTooLongIsNotSent(t *testing.T) {
	s := &server{kind: Ollama}
	c, j := chainOf(t, roundTrip{s}, endpointFor(Ollama))
	r := question
	r.User = strings.Repeat("word ", 20_000)
	if _, err := c.Ask(t.Context(), r); OutcomeOf(err) != Context || s.asked > 0 || len(j.text) > 0 {
		t.Errorf("%v, asked %d times", err, s.asked)
	}
}

func TestBudgets(t *testing.T) {
	price := &Price{In: 10, Out: 100}
	cases := []struct {
		limit  string
		limits Limits
		price  *Price
		asked  int
	}{
		{"run_tokens", Limits{RunTokens: 2500}, nil, 4},
		{"day_tokens", Limits{DayTokens: 2500}, nil, 4},
		{"run_cost", Limits{RunCost: .13}, price, 2},
		{"day_cost", Limits{DayCost: .13}, price, 2},
	}
	for _, tt := range cases {
		s := &server{kind: Ollama, usage: Usage{In: 200, Out: 400}}
		s.reply = func(_ int, code string) reply { return s.say(good(code), "stop") }
		e := endpointFor(Ollama)
		e.Price = tt.price
		c, _ := chainOf(t, roundTrip{s}, e)
		c.Cache, c.Ledger.Limits = nil, tt.limits
		var err error
		for range 10 {
			if _, err = c.Ask(t.Context(), question); err != nil {
				break
			}
		}
		var over *BudgetError
		if !errors.As(err, &over) || over.Limit != tt.limit || s.asked != tt.asked {
			t.Errorf("%s: %v after %d requests", tt.limit, err, s.asked)
		}
	}
}

func TestAnUnknownCostIsNotRisked(t *testing.T) {
	s := &server{kind: OpenAI}
	e := endpointFor(OpenAI)
	e.BaseURL, e.Local = "https://models.example/v1", false
	c, _ := chainOf(t, roundTrip{s}, e)
	c.Ledger.Limits.RunCost = 1
	r := question
	r.Reach = Remote
	var over *BudgetError
	if _, err := c.Ask(t.Context(), r); !errors.As(err, &over) || s.asked > 0 {
		t.Errorf("%v", err)
	}
}

func TestACrashLeavesItSpent(t *testing.T) {
	j := &journal{}
	l := Ledger{Journal: j, RunID: "run_1", Limits: Limits{DayTokens: 1000}}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r := Receipt{ID: "a", At: at, RunID: "run_1", TokensIn: 900, Outcome: Reserved}
	if err := l.reserve(t.Context(), r, true); err != nil {
		t.Fatal(err)
	}
	later := Ledger{Journal: j, RunID: "run_2", Limits: l.Limits}
	r.ID, r.RunID = "b", "run_2"
	var over *BudgetError
	if err := later.reserve(t.Context(), r, true); !errors.As(err, &over) {
		t.Error(err)
	}
	r.At = at.Add(24 * time.Hour)
	if err := later.reserve(t.Context(), r, true); err != nil {
		t.Error(err)
	}
}

// TestManyAtOnceStayWithin is for processes that share a journal.
func TestManyAtOnceStayWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := &journal{}
		limit := rapid.IntRange(0, 3000).Draw(t, "limit") + 1
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		ledgers := []*Ledger{{Journal: j, Limits: Limits{DayTokens: limit}}, {Journal: j, Limits: Limits{DayTokens: limit}}}
		for n := range rapid.IntRange(1, 20).Draw(t, "requests") {
			l := ledgers[rapid.IntRange(0, 1).Draw(t, "ledger")]
			r := Receipt{ID: string(rune('a' + n)), At: at, TokensIn: rapid.IntRange(1, 800).Draw(t, "reserved"), Outcome: Reserved}
			if l.reserve(t.Context(), r, true) == nil && rapid.Bool().Draw(t, "settled") {
				r.TokensIn, r.Outcome = rapid.IntRange(0, r.TokensIn).Draw(t, "used"), OK
				if err := l.settle(r); err != nil {
					t.Fatal(err)
				}
			}
			if got := sum(j.receipts()); got.In > limit {
				t.Fatalf("%d of %d are spent", got.In, limit)
			}
		}
	})
}

func TestEndpointsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		change func(*Endpoint)
		want   string
	}{
		{func(e *Endpoint) { e.BaseURL = "localhost" }, "is not an address"},
		{func(e *Endpoint) { e.BaseURL = "https://user:pw@example.com" }, "holds a password"},
		{func(e *Endpoint) { e.Kind = "gpt" }, "is unknown"},
		{func(e *Endpoint) { e.Model = "" }, "no model is named"},
		{func(e *Endpoint) { e.BaseURL, e.Local = "http://example.com/v1", false }, "unencrypted"},
	} {
		e := endpointFor(OpenAI)
		tt.change(&e)
		if _, err := New(Options{Endpoints: []Endpoint{e}}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: not %q", err, tt.want)
		}
	}
}

func TestReach(t *testing.T) {
	p := Privacy{AllowRemote: true, ExcludeTags: []string{"private"}, Scopes: map[string]string{"agent:*": "remote", "agent:SEC-*": "never", "global": "remote"}}
	for _, tt := range []struct {
		scope, own string
		tags       []string
		want       Reach
	}{
		{"agent:DEV-001", "", nil, Remote},
		{"agent:sec-001", "", nil, Never},
		{"project:web", "", nil, Local},
		{"global", "", []string{"a", " Private"}, Never},
		{"global", "never", nil, Never},
		{"global", "local", nil, Local},
	} {
		if got := p.Reach(tt.scope, tt.tags, tt.own); got != tt.want {
			t.Errorf("%s %v %q: %s, not %s", tt.scope, tt.tags, tt.own, got, tt.want)
		}
	}
	p.AllowRemote = false
	if got := p.Reach("global", nil, ""); got != Local {
		t.Errorf("without allow_remote: %s", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, body := range []string{`{"choices":[{"message":{"content":"{\"code\":\"00000000\"}"},"finish_reason":"stop"}]}`, `{"content":[{"type":"text","text":"{}"}]}`, `{"message":{"content":"{}"}}`, `{"error":[]}`, "<html>", `{"usage":{"prompt_tokens":-1e99}}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, kind := range kinds {
			e := endpointFor(kind)
			r := reply{200, http.Header{}, body}
			if r.judge(&e, time.Time{}) != nil {
				continue
			}
			raw, failure := formatOf(kind).read(body, &prompt{code: "00000000"})
			if (raw == nil) == (failure == nil) || raw != nil && (!json.Valid(raw) || raw[0] != '{') {
				t.Errorf("%s, %v", raw, failure)
			}
		}
	})
}
