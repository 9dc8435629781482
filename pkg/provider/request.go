package provider

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/tidwall/sjson"

	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/tokens"
)

// Model answers requests. A [Chain] is one.
type Model interface {
	// Ask returns the answer to a request. The error is an [*Error], a [*BudgetError], that of ctx, or of the ledger.
	Ask(ctx context.Context, r Request) (Answer, error)
}

// Request asks a model for one JSON object.
type Request struct {
	Task      string          // what it is for, a word for receipts
	Version   string          // of the prompt: another version is another request
	System    string          // instructions
	User      string          // what they are about
	Schema    json.RawMessage // JSON Schema of the answer, an object with properties; one named "code" is added
	Check     Check           // of the answer, besides that it is an object; nil: none
	MaxOutput int             // tokens of the answer at most; 0: as the endpoint says
	Reach     Reach           // how far the texts may travel
	Scope     string          // for the receipt
	IDs       []string        // what the request is about, for the receipt
}

// Check says why an object is not an answer to a request; nil where it is one. What fails it is asked for once more, then of the next endpoint.
type Check func(object json.RawMessage) error

// Answer is what a model said.
type Answer struct {
	Object  json.RawMessage // a JSON object, with the code taken out; its members are unchecked
	Receipt Receipt
}

// Reach says how far a text may travel.
type Reach int

// The reaches, each wider than the one before.
const (
	Never  Reach = iota // to no model
	Local               // to models on this machine
	Remote              // to any model
)

func (r Reach) String() string { return [...]string{"never", "local", "remote"}[r] }

// prompt is a request as one endpoint gets it.
type prompt struct {
	Request
	key  string // SHA-256 of all that the answer depends on
	code string // to be repeated in the answer
}

// promptFor makes the prompt of a request for one model.
func promptFor(r Request, e *Endpoint) (prompt, error) {
	if r.MaxOutput <= 0 || r.MaxOutput > e.MaxOutput {
		r.MaxOutput = e.MaxOutput
	}
	schema, err := withCode(r.Schema)
	if err != nil {
		return prompt{}, fmt.Errorf("%s: schema of the answer: %w", r.Task, err)
	}
	h := sha256.New()
	for _, part := range []string{r.Task, r.Version, string(r.Schema), string(e.Kind), e.Model, fmt.Sprint(r.MaxOutput), r.System, r.User} {
		fmt.Fprintf(h, "%d %s\n", len(part), part)
	}
	p := prompt{Request: r, key: hex.EncodeToString(h.Sum(nil))}
	p.code = p.key[:8]
	p.Schema = schema
	p.User = fmt.Sprintf("code: %s\nRepeat this code in your answer, as the member \"code\".\n\n%s", p.code, r.User)
	return p, nil
}

// withCode adds the code to the schema of an answer. It is not a constant of the schema: a grammar would then write it for a model
// that has never seen it.
func withCode(schema json.RawMessage) (json.RawMessage, error) {
	if !json.Valid(schema) {
		return nil, fmt.Errorf("not valid JSON")
	}
	out, err := sjson.SetRawBytes(schema, "properties.code", []byte(`{"type":"string"}`))
	if err == nil {
		out, err = sjson.SetBytes(out, "required.-1", "code")
	}
	return out, err
}

// again is the prompt for an endpoint whose first answer was not an object.
func (p prompt) again() prompt {
	p.User += "\n\nAnswer with one JSON object and nothing else."
	return p
}

// inputTokens is how many tokens the prompt has at most, as far as an estimate can tell.
func (p *prompt) inputTokens() int {
	return tokens.Estimate(p.System) + tokens.Estimate(p.User) + tokens.Estimate(string(p.Schema))
}

// mask takes a key out of a text that a server sent.
func mask(text, key string) string {
	if len(key) >= 4 {
		text = strings.ReplaceAll(text, key, "[key]")
	}
	return text
}

// Fence writes data for a prompt as JSON between two tags whose name has the digest of the data, so that no text in it can
// close them. The error is that of the encoding.
func Fence(name string, data any) (string, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		return "", fmt.Errorf("write %s for a prompt: %w", name, err)
	}
	sum := sha256.Sum256(text.Bytes())
	fence := name + "-" + hex.EncodeToString(sum[:8])
	return fmt.Sprintf("<%s>\n%s</%s>", fence, text.Bytes(), fence), nil
}

// Visible drops characters that nobody sees, with which a text could say something else to a model than to a person.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// Line is a text of a model on one line, without what can't be seen or printed, cut to so many characters.
func Line(s string, most int) string {
	line := strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, Visible(s))), " ")
	return text.Truncate(line, most)
}
