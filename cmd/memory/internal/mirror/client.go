package mirror

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Why a hub could not be asked.
var (
	ErrAway    = errors.New("the hub can't be reached")
	ErrToken   = errors.New("the hub doesn't take the token")
	ErrAnswer  = errors.New("the hub's answer can't be understood")
	ErrRefused = errors.New("the hub refused it")
)

// maxAnswer bounds what a hub may answer, in bytes.
const maxAnswer = 256 << 20

// Hub is a workspace of a hub, as a client asks for it.
type Hub struct {
	URL       string // such as https://hub.example:7421
	Workspace string
	Token     string
	Client    *http.Client
}

// Page asks for what was written after a cursor.
func (h *Hub) Page(ctx context.Context, after Cursor) (p Page, err error) {
	query := url.Values{"revision": {strconv.FormatInt(after.Revision, 10)}, "path": {after.Path}}
	status, body, err := h.ask(ctx, http.MethodGet, "?"+query.Encode(), nil)
	if err == nil && status != http.StatusOK {
		err = refusal(status, body)
	}
	if err == nil {
		if json.Unmarshal(body, &p) != nil || p.View == "" || p.Epoch == "" {
			err = ErrAnswer
		}
	}
	return p, err
}

// push sends changes. Documents that have changed there, and such as may not be written, are no error: nothing was written then.
func (h *Hub) push(ctx context.Context, p Push) (answer Pushed, done bool, err error) {
	body, err := json.Marshal(p)
	if err != nil {
		return answer, false, err
	}
	status, text, err := h.ask(ctx, http.MethodPost, "", body)
	if err != nil {
		return answer, false, err
	}
	if status != http.StatusOK && status != http.StatusConflict && status != http.StatusForbidden {
		return answer, false, refusal(status, text)
	}
	if err := json.Unmarshal(text, &answer); err != nil || status == http.StatusOK && answer.Revision == 0 || status != http.StatusOK && len(answer.Changed)+len(answer.Refused) == 0 {
		return answer, false, ErrAnswer
	}
	return answer, status == http.StatusOK, nil
}

func (h *Hub) ask(ctx context.Context, method, query string, body []byte) (status int, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(h.URL, "/")+Path+h.Workspace+query, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+h.Token)
	req.Header.Set("Content-Type", "application/json")
	res, err := h.Client.Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrAway, err)
	}
	answer, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrAway, err)
	}
	return res.StatusCode, answer, nil
}

// refusal is the error of a status.
func refusal(status int, body []byte) error {
	text := strings.TrimSpace(string(body[:min(len(body), 300)]))
	switch {
	case status == http.StatusUnauthorized:
		return ErrToken
	case status >= 500, status == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %d: %s", ErrAway, status, text)
	}
	return fmt.Errorf("%w: %d: %s", ErrRefused, status, text)
}
