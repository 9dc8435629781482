package provider

import (
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

// Numbers of the chain that are no settings.
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
