package provider

import (
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// format is a wire format: how a prompt is written and a reply is read. Replies are valid JSON objects, and nothing else is known
// of them.
type format struct {
	path   string // behind the base URL
	key    func(h http.Header, key string)
	write  func(e *Endpoint, p *prompt) any
	finish string // where a reply says why it ended
	ended  func(reason string) ending
	text   func(reply gjson.Result) (text, reasoning string)
	usage  func(reply gjson.Result) Usage
}

// ending is why a reply ended.
type ending int

const (
	whole    ending = iota
	cutOff          // at the most output
	overflow        // at the context's end
	refusal
)

// formatOf is the format of a kind; nil for no kind.
func formatOf(kind Kind) *format {
	switch kind {
	case OpenAI, Compatible:
		return &openAI
	case Anthropic:
		return &anthropic
	case Ollama:
		return &ollama
	}
	return nil
}

// Usage is what a server says a request took, in tokens. Cached ones are part of In.
type Usage struct{ In, Cached, Out int }

func (u Usage) zero() bool { return u == Usage{} }

// count reads a number of tokens; what isn't one counts as 0.
func count(r gjson.Result) int {
	const most = 1 << 40
	if r.Type != gjson.Number || r.Num < 0 || r.Num > most {
		return 0
	}
	return int(r.Num)
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func bearer(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

var openAI = format{
	path: "/chat/completions", key: bearer,
	write: func(e *Endpoint, p *prompt) any {
		body := map[string]any{
			"model":    e.Model,
			"messages": []message{{"system", p.System}, {"user", p.User}},
			"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{
				"name": "answer", "strict": true, "schema": p.Schema,
			}},
		}
		if e.Kind == OpenAI {
			body["max_completion_tokens"] = p.MaxOutput
		} else {
			body["max_tokens"], body["temperature"] = p.MaxOutput, 0
		}
		return body
	},
	finish: "choices.0.finish_reason",
	ended: func(reason string) ending {
		switch reason {
		case "length":
			return cutOff
		case "content_filter":
			return refusal
		}
		return whole
	},
	text: func(reply gjson.Result) (text, reasoning string) {
		m := reply.Get("choices.0.message")
		return plainText(m.Get("content")), m.Get("reasoning_content").String()
	},
	usage: func(reply gjson.Result) Usage {
		u := reply.Get("usage")
		in, cached := count(u.Get("prompt_tokens")), count(u.Get("prompt_tokens_details.cached_tokens"))
		return Usage{In: in, Cached: min(cached, in), Out: count(u.Get("completion_tokens"))}
	},
}

var anthropic = format{
	path: "/messages",
	key: func(h http.Header, key string) {
		h.Set("X-Api-Key", key)
	},
	write: func(e *Endpoint, p *prompt) any {
		return map[string]any{
			"model": e.Model, "max_tokens": p.MaxOutput, "temperature": 0,
			"system":   p.System + "\n\nAnswer with one JSON object of this JSON Schema and nothing else:\n" + string(p.Schema),
			"messages": []message{{"user", p.User}},
		}
	},
	finish: "stop_reason",
	ended: func(reason string) ending {
		switch reason {
		case "max_tokens":
			return cutOff
		case "model_context_window_exceeded":
			return overflow
		case "refusal":
			return refusal
		}
		return whole
	},
	text: func(reply gjson.Result) (text, reasoning string) {
		return plainText(reply.Get("content")), ""
	},
	usage: func(reply gjson.Result) Usage {
		u := reply.Get("usage")
		cached := count(u.Get("cache_read_input_tokens"))
		in := count(u.Get("input_tokens")) + cached + count(u.Get("cache_creation_input_tokens"))
		return Usage{In: in, Cached: cached, Out: count(u.Get("output_tokens"))}
	},
}

var ollama = format{
	path: "/api/chat", key: bearer,
	write: func(e *Endpoint, p *prompt) any {
		return map[string]any{
			"model":    e.Model,
			"messages": []message{{"system", p.System}, {"user", p.User}},
			"format":   p.Schema, "stream": false, "think": false, "truncate": false,
			"options": map[string]any{"num_ctx": e.Context, "num_predict": p.MaxOutput, "temperature": 0},
		}
	},
	finish: "done_reason",
	ended: func(reason string) ending {
		if reason == "length" {
			return cutOff
		}
		return whole
	},
	text: func(reply gjson.Result) (text, reasoning string) {
		return plainText(reply.Get("message.content")), reply.Get("message.thinking").String()
	},
	usage: func(reply gjson.Result) Usage {
		return Usage{In: count(reply.Get("prompt_eval_count")), Out: count(reply.Get("eval_count"))}
	},
}

// plainText is the text of a message: a string, or blocks of which those of the type text count.
func plainText(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.Str
	}
	var b strings.Builder
	if content.IsArray() {
		for _, block := range content.Array() {
			if block.Get("type").Str == "text" {
				b.WriteString(block.Get("text").Str)
			}
		}
	}
	return b.String()
}
