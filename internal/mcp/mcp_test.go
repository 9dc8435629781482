package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// newServer is a server of a workspace, with a log of its own.
func newServer(t testing.TB, dir string, log io.Writer) *Server {
	t.Helper()
	conf, err := config.Parse(memory.ConfigFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Server{
		Open:     func() (*workspace.FileStore, error) { return workspace.Open(dir) },
		Settings: func() (*config.Config, error) { return conf, nil },
		Now:      func() time.Time { return noon }, Started: func() time.Time { return time.Time{} },
		Log: slog.New(slog.NewTextHandler(log, nil)), Version: "test",
		Brief: func(snap *memory.Snapshot, _ config.Settings, who Asker, request briefing.Request) (briefing.Block, error) {
			return briefing.Block{Text: fmt.Sprint(len(snap.Memories()), who, request.Tokens)}, nil
		},
	}
}

func sample(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "memory")
	if err := fixtures.CopyTo(dir, fixtures.Small); err != nil {
		t.Fatal(err)
	}
	return dir
}

const begin = `{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// talk gives a server an input and returns its output, by request.
func talk(t testing.TB, s *Server, input string) map[string]map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := s.Run(t.Context(), strings.NewReader(begin+input), &out); err != nil {
		t.Fatal(err)
	}
	answers := map[string]map[string]any{}
	lines := bufio.NewScanner(&out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var a map[string]any
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil || a["jsonrpc"] != "2.0" {
			t.Fatalf("%q is no answer: %v", lines.Text(), err)
		}
		answers[fmt.Sprint(a["id"])] = a
	}
	return answers
}

func FuzzSession(f *testing.F) {
	dir := sample(f)
	for _, call := range []string{
		`get {"ids":["mem_x"],"offset":-1}`, `update {"id":"mem_x","fields":{"a":{"b":[]}},"content":"x"}`, `forget {"ids":[""],"reason":"\u0000"}`,
		`consolidate {"scope":"agent:","apply":"plan_20260301T120000Z_0","cursor":"e30"}`, `review {"pair":"","decision":"keep","keep":""}`,
		`history {"id":"../x","run":"last","cursor":"eyJvZiI6IiIsImF0Ijo5fQ"}`, `undo {"run":"run_","action":9999999999}`,
		`search {"query":"AND \"(","mode":"deep","since":"yesterday","tags":[""],"cursor":"eyJvZiI6IiIsImF0Ijo5fQ"}`, `context {"budget":1,"format":"json"}`,
		`save {"type":"factual","content":{"a":"b"},"scope":"session:","by":" "}`,
	} {
		name, args, _ := strings.Cut(call, " ")
		f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + args + `}}`)
	}
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"memory://%zz"}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"memory:\u007f/%zz"}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"id","value":"m"}}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"consolidate","arguments":{"scope":"%s"}}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":7}}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`)
	f.Add("{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}\n[{},[]]\n\n\"\\ud800\"")
	f.Fuzz(func(t *testing.T, lines string) {
		if strings.Contains(lines, `"ping!"`) {
			return
		}
		answers := talk(t, newServer(t, dir, io.Discard), lines+"\n"+`{"jsonrpc":"2.0","id":"ping!","method":"ping"}`)
		if a := answers["ping!"]; a == nil || a["error"] != nil {
			t.Fatalf("no answer any more: %v", answers)
		}
	})
}

