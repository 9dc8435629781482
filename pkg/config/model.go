package config

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
	"github.com/memoryd/memoryd/pkg/internal/tomledit"
)

// Model says which language models are asked, and what they may be sent and take.
type Model struct {
	Enabled     bool     // whether any model is asked at all
	AllowRemote bool     // whether texts may leave this machine
	Chain       []string // names of servers, in the order in which they are asked
	Timeout     Duration // from sending to the end of an answer
	LoadTimeout Duration // the same for the first request to a local server
	Context     int      // tokens of a prompt and its answer together
	MaxOutput   int      // tokens of an answer
	RunTokens   int      // tokens of one run; 0: no limit, likewise the next three
	DayTokens   int
	RunCost     float64 // in the currency of the prices
	DayCost     float64
	ExcludeTags []string // memories with one of these tags are sent nowhere

	Servers map[string]ModelServer // by name
	Scopes  map[string]string      // scope or glob to local, remote or never
	Prices  map[string]Price       // by model
}

// ModelServer is a server of a language model. Empty fields are those that its name stands for; see [Model.Server].
type ModelServer struct {
	Kind    string // openai, compatible, anthropic or ollama
	BaseURL string
	Model   string
	KeyEnv  string // the environment variable that holds the key
	Local   string // "true" or "false"; "": as the address says
	Context int    // tokens; 0: as the section says
}

// Price is what a million tokens cost.
type Price struct{ In, Cached, Out float64 }

// knownServers are those that need no kind and no address.
func knownServers(name string) ModelServer {
	switch name {
	case "openai":
		return ModelServer{Kind: "openai", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY"}
	case "anthropic":
		return ModelServer{Kind: "anthropic", BaseURL: "https://api.anthropic.com/v1", KeyEnv: "ANTHROPIC_API_KEY"}
	case "lmstudio":
		return ModelServer{Kind: "compatible", BaseURL: "http://localhost:1234/v1"}
	case "ollama":
		return ModelServer{Kind: "ollama", BaseURL: "http://localhost:11434"}
	}
	return ModelServer{Kind: "compatible"}
}

// Server returns what is set of a server, over what its name stands for: openai, anthropic, lmstudio and ollama have a kind and an
// address. It is not ok for a name that is neither one of these nor set.
func (m Model) Server(name string) (ModelServer, bool) {
	known, set := knownServers(name), m.Servers[name]
	_, isSet := m.Servers[name]
	return ModelServer{
		Kind: cmp.Or(set.Kind, known.Kind), BaseURL: cmp.Or(set.BaseURL, known.BaseURL), Model: set.Model,
		KeyEnv: cmp.Or(set.KeyEnv, known.KeyEnv), Local: set.Local, Context: cmp.Or(set.Context, m.Context),
	}, isSet || known.BaseURL != ""
}

// modelPrefix begins the keys of the tables of [model].
const modelPrefix = "model."

// isModelTable reports whether a key names a table of [model] rather than a setting.
func isModelTable(key string) bool {
	if !strings.HasPrefix(key, modelPrefix) {
		return false
	}
	_, setting := new(Settings).find(key)
	return !setting
}

// modelTable reads an entry of [model] that is not a setting: a server, the scopes or the prices.
func (f *file) modelTable(key string, n *tomledit.Node) {
	v, field, problem := checkModelTable(key, n.Value)
	f.checked(modelPrefix+key, n, v, field, problem)
}

// checkModelTable reads a table as the TOML decoder gives it. The problem is "", or what is wrong with it, in which field.
func checkModelTable(name string, v any) (value any, field, problem string) {
	fields, ok := v.(map[string]any)
	switch {
	case holdsKey(name):
		return nil, "", keyProblem(modelPrefix + plain(name))
	case !ok:
		return nil, "", unknownKey(modelPrefix + name)
	case name == "scopes":
		return checkModelScopes(fields)
	case name == "prices":
		return checkPrices(fields)
	}
	return checkServer(name, fields)
}

// holdsKey reports whether somebody would write a key under this name.
func holdsKey(name string) bool {
	switch strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name)) {
	case "key", "apikey", "token", "apitoken", "secret", "authorization", "password", "bearer":
		return true
	}
	return false
}

func keyProblem(key string) string {
	return key + ": a key doesn't belong into a file that others may read: put it into an environment variable, and the name of that into key_env"
}

// environmentName is the name of an environment variable. Small letters are in none, but in keys.
var environmentName = lazyregexp.New(`^[A-Z_][A-Z0-9_]{0,63}$`)

// serverField reads a field of a server.
type serverField func(s *ModelServer, v any) (advice string)

