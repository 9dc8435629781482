// Package serving finds the dashboard's server that runs for a workspace, and opens it in a browser.
package serving

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/fail"
)

// Note says where the server of a workspace is, and the secret by which this user's programs may ask it for a link.
// It lies outside the workspace, which may be shared, and only the user can read it.
type Note string

// NoteOf is that file for a workspace; "" where the system has no place for such files.
func NoteOf(dir string) Note {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(dir))
	return Note(filepath.Join(cache, "memoryd", "serve-"+hex.EncodeToString(sum[:8])+".json"))
}

type server struct {
	Origin string `json:"origin"`
	Secret string `json:"secret"`
}

// Write notes where the server is.
func (f Note) Write(origin, secret string) error {
	if f == "" {
		return errors.New("the system names no directory for caches")
	}
	text, err := json.Marshal(server{origin, secret})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(string(f)), 0o700)
	}
	if err == nil {
		err = os.Remove(string(f))
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.WriteFile(string(f), text, 0o600)
	}
	return err
}

// Remove removes the note, and the page that leads to the server.
func (f Note) Remove() error {
	if f == "" {
		return nil
	}
	for _, name := range []string{string(f), f.page()} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Ask asks a server that runs for a link; ok is false where none answers.
func (f Note) Ask(ctx context.Context) (url string, ok bool) {
	text, err := os.ReadFile(string(f))
	if err != nil {
		return "", false
	}
	var doc server
	if json.Unmarshal(text, &doc) != nil {
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, doc.Origin+"/api/v1/key", nil)
	if err != nil {
		return "", false
	}
	request.Header.Set("Authorization", "Bearer "+doc.Secret)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", false
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	var link struct {
		URL string `json:"url"`
	}
	if err != nil || answer.StatusCode != http.StatusOK || json.Unmarshal(body, &link) != nil {
		return "", false
	}
	return link.URL, link.URL != ""
}

// page is the file that leads a browser to the server.
func (f Note) page() string { return strings.TrimSuffix(string(f), ".json") + ".html" }

// writePage writes a page that leads to a link, which only this user can read. It stays until the server ends, or the next link is
// written; the key in it is void after a minute.
func (f Note) writePage(link string) error {
	if f == "" {
		return errors.New("the system names no directory for caches")
	}
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return err
	}
	if err := os.Remove(f.page()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(f.page(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	link = html.EscapeString(link)
	_, err = fmt.Fprintf(file, `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>memory</title>
<meta http-equiv="refresh" content="0; url=%s">
<a href="%s">Open the dashboard</a>
`, link, link)
	return errors.Join(err, file.Close())
}

// Open opens a link in a browser. The browser is given a file that only this user can read, since everybody on the machine can read the
// arguments of a process, and the link lets in.
func (f Note) Open(link string) error {
	if err := f.writePage(link); err != nil {
		return fmt.Errorf("no browser was started (%w)", err)
	}
	name, args := "xdg-open", []string{f.page()}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", f.page()}
	}
	browser := exec.Command(name, args...)
	if err := browser.Start(); err != nil {
		return fmt.Errorf("no browser could be started (%w)", err)
	}
	go func() { _ = browser.Wait() }() // what it says is its own affair
	return nil
}

// ReadTokens reads the tokens in a file, one a line.
func ReadTokens(name string) (all []string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fail.File("--token-file", err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			if len(line) < 16 {
				return nil, fail.Usagef("--token-file: a token in %s has fewer than 16 characters", name)
			}
			all = append(all, line)
		}
	}
	if len(all) == 0 {
		return nil, fail.Usagef("--token-file: %s holds no token", name)
	}
	return all, nil
}
