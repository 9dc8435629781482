package mcp

import (
	"context"
	"errors"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// The address of a memory is scheme and its id, with what an address doesn't take
// written as %XX.
const scheme = "memory://"

func addResources(s *sdk.Server, r *room) {
	s.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "memory", Title: "A memory", URITemplate: scheme + "{id}", MIMEType: "text/plain",
		Description: "A memory by its id, as get tells it: what it is, then its text. A long one is cut.",
	}, r.resource)
}

func (r *room) resource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	id, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, scheme))
	if err != nil {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	_, text, err := r.get(ctx, getArgs{IDs: []string{id}})
	if errors.Is(err, workspace.ErrNotFound) {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		return nil, coded(err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain", Text: text}}}, nil
}

// complete completes the id in the address of a memory, and the scope of a prompt.
func (r *room) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	result := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	snap, err := r.view(ctx)
	if err != nil {
		return nil, coded(err)
	}
	var all []string
	switch arg := req.Params.Argument; arg.Name {
	case "id":
		all = snap.IDs()
	case "scope":
		all = scopes(snap)
	}
	const most = 100 // of the protocol
	for _, word := range all {
		if !strings.HasPrefix(word, req.Params.Argument.Value) {
			continue
		}
		if result.Completion.Total++; len(result.Completion.Values) < most {
			result.Completion.Values = append(result.Completion.Values, word)
		}
	}
	result.Completion.HasMore = result.Completion.Total > most
	return result, nil
}
