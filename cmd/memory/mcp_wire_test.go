//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"github.com/memoryd/memoryd/fixtures"
)

// wire talks to a server line by line.
type wire struct {
	*exec.Cmd
	in   io.WriteCloser
	pipe io.Closer
	out  *bufio.Reader
	log  *output
	dir  string
}

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}`

func wired(t *testing.T, args ...string) *wire {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "memory")
	if err := fixtures.CopyTo(dir, fixtures.Small); err != nil {
		t.Fatal(err)
	}
	w := &wire{Cmd: serverCommand(t, dir), log: &output{}, dir: dir}
	w.Args = append([]string{w.Args[0], "mcp"}, args...)
	w.Stderr = w.log
	var err error
	if w.in, err = w.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	pipe, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.out = bufio.NewReader(pipe)
	w.pipe = pipe
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if w.ProcessState == nil {
			if err := errors.Join(w.in.Close(), w.Wait()); err != nil {
				t.Errorf("the server ended with %v", err)
			}
		}
		sound(t, dir)
		if t.Failed() {
			t.Logf("the server's log:\n%s", w.log)
		}
	})
	w.send(t, hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	w.answer(t, `"hello"`)
	return w
}

func (w *wire) send(t *testing.T, lines ...string) {
	t.Helper()
	if _, err := io.WriteString(w.in, strings.Join(lines, "\n")+"\n"); err != nil {
		t.Fatalf("%v\n%s", err, w.log)
	}
}

// reply is an answer on the wire.
type reply struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// answer reads answers until that to a request comes: nothing else stands on the
// output.
func (w *wire) answer(t *testing.T, id string) reply {
	t.Helper()
	for {
		line, err := w.out.ReadBytes('\n')
		if err != nil {
			t.Fatalf("no answer to %s: %v\n%s", id, err, w.log)
		}
		var r reply
		if err := json.Unmarshal(line, &r); err != nil || r.JSONRPC != "2.0" || (r.Result == nil) == (r.Error == nil) {
			t.Fatalf("%q is no answer: %v", line, err)
		}
		if string(r.ID) == id {
			return r
		}
	}
}

// locked holds the writer's lock of a workspace.
func locked(t *testing.T, dir string) (unlock func()) {
	t.Helper()
	file := filepath.Join(dir, "ops", ".lock")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	l := flock.New(file)
	if ok, err := l.TryLock(); err != nil || !ok {
		t.Fatalf("can't take the lock: %v", err)
	}
	return func() { _ = l.Unlock() } // twice is fine
}

// anID is the id of some memory.
func (w *wire) anID(t *testing.T) string {
	t.Helper()
	out, errs, code, err := call(program(t), w.dir, append(os.Environ(), "MEMORY_WORKSPACE="+w.dir), "list", "--quiet")
	if err != nil || code != 0 {
		t.Fatalf("%d, %v, %s", code, err, errs)
	}
	return strings.Fields(out)[0]
}
