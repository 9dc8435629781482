package provider

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// Options are what a [Chain] is made of.
type Options struct {
	Endpoints []Endpoint // in the order in which they are asked
	Ledger    *Ledger
	Cache     Cache                    // nil: none
	Redact    func(text string) string // takes secrets out of a text; every request goes through it
	Now       func() time.Time

	// Transport, if set, is used in place of connections.
	Transport http.RoundTripper
}

// Cache keeps answers by key. Losing them costs tokens and changes nothing.
type Cache interface {
	Read(name string) ([]byte, error)
	Write(name string, data []byte) error
}

// Numbers of the chain that are not settings.
const (
	maxRetryAfter = 20 * time.Second // longer waits are for another endpoint
	failuresOff   = 3                // failures in a row after which an endpoint is left alone
	offFor        = 5 * time.Minute
	remoteAtOnce  = 2 // requests to one remote endpoint
)

// Chain asks endpoints in order. It may be used by several goroutines.
type Chain struct {
	Options
	links []*link
	local chan struct{} // one request at a time on this machine, whichever server answers
}

// link is an endpoint with what this process knows of it.
type link struct {
	*Endpoint
	breaker
	by    http.RoundTripper
	slots chan struct{}

	warm sync.Mutex
	seen bool // it has answered, so that its model is loaded
}

// New returns a chain. An endpoint that can't be used as it is set up is an error, and so is one that is named twice.
func New(o Options) (*Chain, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Chain{Options: o, local: make(chan struct{}, 1)}
	var problems []error
	names := map[string]bool{}
	for i := range o.Endpoints {
		e := &o.Endpoints[i]
		if err := e.check(); err != nil {
			problems = append(problems, err)
			continue
		}
		if names[e.Name] {
			problems = append(problems, fmt.Errorf("model %s: it stands twice in the chain", e.Name))
		}
		names[e.Name] = true
		k := &link{Endpoint: e, by: o.Transport, slots: c.local}
		if !e.Local {
			k.slots = make(chan struct{}, remoteAtOnce)
		}
		if k.by == nil {
			k.by = transport(e.Local)
		}
		c.links = append(c.links, k)
	}
	return c, errors.Join(problems...)
}

// Only is the chain of one endpoint; nil if there is none of that name.
func (c *Chain) Only(name string) *Chain {
	for _, k := range c.links {
		if k.Name == name {
			only := *c
			only.links = []*link{k}
			return &only
		}
	}
	return nil
}

// within lists the endpoints that a request may be sent to.
func (c *Chain) within(reach Reach) (to []*link) {
	for _, k := range c.links {
		if reach == Remote || reach == Local && k.Local {
			to = append(to, k)
		}
	}
	return to
}

// Ask returns the answer of the first endpoint that gives one. What was answered before is not asked again, whichever endpoint of
// the chain answered. Everything is noted in the ledger before it is sent, and afterwards.
func (c *Chain) Ask(ctx context.Context, r Request) (Answer, error) {
	r = c.redacted(r)
	to := c.within(r.Reach)
	if len(to) == 0 {
		return Answer{}, &Error{Outcome: Unreachable, Detail: fmt.Sprintf("no model may be asked about %s: its reach is %s", r.Scope, r.Reach)}
	}
	prompts := make([]prompt, len(to))
	for i, k := range to {
		var err error
		if prompts[i], err = promptFor(r, k.Endpoint); err != nil {
			return Answer{}, err
		}
		if a, ok, err := c.known(k, &prompts[i]); ok || err != nil {
			return a, err
		}
	}
	var tried []*Error
	for i, k := range to {
		a, err := c.askOne(ctx, k, prompts[i])
		var e *Error
		if err == nil || !errors.As(err, &e) {
			return a, err
		}
		tried = append(tried, e)
		if e.Outcome.final() || ctx.Err() != nil {
			break
		}
	}
	last := tried[len(tried)-1]
	if err := ctx.Err(); err != nil {
		return Answer{}, fmt.Errorf("%s: %w", r.Task, err)
	}
	return Answer{}, &Error{Outcome: last.Outcome, Provider: last.Provider, Detail: last.Detail, Tried: tried}
}

func (c *Chain) redacted(r Request) Request {
	if c.Redact != nil {
		r.System, r.User = c.Redact(r.System), c.Redact(r.User)
	}
	return r
}

