package main

import (
	"encoding/json"
	"strings"
)

// request is what an agent asks a model, in whatever format.
type request struct {
	said    string // all that the system and the person said, and the results of tools
	results int    // how many tools have answered
	tools   []tool
	schema  map[string]any // the form in which the answer is wanted; nil for any
}

// tool is one that the model may call.
type tool struct{ name, space string }

// reply is what the model says: a text, or a call of a tool.
type reply struct {
	id, text string
	tool     *tool
	args     string
}

// event is one of a stream; name is "" where the format has none.
type event struct {
	name string
	data []byte
}

// format is a wire format: the paths that it is served at, and how requests are read and replies written.
type format struct {
	serves func(path string) bool
	read   func(doc map[string]any) request
	write  func(reply) []event
	whole  func(reply) any // not as a stream
}

var formats = []format{
	{func(path string) bool { return strings.HasSuffix(path, "/messages") }, readMessages, writeMessages, wholeMessage},
	{func(path string) bool { return strings.HasSuffix(path, "/responses") }, readResponses, writeResponses, wholeResponse},
	{func(path string) bool { return strings.HasSuffix(path, "/chat/completions") }, readChat, writeChat, wholeChat},
	{func(path string) bool { return strings.HasSuffix(strings.ToLower(path), "generatecontent") }, readGenerate, writeGenerate, wholeGenerate},
}

func object(v any) map[string]any { o, _ := v.(map[string]any); return o }
func list(v any) []any            { l, _ := v.([]any); return l }
func text(v any) string           { s, _ := v.(string); return s }

// texts are all strings in a value.
func texts(v any) string {
	switch v := v.(type) {
	case string:
		return v + "\n"
	case []any:
		all := ""
		for _, e := range v {
			all += texts(e)
		}
		return all
	case map[string]any:
		all := ""
		for _, e := range v {
			all += texts(e)
		}
		return all
	}
	return ""
}

// Anthropic's Messages.

func readMessages(doc map[string]any) (r request) {
	r.said = texts(doc["system"]) + texts(doc["messages"])
	for _, m := range list(doc["messages"]) {
		for _, part := range list(object(m)["content"]) {
			if object(part)["type"] == "tool_result" {
				r.results++
			}
		}
	}
	for _, t := range list(doc["tools"]) {
		r.tools = append(r.tools, tool{name: text(object(t)["name"])})
	}
	return r
}

func wholeMessage(r reply) any {
	block, stop := map[string]any{"type": "text", "text": r.text}, "end_turn"
	if r.tool != nil {
		block, stop = map[string]any{"type": "tool_use", "id": "toolu_" + r.id, "name": r.tool.name, "input": json.RawMessage(r.args)}, "tool_use"
	}
	return map[string]any{"id": "msg_" + r.id, "type": "message", "role": "assistant", "model": "mock", "content": []any{block}, "stop_reason": stop, "usage": usage}
}

var usage = map[string]any{"input_tokens": 10, "output_tokens": 5}

func writeMessages(r reply) []event {
	block, delta, stop := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": r.text}, "end_turn"
	if r.tool != nil {
		block = map[string]any{"type": "tool_use", "id": "toolu_" + r.id, "name": r.tool.name, "input": map[string]any{}}
		delta, stop = map[string]any{"type": "input_json_delta", "partial_json": r.args}, "tool_use"
	}
	return named(
		map[string]any{"type": "message_start", "message": map[string]any{"id": "msg_" + r.id, "type": "message", "role": "assistant", "model": "mock", "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}},
		map[string]any{"type": "content_block_start", "index": 0, "content_block": block},
		map[string]any{"type": "content_block_delta", "index": 0, "delta": delta},
		map[string]any{"type": "content_block_stop", "index": 0},
		map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 5}},
		map[string]any{"type": "message_stop"},
	)
}

// named are events that are called as their type says.
func named(docs ...map[string]any) (all []event) {
	for _, d := range docs {
		all = append(all, event{text(d["type"]), mustJSON(d)})
	}
	return all
}

// OpenAI's Responses.

func readResponses(doc map[string]any) (r request) {
	r.said = text(doc["instructions"]) + texts(doc["input"])
	for _, item := range list(doc["input"]) {
		if strings.HasSuffix(text(object(item)["type"]), "_call_output") {
			r.results++
		}
	}
	for _, t := range list(doc["tools"]) {
		t := object(t)
		if t["type"] != "namespace" {
			r.tools = append(r.tools, tool{name: text(t["name"])})
			continue
		}
		for _, inner := range list(t["tools"]) {
			r.tools = append(r.tools, tool{text(object(inner)["name"]), text(t["name"])})
		}
	}
	return r
}

