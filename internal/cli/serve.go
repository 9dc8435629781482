package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/filechange"
	"github.com/memoryd/memoryd/internal/web"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

func serveCommand() *command {
	return &command{
		args:    "[options]",
		purpose: "serve the dashboard: review, plan, apply and undo in a browser",
		detail: `Prints a link that opens the dashboard once, within a minute. It answers to
this machine only. With --open the link is opened in a browser; where a server of
this workspace runs already, it is asked for a new link. Every change that is made
in the dashboard is a run: logged, and undoable. Ctrl-C or SIGTERM ends it, never
in the middle of a run.`,
		page:    "dashboard.md",
		example: "memory serve --open",
		flags: append(serveFlags(),
			&urfave.BoolFlag{Name: "open", Usage: "open the link in a browser"},
			&urfave.BoolFlag{Name: "log-json", Usage: "log one JSON object per line"},
		),
		textOnly: true, stays: true,
		needs: needsStore, run: runServe,
	}
}

func serveFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "addr", Usage: "serve at `ADDRESS`", DefaultText: web.DefaultAddress},
		&urfave.BoolFlag{Name: "read-only", Usage: "show everything and change nothing"},
		&urfave.StringSliceFlag{Name: "allow-host", Usage: "answer to the host `NAME` too; repeat the option for more"},
		&urfave.StringFlag{Name: "token-file", Usage: "let programs in that send a token of `FILE`, one a line"},
		&urfave.StringFlag{Name: "tls-cert", Usage: "certificate `FILE`, for an address that other machines reach"},
		&urfave.StringFlag{Name: "tls-key", Usage: "`FILE` with the key of the certificate"},
		&urfave.StringFlag{Name: "idle-exit", Usage: "end after `DURATION` without a request"},
	}
}

func runServe(c *call) error {
	note := serverNote(c.store.Dir())
	if c.flags.Bool("open") {
		if url, ok := note.ask(c.ctx); ok {
			return c.openBrowser(url, note)
		}
	}
	server, err := c.dashboard(note)
	if err != nil {
		return err
	}
	if c.flags.Bool("open") {
		err = c.openBrowser(server.URL(), note)
	} else {
		c.printf("%s\n", server.URL())
		c.say("The link works once, within a minute: \"memory serve --open\" gives another. Ctrl-C ends the server.\n")
	}
	if err == nil {
		err = c.out.Flush()
	}
	if err == nil {
		err = server.Run(c.ctx)
	}
	return errors.Join(err, note.remove())
}

// dashboard opens the server of the dashboard as the flags and settings say, and notes where it is.
func (c *call) dashboard(note serverFile) (*web.Server, error) {
	conf, err := c.settings()
	if err != nil {
		return nil, err
	}
	o := web.Options{
		Store: c.store, Meanings: &app.Embeddings{Env: c.env, Now: clock}, Settings: c.readSettings, Started: c.started, Log: c.logger(), Version: thisBuild().Version, Clock: clock,
		Address: cmp.Or(c.flags.String("addr"), conf.Serve.Addr), Hosts: append(c.flags.StringSlice("allow-host"), conf.Serve.AllowHosts...),
		Session: conf.Serve.Session.Clock(), IdleExit: conf.Serve.IdleExit.Clock(), ReadOnly: c.flags.Bool("read-only") || conf.Serve.ReadOnly,
		CertFile: c.flags.String("tls-cert"), KeyFile: c.flags.String("tls-key"),
		Now: func() time.Time {
			if c.fixed {
				return c.at
			}
			return clock().UTC().Truncate(time.Second)
		},
		Watched:    func() (*document.Watch, error) { return watched(c.store) },
		SetSetting: c.changeSetting,
		Schedule: func(ctx context.Context, snap *memory.Snapshot, would bool) (*document.Schedule, error) {
			conf, err := c.readSettings()
			if err != nil {
				return nil, err
			}
			doc, _, err := c.scheduleDocument(conf, snap, would, func(int, int) error { return ctx.Err() })
			return doc, err
		},
	}
	if c.flags.IsSet("idle-exit") {
		if o.IdleExit, err = c.duration("idle-exit", config.Minutes); err != nil {
			return nil, err
		}
	}
	if o.TLS = o.CertFile != "" && o.KeyFile != ""; !o.TLS && o.CertFile+o.KeyFile != "" {
		return nil, fail.Usagef("--tls-cert and --tls-key belong together")
	}
	if name := c.flags.String("token-file"); name != "" {
		if o.Tokens, err = readTokens(c.path(name)); err != nil {
			return nil, err
		}
	}
	public := len(o.Tokens) > 0
	secret := rand.Text()
	if o.Tokens = append(o.Tokens, secret); !public {
		o.LocalTokens = true
	}
	c.store.Note = func(text string) { o.Log.Info(text) }
	c.store.Progress = nil // it tells people of one command
	server, err := web.Listen(o)
	if errors.Is(err, web.ErrPublic) {
		return nil, &fail.Error{Err: err, Code: fail.ExitUsage}
	}
	if err != nil && c.flags.IsSet("addr") {
		return nil, fail.Address(err)
	}
	if err != nil {
		return nil, err
	}
	if err := note.write(server.Origin(), secret); err != nil {
		o.Log.Warn("\"memory serve --open\" will not find this server", "error", err)
	}
	return server, nil
}

