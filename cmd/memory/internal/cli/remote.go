package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/cmd/memory/internal/mirror"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"

	urfave "github.com/urfave/cli/v2"
)

// tokenVariable is the environment's token for a hub, in place of the kept one.
const tokenVariable = "MEMORY_HUB_TOKEN"

func remoteCommand() *command {
	return &command{
		args:    "[add URL WORKSPACE|remove] [--machine NAME]",
		purpose: "say which workspace of a hub this one follows",
		detail: `Makes this workspace a mirror of one that "memory hub" serves: "memory sync"
brings both in step, and everything works while the hub is away. It is noted in
ops/remote.json, which is this machine's own. "remote remove" ends that and
leaves the memories where they are. Without arguments it tells what is followed.
"memory login" comes next.`,
		page:    "teams.md",
		example: "memory remote add https://hub.example:7421 acme",
		flags:   []urfave.Flag{machineFlag()},
		most:    3, needs: needsStore, run: runRemote, words: func(*call) []string { return []string{"add", "remove"} },
	}
}

func runRemote(c *call) error {
	what := strings.Join(c.args[:min(1, len(c.args))], "")
	switch {
	case what == "add" && len(c.args) == 3:
		r, err := mirror.ParseRemote(c.args[1], c.args[2])
		if err != nil {
			return usagef("remote add: %w", err)
		}
		old, err := mirror.ReadRemote(c.store.Dir())
		if err == nil && (old.URL != r.URL || old.Workspace != r.Workspace) {
			return withHint(failf(exitProblems, "this workspace follows %s of %s already", old.Workspace, old.URL), "\"memory remote remove\" ends that; what is here stays")
		}
		if err == nil {
			r = old
		}
		if err := c.nameMachine(); err != nil {
			return err
		}
		if err := r.Write(c.store.Dir()); err != nil {
			return err
		}
		return c.tellRemote(r)
	case what == "remove" && len(c.args) == 1:
		if _, err := mirror.ReadRemote(c.store.Dir()); errors.Is(err, mirror.ErrNoRemote) {
			return failf(exitNotFound, "%w", err)
		}
		return mirror.Forget(c.store.Dir())
	case len(c.args) == 0:
		r, err := c.remote()
		if err != nil {
			return err
		}
		return c.tellRemote(r)
	}
	return withHint(usagef("remote %s", quoteAll(c.args)), "write: remote add URL WORKSPACE, remote remove, or nothing to look")
}

// remote is what this workspace follows.
func (c *call) remote() (mirror.Remote, error) {
	store, err := c.open()
	if err != nil {
		return mirror.Remote{}, err
	}
	r, err := mirror.ReadRemote(store.Dir())
	if errors.Is(err, mirror.ErrNoRemote) {
		return r, withHint(failf(exitNotFound, "%w", err), "memory remote add URL WORKSPACE")
	}
	return r, err
}

func (c *call) tellRemote(r mirror.Remote) error {
	if c.json {
		return c.printJSON(r)
	}
	c.printf("%s\n", remoteText(r))
	return nil
}

// remoteText says which hub is followed, and how far.
func remoteText(r mirror.Remote) string {
	text := fmt.Sprintf("%s of %s", r.Workspace, r.URL)
	switch {
	case !r.Away.IsZero():
		return text + ", away since " + timestamp.Format(r.Away)
	case !r.Synced.IsZero():
		return text + ", in step as of " + timestamp.Format(r.Synced)
	}
	return text + ", not synced yet"
}

func loginCommand() *command {
	return &command{
		args:    "[--token-file F]",
		purpose: "keep the token for the hub that this workspace follows",
		detail: `Reads a token of "memory hub token add" from the standard input, or from a file,
and keeps it below your directory of settings, where only you can read it; never
in the workspace. A hub that can be reached is asked whether it takes the token.
MEMORY_HUB_TOKEN in the environment goes before a kept one.`,
		example: "memory login --token-file token.txt",
		flags:   []urfave.Flag{&urfave.StringFlag{Name: "token-file", Usage: "read the token from `F`"}},
		run:     runLogin,
	}
}

func runLogin(c *call) error {
	r, err := c.remote()
	if err != nil {
		return err
	}
	var text []byte
	if file := c.flags.String("token-file"); file != "" {
		text, err = os.ReadFile(c.path(file))
	} else {
		text, err = c.readStdin()
	}
	if err != nil {
		return err
	}
	token, ok := oneWord(string(text))
	if !ok {
		return withHint(usagef("that is no token: one word is expected"), "memory hub token add WORKSPACE WHO | memory login")
	}
	file, err := c.tokenFile(r)
	if err != nil {
		return err
	}
	page, err := c.hub(r, token).Page(c.ctx, mirror.Cursor{})
	if err != nil && !errors.Is(err, mirror.ErrAway) {
		return withHint(err, "nothing was kept: \"memory hub token list\" on the hub shows which there are")
	}
	if err := mirror.WriteToken(file, token); err != nil {
		return fmt.Errorf("keep the token: %w", err)
	}
	if err != nil {
		c.note("%v: the token is kept, and not tried", err)
	}
	if c.json {
		return c.printJSON(struct {
			Principal string `json:"principal,omitempty"`
			File      string `json:"file"`
		}{page.Principal, file})
	}
	if err == nil {
		c.say("%s knows you as %s\n", r.URL, printable(page.Principal))
	}
	c.say("kept in %s\n", c.brief(file))
	return nil
}

