package hub

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// authority is an authorization server with keys that change.
type authority struct {
	*httptest.Server
	mu    sync.Mutex
	keys  []jose.JSONWebKey
	asked int
	away  bool
	open  bool // its metadata is that of OpenID Connect
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	about := "/.well-known/oauth-authorization-server"
	if a.open {
		about = "/.well-known/openid-configuration"
	}
	switch {
	case a.away:
		http.Error(w, "away", http.StatusBadGateway)
	case r.URL.Path == about:
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": a.URL, "jwks_uri": a.URL + "/keys"})
	case r.URL.Path == "/keys":
		set := jose.JSONWebKeySet{}
		for _, k := range a.keys {
			set.Keys = append(set.Keys, k.Public())
		}
		_ = json.NewEncoder(w).Encode(set)
	default:
		http.NotFound(w, r)
	}
}

// rotate makes a new key, the only one from then on.
func (a *authority) rotate(t *testing.T, id string) jose.JSONWebKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.keys = []jose.JSONWebKey{{Key: key, KeyID: id, Algorithm: string(jose.ES256), Use: "sig"}}
	return a.keys[0]
}

func (a *authority) set(change func(*authority)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(a)
}

// sign makes a token.
func sign(t *testing.T, algorithm jose.SignatureAlgorithm, key any, claims jwt.Claims) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, (&jose.SignerOptions{}).WithType("at+jwt"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// Tokens of an issuer let in for what they were issued for, and nothing else does.
func TestIssuedTokens(t *testing.T) {
	db := database(t, sqlite(t))
	a := newAuthority(t)
	key := a.rotate(t, "one")
	issuer, err := NewIssuer(a.URL, func() time.Time { return at }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	_, server := startWith(t, Options{DB: db, Issuer: issuer})
	own := token(t, db, "idp|ada", "admin *")
	resource := server.URL + "/mcp/acme"
	claims := func(change func(*jwt.Claims)) jwt.Claims {
		c := jwt.Claims{Issuer: a.URL, Subject: "idp|ada", Audience: jwt.Audience{resource}, IssuedAt: jwt.NewNumericDate(at), Expiry: jwt.NewNumericDate(at.Add(time.Hour))}
		if change != nil {
			change(&c)
		}
		return c
	}
	good := sign(t, jose.ES256, key, claims(nil))
	if status, text := post(t, resource, good, listTools); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	if text, failed := ask(t, resource, good, "save", map[string]any{"type": "factual", "content": "The lift is out of order.", "scope": "agent:ada", "by": "eve"}); failed {
		t.Error(text)
	}
	if text, _ := ask(t, resource, own, "search", map[string]any{"query": "lift"}); !strings.Contains(text, "idp|ada") {
		t.Errorf("whose memory it is: %s", text)
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public().Key)
	if err != nil {
		t.Fatal(err)
	}
	header, body, _ := strings.Cut(good, ".")
	_, signature, _ := strings.Cut(body, ".")
	body, _, _ = strings.Cut(body, ".")
	encode := base64.RawURLEncoding.EncodeToString
	named := func(kid string, of any) jose.JSONWebKey { return jose.JSONWebKey{Key: of, KeyID: kid} }
	for name, text := range map[string]string{
		"another issuer":            sign(t, jose.ES256, key, claims(func(c *jwt.Claims) { c.Issuer = a.URL + "/" })),
		"no issuer":                 sign(t, jose.ES256, key, claims(func(c *jwt.Claims) { c.Issuer = "" })),
		"another audience":          sign(t, jose.ES256, key, claims(func(c *jwt.Claims) { c.Audience = jwt.Audience{"https://elsewhere.example"} })),
		"another workspace":         sign(t, jose.ES256, key, claims(func(c *jwt.Claims) { c.Audience = jwt.Audience{server.URL + "/mcp/empty"} })),
		"no audience":               sign(t, jose.ES256, key, claims(func(c *jwt.Claims) { c.Audience = nil })),
		"expired":                   sign(t, jose.ES256, key, claims(func(c *jwt.Claims) { c.Expiry = jwt.NewNumericDate(at.Add(-2 * time.Minute)) })),
		"never expires":             sign(t, jose.ES256, key, claims(func(c *jwt.Claims) { c.Expiry = nil })),
		"not yet":                   sign(t, jose.ES256, key, claims(func(c *jwt.Claims) { c.NotBefore = jwt.NewNumericDate(at.Add(2 * time.Minute)) })),
		"nobody":                    sign(t, jose.ES256, key, claims(func(c *jwt.Claims) { c.Subject = "" })),
		"somebody unknown":          sign(t, jose.ES256, key, claims(func(c *jwt.Claims) { c.Subject = "eve" })),
		"another key, same name":    sign(t, jose.ES256, named("one", other), claims(nil)),
		"an unknown key":            sign(t, jose.ES256, named("two", other), claims(nil)),
		"another key without name":  sign(t, jose.ES256, other, claims(nil)),
		"another algorithm":         sign(t, jose.RS256, named("one", rsaKey), claims(nil)),
		"HS256 with the public key": sign(t, jose.HS256, named("one", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})), claims(nil)),
		"alg none":                  encode([]byte(`{"alg":"none","typ":"at+jwt"}`)) + "." + body + ".",
		"alg none with a signature": encode([]byte(`{"alg":"none","kid":"one"}`)) + "." + body + "." + signature,
		"other claims":              header + "." + encode([]byte(`{"sub":"idp|ada"}`)) + "." + signature,
		"two dots":                  "..",
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, resource, strings.NewReader(listTools))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+text)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		want := `Bearer realm="memory", resource_metadata="` + server.URL + `/.well-known/oauth-protected-resource/mcp/acme", error="invalid_token"`
		if got := res.Header.Get("WWW-Authenticate"); res.StatusCode != http.StatusUnauthorized || got != want {
			t.Errorf("%s: %d, %s", name, res.StatusCode, got)
		}
	}
	// It signs in to the dashboard, too.
	if status, _ := signIn(t, server, "acme", good).get("/runs"); status != http.StatusOK {
		t.Errorf("%d", status)
	}
	// Who is not a principal any more is let in no more.
	if _, err := db.Revoke(t.Context(), "acme", "idp|ada"); err != nil {
		t.Fatal(err)
	}
	if text, _ := ask(t, resource, good, "search", map[string]any{"query": "lift"}); !strings.Contains(text, "not granted") {
		t.Error(text)
	}
}