// askOne asks one endpoint, twice at most.
func (c *Chain) askOne(ctx context.Context, k *link, p prompt) (Answer, error) {
	if need := p.inputTokens() + p.MaxOutput; k.Context > 0 && need > k.Context {
		return Answer{}, &Error{Outcome: Context, Provider: k.Name, Detail: fmt.Sprintf("up to %d tokens are needed, the context has %d", need, k.Context)}
	}
	if !k.allow(c.Now()) {
		return Answer{}, &Error{Outcome: Unreachable, Provider: k.Name, Detail: fmt.Sprintf("it has failed %d times in a row and is left alone for a while", failuresOff)}
	}
	var failure *Error
	var answer Answer
	for try := 1; try <= 2; try++ {
		a, e, err := c.request(ctx, k, p, try)
		if err != nil { // of the ledger, or the budget: nothing is known of the endpoint
			k.release()
			return Answer{}, err
		}
		if answer, failure = a, e; failure == nil {
			break
		}
		if !c.worthRepeating(ctx, failure) {
			break
		}
		if failure.Outcome == Shape {
			p = p.again()
		}
	}
	k.report(failure != nil && !failure.Outcome.final(), c.Now(), failuresOff, offFor)
	if failure != nil {
		failure.Provider = k.Name
		return Answer{}, failure
	}
	return answer, nil
}

// worthRepeating reports whether the same endpoint is asked once more, and waits as long as it wants.
func (c *Chain) worthRepeating(ctx context.Context, e *Error) bool {
	switch {
	case e.Outcome == Shape:
		return ctx.Err() == nil
	case e.Outcome == Busy && e.retryAfter > 0 && e.retryAfter <= maxRetryAfter:
		select {
		case <-time.After(e.retryAfter):
			return true
		case <-ctx.Done():
		}
	}
	return false
}

// request sends one request and settles it. The error is that of the ledger or of ctx; what the endpoint did is the other one.
func (c *Chain) request(ctx context.Context, k *link, p prompt, try int) (Answer, *Error, error) {
	body, err := encode(k.Endpoint, &p)
	if err != nil {
		return Answer{}, nil, fmt.Errorf("%s: write the request: %w", p.Task, err)
	}
	select {
	case k.slots <- struct{}{}:
		defer func() { <-k.slots }()
	case <-ctx.Done():
		return Answer{}, nil, ctx.Err()
	}
	receipt := c.receipt(k.Endpoint, &p, try)
	reserved := Usage{In: p.inputTokens(), Out: p.MaxOutput}
	receipt.setUsage(k.Endpoint, reserved)
	receipt.Outcome, receipt.Estimated = Reserved, true
	_, costKnown := k.cost(reserved)
	if err := c.Ledger.reserve(ctx, receipt, costKnown); err != nil {
		return Answer{}, nil, err
	}
	begun := c.Now()
	object, usage, failure := c.exchange(ctx, k, &p, body)
	receipt.MS, receipt.Outcome = c.Now().Sub(begun).Milliseconds(), OK
	if failure != nil {
		receipt.Outcome = failure.Outcome
	}
	if usage != nil {
		receipt.setUsage(k.Endpoint, *usage)
		receipt.Estimated = false
	}
	if err := c.Ledger.settle(receipt); err != nil {
		return Answer{}, nil, fmt.Errorf("note what %s took: %w", k.Name, err)
	}
	if failure != nil {
		return Answer{}, failure, nil
	}
	c.remember(&p, object)
	return Answer{object, receipt}, nil, nil
}

// exchange sends a body and reads the reply. The usage is nil where it isn't known: then what was reserved counts. It is read before
// anything else of a reply.
func (c *Chain) exchange(ctx context.Context, k *link, p *prompt, body []byte) (json.RawMessage, *Usage, *Error) {
	reply, failure := post(ctx, k.by, k.Endpoint, formatOf(k.Kind).path, body, k.patience())
	if failure != nil {
		if failure.unsent {
			return nil, &Usage{}, failure
		}
		return nil, nil, failure
	}
	k.hasAnswered()
	f := formatOf(k.Kind)
	var usage *Usage
	if gjson.ValidBytes(reply.body) {
		if u := f.usage(gjson.ParseBytes(reply.body)); !u.zero() {
			usage = &u
		}
	}
	if failure := reply.judge(k.Endpoint, c.Now()); failure != nil {
		if usage == nil && (reply.status != http.StatusOK || failure.Outcome == Unreachable) {
			usage = &Usage{} // a request that is turned away, or meets no model server, takes nothing
		}
		return nil, usage, failure
	}
	object, failure := f.read(reply.body, p)
	return object, usage, failure
}