func responseItem(r reply, status string) map[string]any {
	if r.tool == nil {
		return map[string]any{"type": "message", "id": "m_" + r.id, "role": "assistant", "status": status, "content": []any{map[string]any{"type": "output_text", "text": r.text, "annotations": []any{}}}}
	}
	item := map[string]any{"type": "function_call", "id": "fc_" + r.id, "call_id": "call_" + r.id, "name": r.tool.name, "arguments": r.args, "status": status}
	if r.tool.space != "" {
		item["namespace"] = r.tool.space
	}
	return item
}

func wholeResponse(r reply) any {
	return map[string]any{
		"id": "resp_" + r.id, "object": "response", "model": "mock", "status": "completed", "output": []any{responseItem(r, "completed")},
		"usage": map[string]any{"input_tokens": 10, "output_tokens": 5, "total_tokens": 15, "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens_details": map[string]any{"reasoning_tokens": 0}},
	}
}

func writeResponses(r reply) []event {
	begun := map[string]any{"id": "resp_" + r.id, "object": "response", "model": "mock", "status": "in_progress", "output": []any{}}
	all := []map[string]any{
		{"type": "response.created", "response": begun},
		{"type": "response.output_item.added", "output_index": 0, "item": responseItem(r, "in_progress")},
	}
	if r.tool == nil {
		all = append(all, map[string]any{"type": "response.output_text.delta", "item_id": "m_" + r.id, "output_index": 0, "content_index": 0, "delta": r.text})
	}
	return named(append(all,
		map[string]any{"type": "response.output_item.done", "output_index": 0, "item": responseItem(r, "completed")},
		map[string]any{"type": "response.completed", "response": wholeResponse(r)},
	)...)
}

// OpenAI's Chat Completions.

func readChat(doc map[string]any) (r request) {
	r.said = texts(doc["messages"])
	for _, m := range list(doc["messages"]) {
		if object(m)["role"] == "tool" {
			r.results++
		}
	}
	for _, t := range list(doc["tools"]) {
		r.tools = append(r.tools, tool{name: text(object(object(t)["function"])["name"])})
	}
	return r
}

// chatTurn is what the assistant says, and why it stops.
func chatTurn(r reply) (turn map[string]any, stop string) {
	if r.tool == nil {
		return map[string]any{"role": "assistant", "content": r.text}, "stop"
	}
	fn := map[string]any{"name": r.tool.name, "arguments": r.args}
	return map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"index": 0, "id": "call_" + r.id, "type": "function", "function": fn}}}, "tool_calls"
}

var chatUsage = map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}

func wholeChat(r reply) any {
	turn, stop := chatTurn(r)
	return map[string]any{"id": "chat_" + r.id, "object": "chat.completion", "created": 1, "model": "mock", "choices": []any{map[string]any{"index": 0, "message": turn, "finish_reason": stop}}, "usage": chatUsage}
}

func writeChat(r reply) []event {
	turn, stop := chatTurn(r)
	chunk := func(choices []any, more map[string]any) event {
		doc := map[string]any{"id": "chat_" + r.id, "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": choices}
		for k, v := range more {
			doc[k] = v
		}
		return event{data: mustJSON(doc)}
	}
	return []event{
		chunk([]any{map[string]any{"index": 0, "delta": turn, "finish_reason": nil}}, nil),
		chunk([]any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": stop}}, nil),
		chunk([]any{}, map[string]any{"usage": chatUsage}),
		{data: []byte("[DONE]")},
	}
}

// Gemini's generateContent.

func readGenerate(doc map[string]any) (r request) {
	r.said = texts(doc["systemInstruction"]) + texts(doc["contents"])
	for _, c := range list(doc["contents"]) {
		for _, part := range list(object(c)["parts"]) {
			if object(part)["functionResponse"] != nil {
				r.results++
			}
		}
	}
	for _, t := range list(doc["tools"]) {
		for _, f := range list(object(t)["functionDeclarations"]) {
			r.tools = append(r.tools, tool{name: text(object(f)["name"])})
		}
	}
	conf := object(doc["generationConfig"])
	if r.schema = object(conf["responseJsonSchema"]); r.schema == nil {
		r.schema = object(conf["responseSchema"])
	}
	return r
}

func wholeGenerate(r reply) any {
	part := map[string]any{"text": r.text}
	if r.tool != nil {
		part = map[string]any{"functionCall": map[string]any{"name": r.tool.name, "args": json.RawMessage(r.args)}}
	}
	return map[string]any{
		"candidates":    []any{map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": []any{part}}, "finishReason": "STOP"}},
		"usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}, "modelVersion": "mock",
	}
}

func writeGenerate(r reply) []event { return []event{{data: mustJSON(wholeGenerate(r))}} }