func serverFields() map[string]serverField {
	text := func(p func(*ModelServer) *string, check func(string) string) serverField {
		return func(s *ModelServer, v any) string {
			word, ok := v.(string)
			if !ok {
				return "write a text in quotes"
			}
			*p(s) = word
			return check(word)
		}
	}
	return map[string]serverField{
		"kind": text(func(s *ModelServer) *string { return &s.Kind }, func(s string) string {
			kinds := []string{"openai", "compatible", "anthropic", "ollama"}
			if slices.Contains(kinds, s) {
				return ""
			}
			return "write " + orList(kinds)
		}),
		"base_url": text(func(s *ModelServer) *string { return &s.BaseURL }, func(s string) string {
			u, err := url.Parse(s)
			if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" {
				return ""
			}
			return `write an address without a key in it, such as "http://localhost:1234/v1"`
		}),
		"key_env": text(func(s *ModelServer) *string { return &s.KeyEnv }, func(s string) string {
			if environmentName.MatchString(s) {
				return ""
			}
			return `write the name of an environment variable in capitals, such as "OPENAI_API_KEY", and put the key into that`
		}),
		"model": text(func(s *ModelServer) *string { return &s.Model }, func(s string) string {
			if strings.TrimSpace(s) == s && s != "" {
				return ""
			}
			return "write the name of a model, as the server has it"
		}),
		"local": func(s *ModelServer, v any) string {
			b, ok := v.(bool)
			if !ok {
				return "write true or false, without quotes"
			}
			s.Local = strconv.FormatBool(b)
			return ""
		},
		"context": func(s *ModelServer, v any) string { return count(&s.Context, 256, many).set(v) },
	}
}

func checkServer(name string, fields map[string]any) (value any, field, problem string) {
	if name == "" || name != strings.TrimSpace(name) || strings.ContainsAny(name, "\" \t\n.") {
		return nil, "", fmt.Sprintf("%s is not a server name: write letters, digits, - and _", quoted(name))
	}
	var s ModelServer
	known := serverFields()
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		at, v := modelPrefix+plain(name)+"."+plain(field), fields[field]
		switch read := known[field]; {
		case holdsKey(field):
			return nil, field, keyProblem(at)
		case read == nil:
			return nil, field, at + " is unknown: a server has kind, base_url, model, key_env, local and context"
		default:
			advice := read(&s, v)
			switch {
			case advice == "":
			case field == "key_env", field == "base_url": // a key may stand there: it is not shown
				return nil, field, at + " can't be used: " + advice
			default:
				return nil, field, fmt.Sprintf("%s is %s: %s", at, show(v), advice)
			}
		}
	}
	if s.BaseURL == "" && knownServers(name).BaseURL == "" {
		return nil, "", fmt.Sprintf("%s has no base_url: write the server's address, such as \"http://localhost:8080/v1\"", modelPrefix+plain(name))
	}
	return s, "", ""
}

func checkModelScopes(fields map[string]any) (value any, field, problem string) {
	scopes := map[string]string{}
	for _, pattern := range slices.Sorted(maps.Keys(fields)) {
		at, v := "model.scopes."+quoted(pattern), fields[pattern]
		kind, name, _ := strings.Cut(pattern, ":")
		if _, err := path.Match(pattern, ""); err != nil || pattern != "*" && kind != "*" && !isScope(pattern) || name != "" && kind == "global" {
			return nil, pattern, at + " is not a scope: write \"global\", \"agent:DEV-001\", \"agent:*\", \"project:*\" or \"*\""
		}
		word, _ := v.(string)
		if !slices.Contains([]string{"local", "remote", "never"}, word) {
			return nil, pattern, fmt.Sprintf("%s is %s: write local, remote or never", at, show(v))
		}
		scopes[pattern] = word
	}
	return scopes, "", ""
}

func checkPrices(fields map[string]any) (value any, field, problem string) {
	const form = "write what a million tokens cost, such as { in = 0.25, out = 2.0 }, and cached for those that the server had read before"
	prices := map[string]Price{}
	for _, model := range slices.Sorted(maps.Keys(fields)) {
		at := "model.prices." + quoted(model)
		parts, ok := fields[model].(map[string]any)
		if !ok {
			return nil, model, fmt.Sprintf("%s is %s: %s", at, show(fields[model]), form)
		}
		price := Price{Cached: -1}
		for part, p := range map[string]*float64{"in": &price.In, "cached": &price.Cached, "out": &price.Out} {
			if v, ok := parts[part]; ok {
				if advice := setAmount(p, v); advice != "" {
					return nil, model, fmt.Sprintf("%s.%s is %s: %s", at, part, show(v), advice)
				}
			}
			delete(parts, part)
		}
		if len(parts) > 0 {
			return nil, model, fmt.Sprintf("%s.%s is unknown: %s", at, plain(slices.Sorted(maps.Keys(parts))[0]), form)
		}
		if price.Cached < 0 {
			price.Cached = price.In
		}
		prices[model] = price
	}
	return prices, "", ""
}

