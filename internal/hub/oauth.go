package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// Times of an issuer's keys.
const (
	keysFor    = time.Hour        // after that they are asked for again; if the issuer is away, those that are known count on
	keysApart  = 10 * time.Second // between two requests for them at least
	keysWithin = 5 * time.Second  // one request takes at most
	leeway     = time.Minute      // between the clock of the issuer and ours
	maxKeys    = 1 << 20          // bytes of an answer
)

// errIssuer: the issuer can't be asked for its keys. It says nothing about the token.
var errIssuer = errors.New("the issuer of the token can't be asked for its keys")

// algorithms are the signatures that are taken: those that only the issuer can make.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA}

// Issuer checks the access tokens of an OAuth 2.1 authorization server, which are JWTs (RFC 9068): signature, issuer, audience and
// times. It asks the server for its keys and nothing else, and passes no token on. It serves many goroutines.
type Issuer struct {
	name   string
	now    func() time.Time
	log    *slog.Logger
	client *http.Client

	fetching sync.Mutex // held while the issuer is asked
	mu       sync.Mutex // guards the following
	keys     jose.JSONWebKeySet
	got      time.Time // when they were
	asked    time.Time // when they were asked for last
	failed   error     // what came of it
}

// NewIssuer checks tokens of the issuer with a URL, which is https, or within this machine.
func NewIssuer(name string, now func() time.Time, log *slog.Logger) (*Issuer, error) {
	if u, err := url.Parse(name); err != nil || !trusted(u) || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q is not an issuer: write its URL, with https and without a query", name)
	}
	return &Issuer{name: name, now: now, log: log, client: &http.Client{
		Timeout:       keysWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("it answers with another address") },
	}}, nil
}

// trusted reports whether nobody can answer in place of a server.
func trusted(u *url.URL) bool {
	return u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && config.IsLoopback(u.Hostname()))
}

// Check finds the subject of a token that is for one of the audiences, and when it ends. [sqldisk.ErrToken]: it is not valid.
func (i *Issuer) Check(ctx context.Context, text string, audiences ...string) (subject string, until time.Time, err error) {
	token, err := jwt.ParseSigned(text, algorithms)
	if err != nil || len(token.Headers) != 1 {
		return "", until, fmt.Errorf("%w: %w", sqldisk.ErrToken, cmp.Or(err, errors.New("not one signature")))
	}
	header := token.Headers[0]
	keys, err := i.keysOf(ctx, header)
	if err != nil {
		return "", until, err
	}
	var claims jwt.Claims
	err = errors.New("no key of the issuer is named so")
	for _, key := range keys {
		if err = token.Claims(key.Key, &claims); err == nil {
			break
		}
	}
	if err == nil {
		err = claims.ValidateWithLeeway(jwt.Expected{Issuer: i.name, AnyAudience: audiences, Time: i.now()}, leeway)
	}
	if err == nil && (claims.Expiry == nil || claims.Subject == "") {
		err = errors.New("it doesn't say whose it is, or when it ends")
	}
	if err != nil {
		return "", until, fmt.Errorf("%w: %w", sqldisk.ErrToken, err)
	}
	return claims.Subject, claims.Expiry.Time().Add(leeway), nil
}

// keysOf are the keys that may have made a signature; none where the issuer knows of none.
func (i *Issuer) keysOf(ctx context.Context, header jose.Header) ([]jose.JSONWebKey, error) {
	keys, old, _ := i.known(header)
	if len(keys) > 0 && !old {
		return keys, nil
	}
	i.fetching.Lock()
	defer i.fetching.Unlock()
	if keys, old, due := i.known(header); !due || len(keys) > 0 && !old { // somebody else was faster, or has just tried
		return keys, i.unknown(keys)
	}
	set, err := i.fetch(ctx)
	i.mu.Lock()
	if i.asked, i.failed = i.now(), err; err == nil {
		i.keys, i.got = set, i.asked
	}
	i.mu.Unlock()
	if err != nil {
		i.log.Warn("the keys of the issuer can't be had; those that are known count on", "issuer", i.name, "error", err)
	}
	keys, _, _ = i.known(header)
	return keys, i.unknown(keys)
}