// Keys rotate. While the issuer is away those that are known count on, and nobody is told that a token is wrong which can't be checked.
func TestKeysOfAnIssuer(t *testing.T) {
	a := newAuthority(t)
	now := at
	issuer, err := NewIssuer(a.URL, func() time.Time { return now }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	check := func(key jose.JSONWebKey) error {
		claims := jwt.Claims{Issuer: a.URL, Subject: "ada", Audience: jwt.Audience{"here"}, Expiry: jwt.NewNumericDate(now.Add(time.Hour))}
		_, _, err := issuer.Check(t.Context(), sign(t, jose.ES256, key, claims), "here")
		return err
	}
	one := a.rotate(t, "one")
	a.set(func(a *authority) { a.away = true })
	if err := check(one); !errors.Is(err, errIssuer) {
		t.Errorf("away from the beginning: %v", err)
	}
	a.set(func(a *authority) { a.away, a.open = false, true })
	if err := check(one); !errors.Is(err, errIssuer) {
		t.Errorf("at once again: %v", err)
	}
	now = now.Add(keysApart)
	if err := check(one); err != nil {
		t.Error(err)
	}
	two := a.rotate(t, "two")
	before := a.asked
	if err := check(two); !errors.Is(err, sqldisk.ErrToken) || a.asked != before {
		t.Errorf("the issuer was asked again at once: %v", err)
	}
	now = now.Add(keysApart)
	if err := check(two); err != nil {
		t.Error(err)
	}
	if err := check(one); !errors.Is(err, sqldisk.ErrToken) {
		t.Errorf("a key that was taken out: %v", err)
	}
	a.set(func(a *authority) { a.away = true })
	now = now.Add(2 * keysFor)
	if err := check(two); err != nil {
		t.Errorf("away: %v", err)
	}
	if err := check(a.rotate(t, "three")); !errors.Is(err, errIssuer) {
		t.Errorf("away, and a new key: %v", err)
	}
	for _, name := range []string{"http://issuer.example", "issuer", "https://", "https://issuer.example/?a=b"} {
		if _, err := NewIssuer(name, time.Now, slog.Default()); err == nil {
			t.Errorf("%s is taken as an issuer", name)
		}
	}
}

// The metadata say where to get a token; a hub without an issuer has none.
func TestProtectedResource(t *testing.T) {
	db := database(t, sqlite(t))
	issuer, err := NewIssuer("https://issuer.example", time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	_, plain := start(t, db)
	_, server := startWith(t, Options{DB: db, Issuer: issuer, Public: &url.URL{Scheme: "https", Host: "hub.example"}, Proxied: true})
	for path, resource := range map[string]string{metadataPath: "https://hub.example", metadataPath + "/mcp/acme": "https://hub.example/mcp/acme"} {
		res, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Resource string   `json:"resource"`
			Servers  []string `json:"authorization_servers"`
		}
		if err := json.NewDecoder(res.Body).Decode(&got); err != nil || got.Resource != resource || len(got.Servers) != 1 || got.Servers[0] != "https://issuer.example" {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
		_ = res.Body.Close()
		if res, err = http.Get(plain.URL + path); err != nil || res.StatusCode != http.StatusNotFound {
			t.Errorf("without an issuer: %v, %v", res, err)
		}
		_ = res.Body.Close()
	}
	for _, o := range []Options{{Address: "0.0.0.0:0", Proxied: true, Issuer: issuer}, {Address: "127.0.0.1:0", Proxied: true, Issuer: issuer}} {
		if _, err := Listen(o); !errors.Is(err, ErrUnnamed) {
			t.Error(err)
		}
	}
}
