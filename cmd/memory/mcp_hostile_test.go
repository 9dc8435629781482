//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/fixtures"
)

func TestMCPBadLines(t *testing.T) {
	w := wired(t)
	deep := strings.Repeat("[", 100_000)
	for i, c := range []struct{ line, id, want string }{
		{"garbage", "", ""},
		{"\x00\xff\xfe", "", ""},
		{"", "", ""},
		{"   \t ", "", ""},
		{"{}", "", ""},
		{"[]", "", ""},
		{"7", "", ""},
		{`{"jsonrpc":"2.0"}`, "", ""},
		{`{"jsonrpc":"1.0","id":101,"method":"ping"}`, "101", "version"},
		{`{"jsonrpc":"2.0","id":102,"method":7}`, "102", "can't be read"},
		{`{"jsonrpc":"2.0","id":103,"method":"ping"`, "103", "not valid JSON"},
		{"{\"jsonrpc\":\"2.0\",\"id\":104,\"method\":\"tools/call\",\"params\":{\"name\":\"get\",\"arguments\":{\"ids\":[\"\xff\"]}}}", "104", "not UTF-8"},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, "", ""},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "", ""},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "1.5", "whole number"},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, "9007199254740993", "whole number"},
		{`{"jsonrpc":"2.0","id":105,"method":"nosuch/method"}`, "105", "nosuch"},
		{`{"jsonrpc":"2.0","id":106,"method":"tools/call"}`, "106", "params"},
		{`{"jsonrpc":"2.0","id":107,"method":"tools/call","params":null}`, "107", ""},
		{`{"jsonrpc":"2.0","id":108,"method":"tools/call","params":[1]}`, "108", ""},
		{`{"jsonrpc":"2.0","id":109,"method":"tools/call","params":{"name":"nosuch"}}`, "109", "nosuch"},
		{`{"jsonrpc":"2.0","id":110,"method":"tools/call","params":{"name":"get","arguments":"x"}}`, "110", "the arguments are not an object"},
		{`{"jsonrpc":"2.0","id":111,"method":"tools/call","params":{"name":"get","arguments":{"ids":{"a":1}}}}`, "111", "element 1 is"},
		{`{"jsonrpc":"2.0","id":112,"method":"tools/call","params":{"name":"get","arguments":{"ids":[null]}}}`, "112", "element 1 is null"},
		{`{"jsonrpc":"2.0","id":113,"method":"tools/call","params":{"name":"get","arguments":{"IDS":["x"]}}}`, "113", "unknown argument"},
		{`{"jsonrpc":"2.0","id":114,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`, "114", "not found"},
		{`{"jsonrpc":"2.0","id":115,"method":"resources/read","params":{"uri":"memory://..%2f..%2fetc%2fpasswd"}}`, "115", "not found"},
		{`{"jsonrpc":"2.0","id":116,"method":"initialize","params":{}}`, "116", ""},
		{`{"jsonrpc":"2.0","id":117,"method":"ping","params":` + deep + strings.Repeat("]", 100_000) + `}`, "117", "not valid JSON"},
		{deep, "", ""},
		{`{"jsonrpc":"2.0","id":118,"method":"tools/call","params":{"name":"` + strings.Repeat("x", 20<<20) + `"}}`, "118", "unknown tool"},
		{strings.Repeat("y", 40<<20), "", ""},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, "", ""},
		{`{"jsonrpc":"2.0","method":"notifications/nosuch"}`, "", ""},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, "", ""},
		{`{"jsonrpc":"2.0","id":119,"method":"logging/setLevel","params":{"level":"loud"}}`, "119", ""},
		{`{"jsonrpc":"2.0","id":120,"method":"completion/complete","params":{"ref":{"type":"ref/prompt"},"argument":{}}}`, "120", ""},
		{`{"jsonrpc":"2.0","id":121,"method":"subscriptions/listen","params":{}}`, "121", ""},
		{`[{"jsonrpc":"2.0","id":122,"method":"ping"},7,{"jsonrpc":"2.0","id":123,"method":"ping"}]`, "123", ""},
	} {
		w.send(t, c.line)
		if c.id != "" {
			r := w.answer(t, c.id)
			text := string(r.Result)
			if r.Error != nil {
				text = r.Error.Message
			}
			if !strings.Contains(strings.ToLower(text), strings.ToLower(c.want)) || len(text) > 30<<20 {
				t.Errorf("%.100q: %.300s", c.line, text)
			}
		}
		ping := fmt.Sprint(1000 + i)
		w.send(t, `{"jsonrpc":"2.0","id":`+ping+`,"method":"ping"}`)
		if r := w.answer(t, ping); r.Error != nil {
			t.Fatalf("after %.100q: %+v", c.line, r.Error)
		}
	}
}

