package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func FuzzLine(f *testing.F) {
	for _, line := range []string{"", "x", "{}", "[]", `[{"jsonrpc":"2.0","id":1,"method":"a"}]`, `{"jsonrpc":"2.0","id":"\u00e9","result":1}`, "{\"id\":\"\xff\"", `{"id":1e400}`, `{"id":-0}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, p := range parseLine(line) {
			if (p.message == nil) == (p.wrong == nil) {
				t.Fatalf("%q: %v, %v", line, p.message, p.wrong)
			}
			if reply := p.reply(); p.wrong != nil && reply != nil {
				var a map[string]any
				if err := json.Unmarshal(reply, &a); err != nil || a["id"] == nil && p.code != jsonrpc.CodeParseError || a["error"] == nil || bytes.ContainsRune(reply, '\n') {
					t.Fatalf("%q: %q, %v", line, reply, err)
				}
			}
		}
	})
}

// Lines come out as they are, however they arrive and however long they are.
func TestReadLines(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	input := "a\n\n" + strings.Repeat("b", 200_000) + "\r\n" + long + "\n" + long[1:] + "\nlast"
	var got []string
	err := readLines(io.MultiReader(strings.NewReader(input[:70_000]), strings.NewReader(input[70_000:])), func(l line) bool {
		if l.long != (l.text == nil) {
			t.Errorf("long %v, %d bytes", l.long, len(l.text))
		}
		got = append(got, fmt.Sprint(len(l.text)))
		return true
	})
	if want := "2 1 200002 0 33554432 4"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("lines of %v bytes, want %s; %v", got, want, err)
	}
	broken := errors.New("broken")
	if err := readLines(io.MultiReader(strings.NewReader("a"), failing{broken}), func(line) bool { return true }); !errors.Is(err, broken) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
