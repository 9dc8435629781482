package online

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/memoryd/memoryd/pkg/config"
)

// Hub is a workspace of a hub.
type Hub struct {
	URL       string `json:"url"` // such as https://hub.example:7421
	Workspace string `json:"workspace"`
}

// ParseHub reads the address of a hub and the name of a workspace. A token may be sent over TLS, or within this machine.
func ParseHub(address, ws string) (Hub, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "":
		return Hub{}, fmt.Errorf("%q is not the address of a hub: write https://HOST:PORT", address)
	case u.User != nil:
		return Hub{}, errors.New("the address of a hub has no user or password: give the token by the standard input or --token-file")
	case u.Scheme == "http" && !config.IsLoopback(u.Hostname()):
		return Hub{}, fmt.Errorf("%s: the token would go over the network unencrypted: write https://", address)
	case ws == "" || strings.ContainsAny(ws, `/\`) || ws == "." || ws == "..":
		return Hub{}, fmt.Errorf("%q is not the name of a workspace", ws)
	}
	return Hub{URL: strings.TrimSuffix(u.String(), "/"), Workspace: ws}, nil
}

func (h Hub) String() string { return fmt.Sprintf("%s at %s", h.Workspace, h.URL) }

// at is an address of the hub: kind is mcp or hook.
func (h Hub) at(kind string, more ...string) string {
	address := h.URL + "/" + kind + "/" + url.PathEscape(h.Workspace)
	for _, part := range more {
		address += "/" + url.PathEscape(part)
	}
	return address
}

// TokenFile is where the token is kept, below a directory of settings.
func (h Hub) TokenFile(settings string) string {
	host := strings.TrimPrefix(strings.TrimPrefix(h.URL, "https://"), "http://")
	return filepath.Join(settings, "memoryd", "tokens", url.QueryEscape(host+"/"+h.Workspace)) // Windows takes no colon
}
