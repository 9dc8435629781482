package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// failure is an error of a tool with what to do about it.
type failure struct {
	what, todo string
	cause      error
}

func (f *failure) Error() string { return short(f.what, 2000) + ". " + f.todo }
func (f *failure) Unwrap() error { return f.cause }

// refuse is an error that says what is wrong, and what to do.
func refuse(todo, format string, args ...any) error {
	return &failure{what: fmt.Sprintf(format, args...), todo: todo}
}

func badScope(err error) error {
	return refuse("Write a scope such as global, team:NAME, agent:NAME or project:NAME, or leave it out.", "%v", err)
}

// todo is what can be done about an error of the packages below.
func todo(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "The request was canceled. What it had not finished was not done."
	case errors.Is(err, workspace.ErrForbidden):
		return "Whoever runs the server can grant it: ask the person."
	case errors.Is(err, workspace.ErrLocked):
		return "Another program is writing the memories: try again in a moment."
	case errors.Is(err, workspace.ErrNetwork):
		return "A person has to allow it with files.allow_network = true in memory.toml, or move the folder to a local disk."
	case errors.Is(err, workspace.ErrNotFound):
		return "search finds ids."
	case errors.Is(err, workspace.ErrAmbiguous):
		return `A person has to change one of the ids; "memory check" shows where they stand.`
	case errors.Is(err, workspace.ErrNoRun):
		return "Only the last runs can be undone: history lists them."
	case errors.Is(err, workspace.ErrPending):
		return `Nothing is lost: the next change finishes it, or "memory reindex".`
	case errors.Is(err, fs.ErrPermission):
		return "The permissions of the folder don't allow it: a person has to see to that."
	}
	return `Nothing was changed. If it stays so, "memory check" tells a person what is wrong with the folder.`
}

// explained gives any error what to do about it.
func explained(err error) error {
	var f *failure
	if err == nil || errors.As(err, &f) {
		return err
	}
	return &failure{what: err.Error(), todo: todo(err), cause: err}
}

// coded gives an error of a request that calls no tool its code in the protocol: it was
// asked wrongly, or something failed here.
func coded(err error) error {
	code := int64(jsonrpc.CodeInternalError)
	if f := (*failure)(nil); errors.As(err, &f) && f.cause == nil {
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

// nearID is the id most like one that no memory has; "" for none much like it.
func nearID(snap *memory.Snapshot, id string) string {
	ids := snap.IDs()
	if len(ids) > 20_000 { // comparing takes some 10 µs each
		ids = slices.DeleteFunc(ids, func(other string) bool {
			return len(other) != len(id) || other[:min(4, len(id))] != id[:min(4, len(id))]
		})
	}
	return app.Closest(id, ids)
}