// tokenFile is where the token of a hub is kept.
func (c *call) tokenFile(r mirror.Remote) (string, error) {
	dir := c.env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // which counts as none
		home := or(c.env("HOME"), c.env("USERPROFILE"))
		if home == "" {
			return "", withHint(errors.New("the environment names no home directory to keep a token in"), "set "+tokenVariable)
		}
		dir = filepath.Join(home, ".config")
	}
	return r.TokenFile(dir), nil
}

// oneWord is a token without the blanks and line ends around it; not ok where none or more than one word is left.
func oneWord(text string) (token string, ok bool) {
	words := strings.Fields(text)
	if len(words) != 1 {
		return "", false
	}
	return words[0], true
}

// token is that of the environment, or the kept one.
func (c *call) token(r mirror.Remote) (string, error) {
	if text := c.env(tokenVariable); text != "" {
		token, ok := oneWord(text)
		if !ok {
			return "", usagef("%s holds no token: one word is expected", tokenVariable)
		}
		return token, nil
	}
	file, err := c.tokenFile(r)
	if err != nil {
		return "", err
	}
	token, err := mirror.ReadToken(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", withHint(failf(exitError, "there is no token for %s", r.URL), "\"memory login\" takes one, or set "+tokenVariable)
	}
	return token, err
}

// hubPatience bounds one request to a hub.
const hubPatience = 2 * time.Minute

func (c *call) hub(r mirror.Remote, token string) *mirror.Hub {
	return &mirror.Hub{URL: r.URL, Workspace: r.Workspace, Token: token, Client: &http.Client{
		Timeout: hubPatience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the token goes nowhere else
	}}
}

// syncHub brings the workspace in step with the hub that it follows.
func (c *call) syncHub(r mirror.Remote) error {
	dry := c.flags.Bool("dry-run")
	token, err := c.token(r)
	if err != nil {
		return err
	}
	if !dry {
		if err := c.nameMachine(); err != nil {
			return err
		}
	}
	secrets, err := c.secretKinds()
	if err != nil {
		return err
	}
	m := &mirror.Mirror{
		Store: c.store, Hub: c.hub(r, token), Now: clock, Secrets: secrets, DryRun: dry,
		Fresh: func(name string, text []byte) bool {
			return name == memory.ConfigFile && slices.ContainsFunc(config.Presets(), func(preset string) bool { return string(config.Template(preset)) == string(text) })
		},
		Settle: func() error { return c.settleIncoming(nil) },
	}
	out, err := m.Sync(c.ctx)
	if !dry {
		if failed := c.noteSync(r, err); err == nil {
			err = failed
		}
		if err == nil {
			err = c.logHubSync(out)
		}
	}
	switch {
	case errors.Is(err, mirror.ErrAway):
		return withHint(err, "everything works meanwhile; the next sync goes on from here")
	case errors.Is(err, mirror.ErrToken):
		return withHint(err, "\"memory login\" takes another one")
	case err != nil:
		return err
	case c.json:
		return c.printJSON(out)
	}
	c.tellHubSync(out)
	return withheld(out.Synced)
}

// noteSync notes when both were in step, or since when the hub is away.
func (c *call) noteSync(r mirror.Remote, err error) error {
	now := c.at
	switch {
	case err == nil:
		r.Synced, r.Away, r.Error = now, time.Time{}, ""
	case errors.Is(err, mirror.ErrAway):
		if r.Error = err.Error(); r.Away.IsZero() {
			r.Away = now
		}
	default:
		return nil
	}
	return r.Write(c.store.Dir())
}

// logHubSync makes a sync a run in the log, where more than logs has come or gone.
func (c *call) logHubSync(out *mirror.Outcome) error {
	sent, received := len(withoutOps(out.Sent)), len(withoutOps(out.Received))
	if sent+received == 0 {
		return nil
	}
	snap, err := c.store.Load(c.at)
	if err != nil {
		return err
	}
	_, err = app.CommitSync(c.ctx, c.store, snap, c.started(), synced("%s sent, %s received", quantity(sent, "file"), quantity(received, "file")))
	return err
}

// withoutOps are the documents that are not below ops/, where each sync changes logs.
func withoutOps(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.HasPrefix(name, memory.OpsDir+"/") })
}

func (c *call) tellHubSync(out *mirror.Outcome) {
	received, sent := "received", "sent"
	if out.DryRun {
		received, sent = "to receive", "to send"
	}
	if out.DryRun || c.verbose {
		for _, side := range []struct {
			names []string
			verb  string
		}{{out.Received, received}, {out.Sent, sent}} {
			for _, name := range withoutOps(side.names) {
				c.printf("  %s: %s\n", side.verb, printable(name))
			}
		}
	}
	c.say("%s %s, %s %s\n", quantity(len(withoutOps(out.Received)), "file"), received, quantity(len(withoutOps(out.Sent)), "file"), sent)
	if len(out.Merged) > 0 {
		c.say("changed on both sides and merged: %s\n", printable(app.First(out.Merged, 5)))
	}
	if out.Conflicts > 0 {
		c.say("%s noted: see \"memory review\"\n", quantity(out.Conflicts, "conflict"))
	}
	if len(out.Replaced) > 0 {
		c.note("these can't be merged: the hub's stands, and yours is kept in %s/sync: %s", workspace.ConflictsDir, app.First(out.Replaced, 5))
	}
	for _, name := range slices.Sorted(maps.Keys(out.Refused)) {
		c.note("not sent: %s: %s", name, out.Refused[name])
	}
	if out.ClockOff != 0 {
		c.note("the clocks of this machine and the hub differ by %s: which of two changes is the newer one goes by them", out.ClockOff.Abs())
	}
}