// serveBeside serves the dashboard in the process that watches, if the flag --serve asks for it. What it returns waits for its end.
func (c *call) serveBeside(log *slog.Logger) (func() error, error) {
	if !c.flags.Bool("serve") {
		return func() error { return nil }, nil
	}
	own := *c
	own.store = nil // each has its own reading of the files
	store, err := own.open()
	if err != nil {
		return nil, err
	}
	note := serverNote(store.Dir())
	server, err := own.dashboard(note)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	log.Info("serving the dashboard: \"memory serve --open\" opens it", "origin", server.Origin())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(c.ctx) }()
	return func() error { return errors.Join(<-ended, store.Close(), note.remove()) }, nil
}

// readTokens reads the tokens in a file, one a line.
func readTokens(name string) (all []string, err error) {
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

// changeSetting is the text of memory.toml before and after a change, which is written if write is set. A schedule without a value is
// taken out.
func (c *call) changeSetting(key, value string, write bool) (before, after []byte, err error) {
	name := filepath.Join(c.store.Dir(), memory.ConfigFile)
	if before, err = filechange.Read(name); err != nil {
		return nil, nil, err
	}
	after, err = scheduleSetting(before, key, value)
	if err == nil && write && !bytes.Equal(before, after) {
		err = (&filechange.Change{File: name, Before: before, After: after}).Replace()
	}
	return before, after, err
}

// scheduleSetting is the text of a memory.toml with a setting of another value. A schedule without a value is taken out.
func scheduleSetting(before []byte, key, value string) ([]byte, error) {
	if value == "" && strings.HasPrefix(key, "schedules.") {
		return config.Unset(memory.ConfigFile, before, key)
	}
	return setSetting(before, key, value)
}

// serverFile notes where the server of a workspace is, and the secret by which this user's programs may ask it for a link.
// It lies outside the workspace, which may be shared, and only the user can read it.
type serverFile string

// serverNote is that file for a workspace; "" where the system has no place for such files.
func serverNote(dir string) serverFile {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(dir))
	return serverFile(filepath.Join(cache, "memoryd", "serve-"+hex.EncodeToString(sum[:8])+".json"))
}

type serverDoc struct {
	Origin string `json:"origin"`
	Secret string `json:"secret"`
}

func (f serverFile) write(origin, secret string) error {
	if f == "" {
		return errors.New("the system names no directory for caches")
	}
	text, err := json.Marshal(serverDoc{origin, secret})
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

func (f serverFile) remove() error {
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

// ask asks a server that runs for a link; ok is false where none answers.
func (f serverFile) ask(ctx context.Context) (url string, ok bool) {
	text, err := os.ReadFile(string(f))
	if err != nil {
		return "", false
	}
	var doc serverDoc
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
func (f serverFile) page() string { return strings.TrimSuffix(string(f), ".json") + ".html" }

// writePage writes a page that leads to a link, which only this user can read. It stays until the server ends, or the next link is
// written; the key in it is void after a minute.
func (f serverFile) writePage(link string) error {
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

// openBrowser prints a link and opens it; that it can't be opened is said, and no error. The browser is given a file that only this user
// can read, since everybody on the machine can read the arguments of a process, and the link lets in.
func (c *call) openBrowser(link string, note serverFile) error {
	c.printf("%s\n", link)
	if err := note.writePage(link); err != nil {
		c.note("no browser was started (%v): open the link yourself", err)
		return c.out.Flush()
	}
	name, args := "xdg-open", []string{note.page()}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", note.page()}
	}
	browser := exec.Command(name, args...)
	if err := browser.Start(); err != nil {
		c.note("no browser could be started (%v): open the link yourself", err)
	} else {
		go func() { _ = browser.Wait() }() // what it says is its own affair
	}
	return c.out.Flush()
}
