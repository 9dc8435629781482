package provider

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

const (
	maxReply   = 8 << 20                // bytes of a reply that are read
	dialLocal  = 300 * time.Millisecond // for a connection on this machine
	dialRemote = 10 * time.Second
)

// transport connects to endpoints. Local addresses are reached without a proxy.
func transport(local bool) http.RoundTripper {
	dial := net.Dialer{Timeout: dialRemote}
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: dialRemote, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute}
	if local {
		dial.Timeout, t.Proxy = dialLocal, nil
	}
	t.DialContext = dial.DialContext
	return t
}

// reply is what a server sent, as far as it is known without its format.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// post sends a body to an endpoint within the time. Its errors have no provider yet.
func post(ctx context.Context, by http.RoundTripper, e *Endpoint, path string, body []byte, within time.Duration) (*reply, *Error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	f := formatOf(e.Kind)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(e.BaseURL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Outcome: Unreachable, Detail: "base_url can't be used", unsent: true}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "memoryd")
	if e.Kind == Anthropic {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	if e.Key != "" {
		f.key(req.Header, e.Key)
	}
	client := http.Client{Transport: by, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, notReached(ctx, err, within)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case err != nil:
		return nil, notReached(ctx, err, within)
	case len(text) > maxReply:
		return nil, &Error{Outcome: Shape, Detail: fmt.Sprintf("the reply has more than %d MiB", maxReply>>20)}
	}
	return &reply{resp.StatusCode, resp.Header, text}, nil
}

// notReached sorts out why there is no reply.
func notReached(ctx context.Context, err error, within time.Duration) *Error {
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	switch dialled := errors.As(err, &op) && op.Op == "dial"; {
	case dialled && op.Timeout():
		return &Error{Outcome: Unreachable, Detail: "no connection in time: does the server run, at that address?", unsent: true}
	case dialled:
		return &Error{Outcome: Unreachable, Detail: "no connection: " + lastCause(op.Err) + ": does the server run, at that address?", unsent: true}
	case errors.As(err, &cert):
		return &Error{Outcome: Unreachable, Detail: "its certificate can't be verified", unsent: true}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{Outcome: Timeout, Detail: fmt.Sprintf("no answer within %s", within)}
	case ctx.Err() != nil:
		return &Error{Outcome: Timeout, Detail: "given up"}
	}
	return &Error{Outcome: Unreachable, Detail: "the connection broke before the reply was whole"}
}

// lastCause is the innermost message of an error: the outer ones repeat addresses.
func lastCause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// judge reads the status of a reply, and an error that the body tells, whatever the status is. It returns nil for one to be read.
func (r *reply) judge(e *Endpoint, now time.Time) *Error {
	if !gjson.ValidBytes(r.body) || !gjson.ParseBytes(r.body).IsObject() {
		switch {
		case r.status == http.StatusOK && len(bytes.TrimSpace(r.body)) > 0:
			return &Error{Outcome: Unreachable, Detail: "what answers there is no model server: check base_url"}
		case r.status == http.StatusOK:
			return &Error{Outcome: Shape, Detail: "the reply is empty"}
		}
		return r.failed("", now)
	}
	said := gjson.GetBytes(r.body, "error")
	if r.status == http.StatusOK && (!said.Exists() || said.Type == gjson.Null) {
		return nil
	}
	message := said.Get("message").String() + " " + said.Get("code").String() + " " + said.Get("type").String()
	if said.Type == gjson.String {
		message = said.Str
	}
	return r.failed(strings.TrimSpace(mask(message, e.Key)), now)
}

// overfull are words by which servers say that a prompt doesn't fit.
var overfull = []string{"context_length", "context length", "context window", "context size", "prompt is too long", "exceeds the available context", "maximum context", "exceed_context"}

// failed sorts out an error that a server reports.
func (r *reply) failed(message string, now time.Time) *Error {
	detail := fmt.Sprintf("HTTP %d", r.status)
	if text := Line(message, 160); text != "" {
		detail += ": " + text
	}
	lower := strings.ToLower(message)
	for _, words := range overfull {
		if r.status < 500 && strings.Contains(lower, words) {
			return &Error{Outcome: Context, Detail: detail}
		}
	}
	overloaded := strings.Contains(lower, "overloaded") || strings.Contains(lower, "rate limit") || strings.Contains(lower, "rate_limit")
	switch {
	case r.status == http.StatusTooManyRequests || r.status >= 500 || overloaded:
		return &Error{Outcome: Busy, Detail: detail, retryAfter: retryAfter(r.header.Get("Retry-After"), now)}
	case r.status == http.StatusRequestTimeout:
		return &Error{Outcome: Timeout, Detail: detail}
	case r.status == http.StatusOK:
		return &Error{Outcome: Busy, Detail: "an error with status 200: " + strings.TrimPrefix(detail, "HTTP 200: ")}
	case r.status >= 300 && r.status < 400:
		return &Error{Outcome: Denied, Detail: detail + ": it points to another address, which is not followed: set base_url to that"}
	}
	return &Error{Outcome: Denied, Detail: detail}
}

// retryAfter reads the header of that name: seconds, or a time; 0 for neither.
func retryAfter(value string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 0 && n < 1e6 {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// encode writes the body for an endpoint.
func encode(e *Endpoint, p *prompt) ([]byte, error) {
	return marshalPlain(formatOf(e.Kind).write(e, p))
}

// marshalPlain writes JSON in which signs such as < stay as they are: a model reads them.
func marshalPlain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
