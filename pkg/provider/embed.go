package provider

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/tokens"
)

// Embedder turns texts into vectors: by /v1/embeddings of OpenAI and servers like it, or by Ollama's /api/embed. It counts against the
// ledger like a [Chain].
type Embedder struct {
	Endpoint
	Ledger    *Ledger
	Redact    func(text string) string // takes secrets out of a text
	Now       func() time.Time
	Transport http.RoundTripper // nil: connections
}

const maxEmbedded = 6000 // characters of a text that are read

// Embed returns a vector for each text, all of one length. A server that gives anything else is an [*Error], and so is a format without embeddings.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if e.Now == nil {
		e.Now = time.Now
	}
	path, list := "/embeddings", "data.#.embedding"
	switch e.Kind {
	case Ollama:
		path, list = "/api/embed", "embeddings"
	case Anthropic:
		return nil, &Error{Outcome: Denied, Provider: e.Name, Detail: "servers of this kind make no embeddings"}
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	input := make([]string, len(texts))
	p := prompt{Request: Request{Task: "embed"}}
	used := Usage{}
	for i, text := range texts {
		if e.Redact != nil {
			text = e.Redact(text)
		}
		if r := []rune(text); len(r) > maxEmbedded {
			text = string(r[:maxEmbedded])
		}
		input[i] = Visible(text)
		used.In += tokens.Estimate(input[i])
	}
	body, err := marshalPlain(map[string]any{"model": e.Model, "input": input})
	if err != nil {
		return nil, fmt.Errorf("embed: write the request: %w", err)
	}
	c := &Chain{Options: Options{Ledger: e.Ledger, Now: e.Now}}
	receipt := c.receipt(&e.Endpoint, &p, 1)
	receipt.setUsage(&e.Endpoint, used)
	receipt.Outcome, receipt.Estimated = Reserved, true
	_, known := e.cost(used)
	if err := e.Ledger.reserve(ctx, receipt, known); err != nil {
		return nil, err
	}
	begun := e.Now()
	vectors, usage, failure := e.exchange(ctx, path, list, body, len(texts))
	receipt.MS, receipt.Outcome = e.Now().Sub(begun).Milliseconds(), OK
	if failure != nil {
		receipt.Outcome = failure.Outcome
	}
	if usage != nil {
		receipt.setUsage(&e.Endpoint, *usage)
		receipt.Estimated = false
	}
	if err := e.Ledger.settle(receipt); err != nil {
		return nil, fmt.Errorf("note what %s took: %w", e.Name, err)
	}
	if failure != nil {
		failure.Provider = e.Name
		return nil, failure
	}
	return vectors, nil
}

// exchange sends a body and reads the vectors. The usage is nil where it isn't known.
func (e *Embedder) exchange(ctx context.Context, path, list string, body []byte, want int) (vectors [][]float32, usage *Usage, failure *Error) {
	by := e.Transport
	if by == nil {
		by = transport(e.Local)
	}
	reply, failure := post(ctx, by, &e.Endpoint, path, body, e.Timeout)
	if failure != nil {
		if failure.unsent {
			usage = &Usage{}
		}
		return nil, usage, failure
	}
	if failure := reply.judge(&e.Endpoint, e.Now()); failure != nil {
		return nil, &Usage{}, failure
	}
	said := gjson.ParseBytes(reply.body)
	if in := count(said.Get("usage.prompt_tokens")) + count(said.Get("prompt_eval_count")); in > 0 {
		usage = &Usage{In: in}
	}
	for _, v := range said.Get(list).Array() {
		var vector []float32
		for _, x := range v.Array() {
			vector = append(vector, float32(x.Num))
		}
		vectors = append(vectors, vector)
	}
	if len(vectors) != want || want > 0 && len(vectors[0]) == 0 {
		return nil, usage, &Error{Outcome: Shape, Detail: fmt.Sprintf("it gave %d vectors for %d texts", len(vectors), want)}
	}
	for _, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, usage, &Error{Outcome: Shape, Detail: "its vectors differ in length"}
		}
	}
	return vectors, usage, nil
}
