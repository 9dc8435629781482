package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
)

// client talks to an MCP server over its standard input and output.
type client struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

func startMCP(cmd *exec.Cmd) (*client, error) {
	c := &client{cmd: cmd}
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, 1<<20)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_, err = c.call("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "peers", "version": "1"},
	})
	if err == nil {
		err = c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	return c, err
}

func (c *client) send(message any) error {
	text, err := json.Marshal(message)
	if err == nil {
		_, err = c.in.Write(append(text, '\n'))
	}
	return err
}

func (c *client) call(method string, params any) (json.RawMessage, error) {
	c.id++
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		var answer struct {
			ID     *int            `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, fmt.Errorf("%s: %w: %.200s", method, err, line)
		}
		if answer.ID == nil || *answer.ID != c.id {
			continue // a notification
		}
		if answer.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, answer.Error)
		}
		return answer.Result, nil
	}
}

// tool calls a tool and returns all that it said.
func (c *client) tool(name string, arguments any) (string, error) {
	result, err := c.call("tools/call", map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return "", err
	}
	var said struct {
		IsError bool `json:"isError"`
	}
	if err := json.Unmarshal(result, &said); err != nil {
		return "", err
	}
	if said.IsError {
		return "", fmt.Errorf("%s: %.500s", name, result)
	}
	return string(result), nil
}

func (c *client) close() error {
	if err := c.in.Close(); err != nil {
		return err
	}
	return c.cmd.Wait()
}
