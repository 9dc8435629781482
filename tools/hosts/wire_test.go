package main

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// The model speaks each format: it calls the tool of its script, then says that it is done, in a stream and whole.
func TestFormats(t *testing.T) {
	for _, c := range []struct{ path, before, after string }{
		{
			"/v1/messages",
			`{"system":[{"type":"text","text":"MARK"}],"messages":[{"role":"user","content":"go"}],"tools":[{"name":"mcp__memory__save"}]%s}`,
			`{"messages":[{"role":"user","content":"go"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"MARK"}]}],"tools":[{"name":"mcp__memory__save"}]%s}`,
		},
		{
			"/v1/responses",
			`{"input":[{"role":"user","content":[{"type":"input_text","text":"MARK"}]}],"tools":[{"type":"namespace","name":"mcp__memory__","tools":[{"name":"save"}]}]%s}`,
			`{"input":[{"type":"function_call_output","output":"MARK"}],"tools":[{"type":"function","name":"save"}]%s}`,
		},
		{
			"/v1/chat/completions",
			`{"messages":[{"role":"user","content":"MARK"}],"tools":[{"function":{"name":"memory-save"}}]%s}`,
			`{"messages":[{"role":"tool","content":"MARK"}],"tools":[{"function":{"name":"memory-save"}}]%s}`,
		},
		{
			"/v1beta/models/mock:generateContent",
			`{"contents":[{"role":"user","parts":[{"text":"MARK"}]}],"tools":[{"functionDeclarations":[{"name":"mcp_memory_save"}]}]%s}`,
			`{"contents":[{"role":"user","parts":[{"functionResponse":{"response":{"output":"MARK"}}}]}],"tools":[{"functionDeclarations":[{"name":"save"}]}]%s}`,
		},
	} {
		for _, stream := range []bool{true, false} {
			m := &model{}
			m.expect(0, call{"save", `{"content":"KEEP"}`})
			ask := func(body string) string {
				flag := ""
				if stream {
					flag = `,"stream":true`
				}
				w := httptest.NewRecorder()
				m.ServeHTTP(w, httptest.NewRequest("POST", c.path, strings.NewReader(strings.Replace(body, "%s", flag, 1))))
				if w.Code != 200 || m.count("MARK") != 1 {
					t.Errorf("%s: %d, MARK %d times", c.path, w.Code, m.count("MARK"))
				}
				return w.Body.String()
			}
			if got := ask(c.before); !strings.Contains(got, "save") || !strings.Contains(got, "KEEP") || strings.Contains(got, "MODEL-DONE") {
				t.Errorf("%s, stream %t: %s", c.path, stream, got)
			}
			if got := ask(c.after); !strings.Contains(got, "MODEL-DONE") {
				t.Errorf("%s, stream %t: %s", c.path, stream, got)
			}
		}
	}
}

func TestLeast(t *testing.T) {
	schema := object(map[string]any{"type": "OBJECT", "properties": map[string]any{"a": map[string]any{"enum": []any{"x", "y"}}, "b": map[string]any{"type": "integer"}}})
	if got := string(mustJSON(least(schema))); got != `{"a":"x","b":1}` {
		t.Error(got)
	}
}