// serverName is the name of a server of [model], or "" for none.
func serverName(p *string) value {
	return value{p: p, check: func(s string) (string, string) {
		if s == "" || len(s) <= 64 && tomledit.IsBareKey(s) {
			return s, ""
		}
		return "", `write the name of a server such as "ollama", or "" for none`
	}}
}

// modelName is what a server calls a model, or "" for none.
func modelName(p *string) value {
	return value{p: p, check: func(s string) (string, string) {
		if len(s) <= 200 && s == strings.TrimSpace(s) && !strings.ContainsFunc(s, unicode.IsControl) {
			return s, ""
		}
		return "", `write the name of a model such as "nomic-embed-text"`
	}}
}

// amount is a number of money, or 0 for no limit.
func amount(p *float64) value { return value{p: p, amount: true} }

func setAmount(p *float64, v any) (advice string) {
	if n := number(v); n >= 0 && n <= 1e9 {
		*p = n
		return ""
	}
	return "write a number of 0 or more, such as 0.5, without quotes"
}

// overrideModelTable takes what modelText prints.
func (set assignments) overrideModelTable(key, text, origin string) error {
	name := strings.TrimPrefix(key, modelPrefix)
	if holdsKey(name) {
		return fmt.Errorf("%s: %s", origin, keyProblem(key))
	}
	var doc map[string]any
	if err := tomledit.Decode([]byte("table = "+text), &doc); err != nil || len(doc) != 1 {
		return fmt.Errorf("%s: %s is not a table: write it as TOML does, such as { model = \"…\" }", origin, plain(key))
	}
	v, _, problem := checkModelTable(name, doc["table"])
	if problem != "" {
		return fmt.Errorf("%s: %s", origin, problem)
	}
	set[key] = assignment{v, origin}
	return nil
}

// setTable puts a table that was accepted into the settings.
func (m *Model) setTable(key string, v any) {
	switch v := v.(type) {
	case ModelServer:
		m.Servers[strings.TrimPrefix(key, modelPrefix)] = v
	case map[string]string:
		m.Scopes = v
	case map[string]Price:
		m.Prices = v
	}
}

// tables lists the tables that are set, by key, each as overrideModelTable takes it.
func (m *Model) tables() map[string]string {
	all := map[string]string{}
	for name, s := range m.Servers {
		all[modelPrefix+name] = s.text()
	}
	inline := func(parts []string) string { return "{" + strings.Join(parts, ", ") + "}" }
	if len(m.Scopes) > 0 {
		var parts []string
		for _, scope := range slices.Sorted(maps.Keys(m.Scopes)) {
			parts = append(parts, tomledit.Quote(scope)+" = "+tomledit.Quote(m.Scopes[scope]))
		}
		all[modelPrefix+"scopes"] = inline(parts)
	}
	if len(m.Prices) > 0 {
		var parts []string
		for _, model := range slices.Sorted(maps.Keys(m.Prices)) {
			p := m.Prices[model]
			parts = append(parts, fmt.Sprintf("%s = {in = %s, cached = %s, out = %s}", tomledit.Quote(model), money(p.In), money(p.Cached), money(p.Out)))
		}
		all[modelPrefix+"prices"] = inline(parts)
	}
	return all
}

func money(f float64) string {
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

func (s ModelServer) text() string {
	var parts []string
	for _, field := range []struct{ name, value string }{{"kind", s.Kind}, {"base_url", s.BaseURL}, {"model", s.Model}, {"key_env", s.KeyEnv}} {
		if field.value != "" {
			parts = append(parts, field.name+" = "+tomledit.Quote(field.value))
		}
	}
	if s.Local != "" {
		parts = append(parts, "local = "+s.Local)
	}
	if s.Context > 0 {
		parts = append(parts, fmt.Sprintf("context = %d", s.Context))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// modelDoc says what a table of [model] is for.
func modelDoc(key string) string {
	switch key {
	case modelPrefix + "scopes":
		return "How far memories of these scopes may travel: local, remote or never."
	case modelPrefix + "prices":
		return "What a million tokens of these models cost."
	}
	return "A server of a language model: its kind, address, model, and the environment variable with its key."
}