// What can't be read is named in the answer, whatever its address has in it: neither a
// template nor a memory fits some, and others aren't addresses.
func TestNoSuchResource(t *testing.T) {
	dir := sample(t)
	for _, uri := range []string{"memory://none", "memory://%zz", "memory://\x7f", "memory://\a%zz", "other:\x00", "\u2028\U000e0001\"\\", ""} {
		params, err := json.Marshal(map[string]string{"uri": uri})
		if err != nil {
			t.Fatal(err)
		}
		answers := talk(t, newServer(t, dir, io.Discard), fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":%s}`, params)+"\n")
		failure, _ := answers["1"]["error"].(map[string]any)
		data, _ := failure["data"].(map[string]any)
		if failure["message"] != "Resource not found" || data["uri"] != uri {
			t.Errorf("%q: %v", uri, answers["1"])
		}
	}
}

// An answer that can't be written fails alone.
func TestUnsendable(t *testing.T) {
	var out, log bytes.Buffer
	id, err := jsonrpc.MakeID("7")
	if err != nil {
		t.Fatal(err)
	}
	c := newConn(strings.NewReader(""), &out, slog.New(slog.NewTextHandler(&log, nil)), nil)
	if err := c.Write(t.Context(), &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Data: json.RawMessage(`"\x"`)}}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, `"id":"7"`) || !strings.Contains(got, "can't be sent") || !strings.Contains(log.String(), "escape") {
		t.Errorf("%s\nlog: %s", got, log.String())
	}
}

// The end of the input waits for what has begun, and so does the order to stop; that
// gives up what waits.
func TestStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var log bytes.Buffer
	s := newServer(t, sample(t), &log)
	in, host := io.Pipe()
	out, answers := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := s.Run(ctx, in, answers)
		answers.Close()
		ended <- err
	}()
	if _, err := io.WriteString(host, begin+`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), `"id":1`) {
	}
	stop()
	for lines.Scan() {
		t.Errorf("said besides: %s", lines.Text())
	}
	if err := <-ended; err != nil {
		t.Errorf("%v\n%s", err, log.String())
	}
}

// A panic costs its own request only.
func TestPanic(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, sample(t), &log)
	s.Settings = func() (*config.Config, error) { panic("no settings today") }
	answers := talk(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"consolidate"}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"history"}}`)
	result := fmt.Sprint(answers["1"]["result"])
	if !strings.Contains(result, "memoryd made a mistake in tools/call") || !strings.Contains(result, "isError:true") || strings.Contains(result, "today") {
		t.Errorf("%v", answers["1"])
	}
	if answers["2"]["result"] == nil || !strings.Contains(log.String(), "no settings today") || !strings.Contains(log.String(), "consolidate.go") {
		t.Errorf("%v\n%s", answers["2"], log.String())
	}
}

// Settings that can't be read, and a writer who doesn't let go, are errors that say
// what to do.
func TestTroubles(t *testing.T) {
	s := newServer(t, sample(t), io.Discard)
	s.Settings = func() (*config.Config, error) { return nil, errors.New("memory.toml:3: no such key") }
	answers := talk(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"consolidate"}}`)
	if text := fmt.Sprint(answers["1"]); !strings.Contains(text, "memory.toml:3") || !strings.Contains(text, "isError:true") {
		t.Error(text)
	}
	s = newServer(t, sample(t), io.Discard)
	wrong := talk(t, s, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"consolidate","arguments":{"scope":"somewhere"}}}`)
	if e, _ := wrong["1"]["error"].(map[string]any); e["code"] != -32602.0 || !strings.Contains(fmt.Sprint(e["message"]), "Write a scope such as") {
		t.Errorf("a prompt for no scope: %v", wrong["1"])
	}
	s.Open = func() (*workspace.FileStore, error) { return nil, errors.New("no workspace today") }
	wrong = talk(t, s, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"memory://x"}}`)
	if e, _ := wrong["1"]["error"].(map[string]any); e["code"] != -32603.0 || !strings.Contains(fmt.Sprint(e["message"]), "no workspace today") {
		t.Errorf("a resource of no workspace: %v", wrong["1"])
	}
	for _, err := range []error{context.Canceled, workspace.ErrLocked, workspace.ErrNetwork, workspace.ErrNotFound, workspace.ErrAmbiguous, workspace.ErrNoRun, workspace.ErrPending, os.ErrPermission, io.ErrShortWrite} {
		text := explained(fmt.Errorf("x: %w", err)).Error()
		if !strings.HasPrefix(text, "x: ") || !strings.HasSuffix(text, ".") || !errors.Is(explained(err), err) {
			t.Error(text)
		}
	}
}