// What has begun when the input ends is finished and answered.
func TestMCPEndOfInput(t *testing.T) {
	w := wired(t)
	const n = 50
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"consolidate"}}`, i))
	}
	w.send(t, lines...)
	if err := w.in.Close(); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for {
		line, err := w.out.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		var r reply
		if err != nil || json.Unmarshal(line, &r) != nil || r.Error != nil {
			t.Fatalf("%q, %v", line, err)
		}
		seen[string(r.ID)] = true
	}
	if len(seen) != n {
		t.Errorf("%d answers to %d requests", len(seen), n)
	}
	if err := w.Wait(); err != nil || w.log.String() != "" {
		t.Errorf("%v, log %q", err, w.log)
	}
}

func TestMCPSignal(t *testing.T) {
	w := wired(t)
	unlock := locked(t, w.dir)
	defer unlock()
	w.send(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forget","arguments":{"ids":["`+w.anID(t)+`"]}}}`)
	w.send(t, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	w.answer(t, "2")
	if err := w.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(w.out)
	if err := errors.Join(err, w.Wait()); err != nil || !bytes.Contains(rest, []byte("canceled")) {
		t.Errorf("%v: %s", err, rest)
	}
}

// A host that goes away without a word is not an error.
func TestMCPHostGoesAway(t *testing.T) {
	w := wired(t)
	if err := w.pipe.Close(); err != nil {
		t.Fatal(err)
	}
	w.send(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if err := w.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// A request that the client gives up ends, and the server goes on.
func TestMCPCancel(t *testing.T) {
	a := serving(t, fixtures.Small)
	a.must(t, "add", "--type", "factual", "--id", "mem_x", "--by", "DEV-001", "--text", "x")
	unlock := locked(t, a.dir)
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range 40 { // more than run at a time
		group.Go(func() {
			if r, err := a.CallTool(ctx, &sdk.CallToolParams{Name: "forget", Arguments: object{"ids": []string{"mem_x"}}}); err == nil {
				t.Errorf("%+v", r)
			}
		})
	}
	cancel()
	group.Wait()
	a.use(t, "history", nil)
	unlock()
	if m := first(t, a.got(t, "mem_x")["memories"]); m["archived"] == true {
		t.Error("it was done all the same")
	}
	a.use(t, "forget", object{"ids": []string{"mem_x"}})
}

// Many requests at the same time: readers see whole memories, and no change is lost.
func TestMCPConcurrent(t *testing.T) {
	a := serving(t, fixtures.Small)
	const calls, shared = 1000, 5
	for i := range shared {
		a.must(t, "add", "--type", "factual", "--id", fmt.Sprint("mem_c", i), "--by", "DEV-001", "--text", "begun")
	}
	var group sync.WaitGroup
	for i := range calls {
		group.Go(func() {
			id := fmt.Sprint("mem_c", i%shared)
			var name string
			args := object{}
			switch {
			case i%20 == 0:
				name, args = "update", object{"id": id, "fields": object{fmt.Sprint("f", i): i}}
			case i%50 == 1:
				name = "consolidate"
			case i%20 == 3:
				name, args = "save", object{"type": "factual", "content": fmt.Sprintf("The number of the bus at stop %d is %d.", i, i*i)}
			case i%4 == 3:
				name, args = "search", object{"query": fmt.Sprint("begun ", i)}
			case i%2 == 0:
				name, args = "get", object{"ids": []string{id}, "record": true}
			default:
				name = "review"
			}
			r, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
			if err != nil || r.IsError {
				t.Errorf("%s: %v, %+v", name, err, r)
			}
		})
	}
	group.Wait()
	for i := range calls {
		if i%20 == 0 {
			_, record := a.use(t, "get", object{"ids": []string{fmt.Sprint("mem_c", i%shared)}, "record": true})
			if !strings.Contains(record, fmt.Sprintf(`"f%d": %d`, i, i)) {
				t.Errorf("the change %d is lost:\n%s", i, record)
			}
		}
	}
}
