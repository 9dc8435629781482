package provider

import (
	"fmt"
	"net"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// Kind is a wire format, with what servers of a kind want besides.
type Kind string

// The kinds of endpoints.
const (
	OpenAI     Kind = "openai"     // chat/completions as OpenAI serves it
	Compatible Kind = "compatible" // chat/completions as LM Studio, llama.cpp and vLLM serve it
	Anthropic  Kind = "anthropic"  // messages
	Ollama     Kind = "ollama"     // /api/chat
)

// Kinds lists the kinds of endpoints.
func Kinds() []string {
	return []string{string(OpenAI), string(Compatible), string(Anthropic), string(Ollama)}
}

// Endpoint is one model at one address.
type Endpoint struct {
	Name        string // as settings and receipts call it
	Kind        Kind
	BaseURL     string // with the version in its path where the format has one: https://api.openai.com/v1
	Model       string
	Key         string        // "": none is sent
	Local       bool          // what must stay on this machine may be sent there
	Context     int           // tokens of prompt and answer together at most
	MaxOutput   int           // tokens of an answer at most
	Timeout     time.Duration // from sending to the end of the answer
	LoadTimeout time.Duration // the same for the first request of this process to a local one, which may have to load the model
	Price       *Price        // nil: not known; nothing for a local one
}

// Price is what tokens cost, per million, in one currency for all endpoints.
type Price struct{ In, Cached, Out float64 }

// check says what is wrong with an endpoint; the message names the endpoint and what to do.
func (e *Endpoint) check() error {
	u, err := url.Parse(e.BaseURL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("model %s: base_url %q is not an address: write one such as http://localhost:1234/v1", e.Name, e.BaseURL)
	case u.User != nil:
		return fmt.Errorf("model %s: base_url holds a password: put the key into an environment variable and name that as key_env", e.Name)
	case formatOf(e.Kind) == nil:
		return fmt.Errorf("model %s: kind %q is unknown: write %s", e.Name, e.Kind, strings.Join(Kinds(), ", "))
	case e.Model == "":
		return fmt.Errorf("model %s: no model is named: set model in [model.%s]", e.Name, e.Name)
	case u.Scheme == "http" && e.Key != "" && !e.Local:
		return fmt.Errorf("model %s: the key would be sent unencrypted: use https, or set local = true for a server of your own", e.Name)
	}
	return nil
}

// Host is the host and port of an address.
func (e *Endpoint) Host() string {
	u, err := url.Parse(e.BaseURL)
	if err != nil {
		return ""
	}
	return u.Host
}

// IsLoopback reports whether an address is one of this machine by its form: localhost, 127.0.0.0/8 or ::1.
func IsLoopback(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// cost is what tokens cost; not known without a price, but for local ones, which are free.
func (e *Endpoint) cost(u Usage) (cost float64, known bool) {
	if e.Price == nil {
		return 0, e.Local
	}
	const million = 1e6
	return (float64(u.In-u.Cached)*e.Price.In + float64(u.Cached)*e.Price.Cached + float64(u.Out)*e.Price.Out) / million, true
}

// Privacy says how far texts may travel, by their scope and tags.
type Privacy struct {
	AllowRemote bool              // whether anything may leave this machine
	Scopes      map[string]string // scope or glob ("agent:*") to local, remote or never; others are local
	ExcludeTags []string          // texts with one of these go nowhere
}

// Reach says how far a text may travel. Own is what its record says of itself: "never", "local", or "" for nothing. Of the patterns
// that fit a scope the one with the most characters other than * and ? decides, and the narrower reach among equals. Case makes no difference.
func (p Privacy) Reach(scope string, tags []string, own string) Reach {
	for _, tag := range tags {
		if slices.ContainsFunc(p.ExcludeTags, func(t string) bool { return fold(t) == fold(tag) }) {
			return Never
		}
	}
	reach := p.scopeReach(fold(scope))
	switch fold(own) {
	case "never":
		return Never
	case "local":
		reach = min(reach, Local)
	}
	if !p.AllowRemote {
		reach = min(reach, Local)
	}
	return reach
}

func (p Privacy) scopeReach(scope string) Reach {
	reach, best := Local, -1
	for pattern, word := range p.Scopes {
		pattern = fold(pattern)
		if ok, err := path.Match(pattern, scope); pattern != scope && (!ok || err != nil) {
			continue
		}
		n := len(strings.NewReplacer("*", "", "?", "").Replace(pattern))
		if r := reachNamed(word); n > best || n == best && r < reach {
			reach, best = r, n
		}
	}
	return reach
}

// reachNamed reads the name of a reach; any other name is [Never].
func reachNamed(word string) Reach {
	switch fold(word) {
	case "remote":
		return Remote
	case "local":
		return Local
	}
	return Never
}

func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
