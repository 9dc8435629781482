package mirror

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// RemoteFile says which workspace of which hub a folder follows. It is the machine's own.
const RemoteFile = "ops/remote.json"

// ErrNoRemote: the folder follows no hub.
var ErrNoRemote = errors.New("this workspace follows no hub")

// Remote is the workspace of a hub that a folder follows.
type Remote struct {
	URL       string    `json:"url"`
	Workspace string    `json:"workspace"`
	Synced    time.Time `json:"synced_at,omitzero"`  // the last time both were in step
	Away      time.Time `json:"away_since,omitzero"` // since when the hub can't be reached
	Error     string    `json:"error,omitempty"`     // why
}

// ParseRemote reads the address of a hub and the name of a workspace. A token may be sent over TLS, or within this machine.
func ParseRemote(address, ws string) (Remote, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "":
		return Remote{}, fmt.Errorf("%q is no address of a hub: write https://HOST:PORT", address)
	case u.User != nil:
		return Remote{}, errors.New("the address of a hub holds no password: \"memory login\" takes a token")
	case u.Scheme == "http" && !config.IsLoopback(u.Hostname()):
		return Remote{}, fmt.Errorf("%s: a token would go over the network in the clear: write https://", address)
	}
	if err := sqldisk.ValidName(ws); err != nil {
		return Remote{}, err
	}
	return Remote{URL: strings.TrimSuffix(u.String(), "/"), Workspace: ws}, nil
}

// ReadRemote reads what a folder follows; [ErrNoRemote] where it is nothing.
func ReadRemote(dir string) (r Remote, err error) {
	doc, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(RemoteFile)))
	if errors.Is(err, fs.ErrNotExist) {
		return r, ErrNoRemote
	}
	if err == nil {
		err = json.Unmarshal(doc, &r)
	}
	if err == nil {
		_, err = ParseRemote(r.URL, r.Workspace)
	}
	if err != nil {
		return r, fmt.Errorf("read %s: %w", RemoteFile, err)
	}
	return r, nil
}

// Write notes what a folder follows.
func (r Remote) Write(dir string) error {
	doc, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, memory.OpsDir), 0o755); err != nil {
		return err
	}
	return replace(filepath.Join(dir, filepath.FromSlash(RemoteFile)), append(doc, '\n'), 0o644)
}

// Forget has a folder follow nothing. What it holds stays; what was agreed on with the hub is forgotten.
func Forget(dir string) (err error) {
	for _, name := range []string{RemoteFile, StateFile} {
		if failed := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// replace writes a file in one step.
func replace(file string, data []byte, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".memory-new-*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// TokenFile is where the token for a remote is kept, below a person's directory of settings.
func (r Remote) TokenFile(config string) string {
	host := strings.TrimPrefix(strings.TrimPrefix(r.URL, "https://"), "http://")
	return filepath.Join(config, "memoryd", "tokens", url.PathEscape(host+"/"+r.Workspace))
}

// ErrOpenToken: others may read the file of a token.
var ErrOpenToken = errors.New("others than you may read it")

// ReadToken reads a token, which nobody else may be able to.
func ReadToken(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if os.PathSeparator == '/' && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("the token in %s: %w: chmod 600", file, ErrOpenToken)
	}
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}

// WriteToken keeps a token, for its owner alone.
func WriteToken(file, token string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return replace(file, []byte(token+"\n"), 0o600)
}
