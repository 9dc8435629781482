package online

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Why a hub gave no answer.
var (
	ErrAway    = errors.New("it gave no answer")
	ErrUnsent  = errors.New("it can't be reached") // nothing was sent
	ErrToken   = errors.New("it doesn't accept the token")
	ErrNoToken = errors.New("no token is kept for it")
	ErrRefused = errors.New("it refused the request")
	ErrAnswer  = errors.New("its answer is not that of a hub")
)

// Error says which hub was asked, and why there is no answer: it wraps one of the above.
type Error struct {
	Hub Hub
	Err error
}

func (e *Error) Error() string {
	return fmt.Sprintf("ask the hub %s (workspace %s): %v", e.Hub.URL, e.Hub.Workspace, e.Err)
}
func (e *Error) Unwrap() error { return e.Err }

// Limits of what is asked and answered.
const (
	maxAnswer = 64 << 20
	patience  = 2 * time.Minute // for one request, if its context lets it
)

// Client asks a hub.
type Client struct {
	Hub
	Token string
	HTTP  *http.Client // nil: one that follows no redirects, so that the token goes nowhere else
}

// Principal asks whom the token stands for.
func (c *Client) Principal(ctx context.Context) (string, error) {
	body, err := c.ask(ctx, http.MethodGet, c.at("hook"), nil)
	var answer struct {
		Principal string `json:"principal"`
	}
	if err == nil && (json.Unmarshal(body, &answer) != nil || answer.Principal == "") {
		err = c.failed(ErrAnswer)
	}
	return answer.Principal, err
}

// Hook sends an event of a host, and returns what the host is to be answered. Project is the name of the project.
func (c *Client) Hook(ctx context.Context, host, event, project string, input []byte) (string, error) {
	body, err := c.ask(ctx, http.MethodPost, c.at("hook", host, event)+"?"+url.Values{"project": {project}}.Encode(), input)
	if err == nil && len(bytes.TrimSpace(body)) > 0 && !json.Valid(body) {
		err = c.failed(ErrAnswer)
	}
	return string(body), err
}

// Call sends a request of MCP, and returns its result. An error of the protocol is a [*CallError].
func (c *Client) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	request, err := json.Marshal(struct {
		JSONRPC string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{"2.0", 1, method, params})
	if err != nil {
		return nil, err
	}
	body, err := c.ask(ctx, http.MethodPost, c.at("mcp"), request)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *CallError      `json:"error"`
	}
	switch err := json.Unmarshal(body, &answer); {
	case err != nil || answer.Result == nil && answer.Error == nil:
		return nil, c.failed(ErrAnswer)
	case answer.Error != nil:
		return nil, answer.Error
	}
	return answer.Result, nil
}

// CallError is an error of the protocol by which a hub answers a call.
type CallError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

func (e *CallError) Error() string { return e.Message }

func (c *Client) failed(err error) error { return &Error{c.Hub, err} }

func (c *Client) ask(ctx context.Context, method, address string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, c.failed(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	client := c.HTTP
	if client == nil {
		client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	res, err := client.Do(req)
	if err != nil {
		away := ErrAway
		if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" {
			away = ErrUnsent
		}
		return nil, c.failed(fmt.Errorf("%w: %w", away, cause(err)))
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err = errors.Join(err, res.Body.Close()); err == nil && len(answer) > maxAnswer {
		return nil, c.failed(ErrAnswer)
	}
	if err != nil {
		return nil, c.failed(fmt.Errorf("%w: %w", ErrAway, cause(err)))
	}
	if res.StatusCode == http.StatusOK {
		return answer, nil
	}
	text := strings.Join(strings.Fields(string(answer[:min(len(answer), 300)])), " ")
	switch {
	case res.StatusCode == http.StatusUnauthorized:
		return nil, c.failed(ErrToken)
	case res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests:
		return nil, c.failed(fmt.Errorf("%w: %s: %s", ErrAway, res.Status, text))
	case res.StatusCode < 400:
		return nil, c.failed(fmt.Errorf("%w: %s", ErrAnswer, res.Status))
	}
	return nil, c.failed(fmt.Errorf("%w: %s: %s", ErrRefused, res.Status, text))
}

// cause is an error of a request without its address.
func cause(err error) error {
	if of := (*url.Error)(nil); errors.As(err, &of) {
		return of.Err
	}
	return err
}