// patience is how long an answer may take.
func (k *link) patience() time.Duration {
	k.warm.Lock()
	defer k.warm.Unlock()
	if k.Local && !k.seen {
		return max(k.Timeout, k.LoadTimeout)
	}
	return k.Timeout
}

func (k *link) hasAnswered() {
	k.warm.Lock()
	defer k.warm.Unlock()
	k.seen = true
}

func (c *Chain) receipt(e *Endpoint, p *prompt, try int) Receipt {
	return Receipt{
		ID: rand.Text(), At: c.Now().UTC().Truncate(time.Millisecond), RunID: c.Ledger.RunID, Task: p.Task, Provider: e.Name, Model: e.Model, Host: e.Host(),
		Scope: p.Scope, IDs: slices.Clone(p.IDs), Key: p.key, Tries: try,
	}
}

// breaker leaves an endpoint alone for a while that has failed several times in a row. After that one request tries it.
type breaker struct {
	mu       sync.Mutex
	failures int
	until    time.Time // zero: it is asked
	trying   bool
}

// allow reports whether a request may go out; whoever gets true says what became of it by report.
func (b *breaker) allow(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.until.IsZero():
		return true
	case now.Before(b.until) || b.trying:
		return false
	}
	b.trying = true
	return true
}

func (b *breaker) report(failed bool, now time.Time, most int, off time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
	if !failed {
		b.failures, b.until = 0, time.Time{}
		return
	}
	if b.failures++; b.failures >= most {
		b.until = now.Add(off)
	}
}

// release takes back what allow let pass: nothing was found out.
func (b *breaker) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
}

// cacheName is the file of an answer.
func cacheName(key string) string { return "model-" + key + ".json" }

// known looks an answer up. A file that can't be read, or isn't one, counts as none.
func (c *Chain) known(k *link, p *prompt) (Answer, bool, error) {
	if c.Cache == nil {
		return Answer{}, false, nil
	}
	raw, err := c.Cache.Read(cacheName(p.key))
	if err != nil || !gjson.ValidBytes(raw) || !gjson.ParseBytes(raw).IsObject() {
		return Answer{}, false, nil
	}
	if p.Check != nil && p.Check(raw) != nil {
		return Answer{}, false, nil
	}
	receipt := c.receipt(k.Endpoint, p, 0)
	receipt.Outcome = Cached
	if err := c.Ledger.settle(receipt); err != nil {
		return Answer{}, false, fmt.Errorf("note an answer of %s: %w", k.Name, err)
	}
	return Answer{json.RawMessage(bytes.TrimSpace(raw)), receipt}, true, nil
}

// remember keeps an answer. Where it can't be kept it costs tokens again, and nothing else.
func (c *Chain) remember(p *prompt, object json.RawMessage) {
	if c.Cache != nil {
		_ = c.Cache.Write(cacheName(p.key), object)
	}
}

// Preview is what would be sent for a request, to whom.
type Preview struct {
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	URL      string  `json:"url"`
	Local    bool    `json:"local"`
	Tokens   int     `json:"tokens"` // of the prompt and of the longest answer, at most
	Cost     float64 `json:"cost,omitempty"`
	Fits     bool    `json:"fits"`
	Body     string  `json:"body"`
}

// Preview returns what the first endpoint of a request's reach would be sent, byte for byte; nil if none may be asked. Nothing is
// sent or noted.
func (c *Chain) Preview(r Request) (*Preview, error) {
	to := c.within(r.Reach)
	if len(to) == 0 {
		return nil, nil
	}
	e := to[0].Endpoint
	p, err := promptFor(c.redacted(r), e)
	if err != nil {
		return nil, err
	}
	body, err := encode(e, &p)
	if err != nil {
		return nil, err
	}
	in := p.inputTokens()
	cost, _ := e.cost(Usage{In: in, Out: p.MaxOutput})
	return &Preview{
		Provider: e.Name, Model: e.Model, URL: e.BaseURL + formatOf(e.Kind).path, Local: e.Local,
		Tokens: in + p.MaxOutput, Cost: cost, Fits: e.Context <= 0 || in+p.MaxOutput <= e.Context, Body: string(body),
	}, nil
}
