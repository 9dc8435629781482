package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/online"
)

// askHub has a hub answer a request that needs the workspace.
func askHub(ctx context.Context, client *online.Client, method string, req sdk.Request) (sdk.Result, error) {
	raw, err := client.Call(ctx, method, req.GetParams())
	if call := (*online.CallError)(nil); errors.As(err, &call) {
		return nil, &jsonrpc.Error{Code: call.Code, Message: call.Message}
	}
	if err != nil {
		return nil, away(err)
	}
	var result sdk.Result
	switch method {
	case "tools/call":
		called := &sdk.CallToolResult{}
		if err = json.Unmarshal(raw, called); called.StructuredContent != nil {
			called.StructuredContent = json.RawMessage(gjson.GetBytes(raw, "structuredContent").Raw) // as it was written
		}
		result = called
	case "resources/read":
		result = &sdk.ReadResourceResult{}
		err = json.Unmarshal(raw, result)
	default:
		result = &sdk.CompleteResult{}
		err = json.Unmarshal(raw, result)
	}
	if err != nil {
		return nil, away(&online.Error{Hub: client.Hub, Err: fmt.Errorf("%w: %w", online.ErrAnswer, err)})
	}
	return result, nil
}

// away says what to do while a hub gives no answer.
func away(err error) error {
	todo := `It may have done what was asked: search before you save again. "memory status" tells a person whether it answers.`
	switch {
	case errors.Is(err, context.Canceled):
		todo = "The request was given up."
	case errors.Is(err, online.ErrToken), errors.Is(err, online.ErrNoToken):
		todo = `Nothing was done, and nothing is kept here for later. A person gives it a token: "memory login URL WORKSPACE".`
	case errors.Is(err, online.ErrRefused), errors.Is(err, online.ErrAnswer):
		todo = `Tell the person: "memory status" shows which address is asked.`
	case errors.Is(err, online.ErrUnsent):
		todo = `Nothing was done, and nothing is kept here for later: try again once it answers, and tell the person. "memory status" shows whether it does.`
	}
	return &failure{what: err.Error(), todo: todo, cause: err}
}