// known are the keys that are known for a signature, whether they are old, and whether the issuer may be asked again.
func (i *Issuer) known(header jose.Header) (keys []jose.JSONWebKey, old, due bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, key := range i.keys.Keys {
		if (header.KeyID == "" || key.KeyID == header.KeyID) && (key.Algorithm == "" || key.Algorithm == header.Algorithm) && key.Use != "enc" && key.IsPublic() {
			keys = append(keys, key)
		}
	}
	now := i.now()
	return keys, now.Sub(i.got).Abs() > keysFor, now.Sub(i.asked).Abs() >= keysApart
}

// unknown is the error where no key is known: nobody can tell, if the issuer couldn't be asked.
func (i *Issuer) unknown(keys []jose.JSONWebKey) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(keys) == 0 && i.failed != nil {
		return fmt.Errorf("%w: %w", errIssuer, i.failed)
	}
	return nil
}

// fetch asks the issuer for its keys: where they are is in its metadata, by RFC 8414 or by OpenID Connect Discovery.
func (i *Issuer) fetch(ctx context.Context) (keys jose.JSONWebKeySet, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keysWithin) // others wait for it
	defer cancel()
	var about struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	u, err := url.Parse(i.name)
	if err != nil {
		return keys, err
	}
	base, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	var failed error
	for _, place := range []string{base + "/.well-known/oauth-authorization-server" + path, base + path + "/.well-known/openid-configuration"} {
		if err = i.get(ctx, place, &about); err == nil && about.Issuer != i.name {
			err = fmt.Errorf("%s is of another issuer, %q", place, about.Issuer)
		}
		if failed = errors.Join(failed, err); err == nil {
			failed = nil
			break
		}
	}
	if failed != nil {
		return keys, failed
	}
	if u, err = url.Parse(about.Keys); err != nil || !trusted(u) {
		return keys, fmt.Errorf("its keys are at %q, where others can answer", about.Keys)
	}
	return keys, i.get(ctx, about.Keys, &keys)
}

// get reads a JSON document.
func (i *Issuer) get(ctx context.Context, from string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	answer, err := i.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", from, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxKeys))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return nil
}

// Paths of the metadata of a protected resource (RFC 9728): of the hub, and of what is served for a workspace.
const (
	metadataPath = "/.well-known/oauth-protected-resource"
	mcpPath      = "/mcp/"
)

// base is the address of the hub as others reach it: the identifier for which tokens are issued.
func (h *Hub) base() string {
	if h.Public != nil {
		return h.Public.String()
	}
	return h.URL()
}

// metadata tells clients where to get a token. It tells nothing of which workspaces there are.
func (h *Hub) metadata(w http.ResponseWriter, r *http.Request) {
	if h.Issuer == nil {
		http.NotFound(w, r)
		return
	}
	resource := h.base()
	if ws := r.PathValue("workspace"); ws != "" {
		resource += mcpPath + ws
	}
	reply(w, http.StatusOK, map[string]any{
		"resource": resource, "authorization_servers": []string{h.Issuer.name}, "bearer_methods_supported": []string{"header"}, "resource_name": "memory",
	})
}

// challenge is the header of an answer that asks for a token (RFC 6750, RFC 9728).
func (h *Hub) challenge(ws string, given bool) string {
	text := `Bearer realm="memory"`
	if h.Issuer != nil {
		text += fmt.Sprintf(`, resource_metadata="%s%s%s%s"`, h.base(), metadataPath, mcpPath, url.PathEscape(ws))
		if given {
			text += `, error="invalid_token"`
		}
	}
	return text
}

// issued finds whom a token of the issuer stands for: the principal of the name that its subject is.
func (h *Hub) issued(ctx context.Context, ws, token string) (id identity, err error) {
	subject, until, err := h.Issuer.Check(ctx, token, h.base(), h.base()+"/", h.base()+mcpPath+ws)
	if err != nil {
		return id, fmt.Errorf("who asks: %w", err)
	}
	id.until = until
	id.now = func(ctx context.Context) (sqldisk.Principal, error) {
		if !h.Now().Before(until) {
			return sqldisk.Principal{}, sqldisk.ErrToken
		}
		return h.DB.Principal(ctx, ws, subject)
	}
	id.who, err = id.now(ctx)
	return id, err
}

// isJWT tells a token of an issuer from one of ours.
func isJWT(token string) bool { return strings.Count(token, ".") == 2 }
