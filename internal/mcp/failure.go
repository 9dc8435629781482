package mcp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
)

// failure is an error of a tool with what to do about it.
type failure struct {
	what, todo string
	cause      error
}

func (f *failure) Error() string { return document.Short(f.what, 2000) + ". " + f.todo }
func (f *failure) Unwrap() error { return f.cause }

// refuse is an error that says what is wrong, and what to do.
func refuse(todo, format string, args ...any) error {
	return &failure{what: fmt.Sprintf(format, args...), todo: todo}
}

func badScope(err error) error {
	return refuse("Write a scope such as global, team:NAME, agent:NAME or project:NAME, or leave it out.", "%v", err)
}

// explained gives any error what to do about it.
func explained(err error) error {
	var f *failure
	if err == nil || errors.As(err, &f) {
		return err
	}
	return &failure{what: err.Error(), todo: fail.Agent(err), cause: err}
}

// coded gives an error of a request that calls no tool its code in the protocol: it was
// asked wrongly, or something failed here.
func coded(err error) error {
	code := int64(jsonrpc.CodeInternalError)
	if f := (*failure)(nil); errors.As(err, &f) && f.cause == nil || fail.Code(err) == fail.ExitUsage {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: explained(err).Error()}
}

// sendable writes what an error says of an address as JSON. The library writes it as a
// string of Go, by which an address with a control character ended the session.
func sendable(err error, req sdk.Request) error {
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || len(wire.Data) == 0 || json.Valid(wire.Data) {
		return err
	}
	told := *wire
	told.Data = nil
	if read, ok := req.(*sdk.ReadResourceRequest); ok {
		if data, err := json.Marshal(map[string]string{"uri": read.Params.URI}); err == nil {
			told.Data = data
		}
	}
	return &told
}
