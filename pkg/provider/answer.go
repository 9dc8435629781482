package provider

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// object finds the one JSON object in what a model wrote: the whole text, or what a fence holds; either after the end of a thought.
// There is none in prose, and none where there are two.
func object(text string) (json.RawMessage, bool) {
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		text = text[i+len("</think>"):]
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if inside, ok := fenced(text); ok {
		text = inside
	}
	raw := []byte(text)
	if len(raw) == 0 || raw[0] != '{' || jsonedit.Check(raw) != nil {
		return nil, false
	}
	return raw, !repeats(gjson.ParseBytes(raw))
}

// fenced is what stands in the only fence of a text. What stands around it must not look like another answer.
func fenced(text string) (inside string, ok bool) {
	const fence = "```"
	if strings.Count(text, fence) != 2 {
		return "", false
	}
	before, rest, _ := strings.Cut(text, fence)
	inside, after, _ := strings.Cut(rest, fence)
	if strings.ContainsAny(before+after, "{}") {
		return "", false
	}
	if line, body, ok := strings.Cut(inside, "\n"); ok && !strings.Contains(line, "{") {
		inside = body
	}
	return strings.TrimSpace(inside), true
}

// repeats reports whether an object names a member twice, at any depth: readers differ in which one counts.
func repeats(v gjson.Result) (found bool) {
	seen := map[string]bool{}
	v.ForEach(func(key, value gjson.Result) bool {
		if v.IsObject() {
			found = found || seen[key.Str]
			seen[key.Str] = true
		}
		if value.IsObject() || value.IsArray() {
			found = found || repeats(value)
		}
		return !found
	})
	return found
}

// read reads a reply with status 200.
func (f *format) read(body []byte, p *prompt) (json.RawMessage, *Error) {
	reply := gjson.ParseBytes(body)
	switch f.ended(reply.Get(f.finish).String()) {
	case cutOff:
		return nil, &Error{Outcome: Length, Detail: "the answer was cut off at the most output"}
	case overflow:
		return nil, &Error{Outcome: Context, Detail: "the context was full"}
	case refusal:
		return nil, &Error{Outcome: Refused, Detail: "the model would not answer"}
	}
	if reply.Get("choices.0.message.refusal").String() != "" {
		return nil, &Error{Outcome: Refused, Detail: "the model would not answer"}
	}
	text, reasoning := f.text(reply)
	if strings.TrimSpace(text) == "" {
		text = reasoning
	}
	raw, ok := object(text)
	if !ok {
		return nil, &Error{Outcome: Shape, Detail: "the answer is not one JSON object"}
	}
	if gjson.GetBytes(raw, "code").String() != p.code {
		return nil, &Error{Outcome: Context, Detail: "the answer lacks the code from the head of the prompt: the server seems to have cut the prompt"}
	}
	raw, err := sjson.DeleteBytes(bytes.Clone(raw), "code")
	if err != nil {
		return nil, &Error{Outcome: Shape, Detail: "the answer can't be read: " + err.Error()}
	}
	if p.Check != nil {
		if err := p.Check(raw); err != nil {
			return nil, &Error{Outcome: Shape, Detail: err.Error()}
		}
	}
	return raw, nil
}
