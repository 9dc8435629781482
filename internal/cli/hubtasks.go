package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hub"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

func hubMigrate(c *call, db *sqldisk.DB, _ []string) error {
	m, err := db.Migrate(c.ctx, sqldisk.MigrateOptions{Partitions: c.flags.Int("partitions"), Login: c.flags.String("login")})
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(struct {
			From int `json:"from"`
			To   int `json:"to"`
		}{m.From, m.To})
	}
	if m.From == m.To {
		c.printf("the tables are of version %d already\n", m.To)
	} else {
		c.printf("the tables went from version %d to %d\n", m.From, m.To)
	}
	return nil
}

func hubWorkspace(c *call, db *sqldisk.DB, args []string) error {
	switch what, n := args[0], len(args); {
	case what == "list" && n == 1:
		return c.listHub(db)
	case what == "add" && n >= 2:
		return c.addToHub(db, args[1], args[2:])
	case what == "export" && n == 3:
		return c.exportFromHub(db, args[1], c.path(args[2]))
	}
	return fail.WithHint(fail.Usagef("workspace %s", term.QuoteAll(args)), "write: workspace list, workspace add NAME [DIR], or workspace export NAME DIR")
}

// hubWorkspaceRow is a workspace in "hub workspace list --json".
type hubWorkspaceRow struct {
	Name         string           `json:"name"`
	Organisation string           `json:"organisation,omitempty"`
	Revision     int64            `json:"revision"`
	Documents    int              `json:"documents"`
	Bytes        int64            `json:"bytes"`
	Planned      []hubPlannedSlot `json:"planned"`
}

type hubPlannedSlot struct {
	Schedule string `json:"schedule"`
	At       string `json:"at"`
	Failures int    `json:"failures,omitempty"`
	Error    string `json:"error,omitempty"` // of the last run that failed
}

func (c *call) listHub(db *sqldisk.DB) error {
	all, err := db.Workspaces(c.ctx)
	if err != nil {
		return err
	}
	rows := []hubWorkspaceRow{}
	for _, w := range all {
		if w, err = db.Stat(c.ctx, w.Name); err != nil {
			return err
		}
		planned, err := db.Planned(c.ctx, w.Name)
		if err != nil {
			return err
		}
		row := hubWorkspaceRow{w.Name, w.Organisation, w.Revision, w.Documents, w.Bytes, []hubPlannedSlot{}}
		for _, p := range planned {
			row.Planned = append(row.Planned, hubPlannedSlot{p.Schedule, timestamp.Format(p.At), p.Failures, p.Error})
		}
		rows = append(rows, row)
	}
	if c.json {
		return c.printJSON(struct {
			Workspaces []hubWorkspaceRow `json:"workspaces"`
		}{rows})
	}
	t := &term.Table{Head: []string{"WORKSPACE", "DOCUMENTS", "BYTES", "REVISION", "NEXT RUN", "LAST ERROR"}, Cut: true}
	for _, r := range rows {
		next, failed := "-", "-"
		if len(r.Planned) > 0 {
			next = r.Planned[0].At
		}
		for _, p := range r.Planned {
			failed = or(p.Error, failed)
		}
		t.Row(r.Name, strconv.Itoa(r.Documents), strconv.FormatInt(r.Bytes, 10), strconv.FormatInt(r.Revision, 10), next, term.Printable(failed))
	}
	c.printf("%s", t.Format("", c.style))
	return nil
}

// addToHub makes a workspace, with the files of a directory if one is given.
func (c *call) addToHub(db *sqldisk.DB, name string, dirs []string) error {
	files := map[string][]byte{}
	for _, dir := range dirs {
		root := os.DirFS(c.path(dir))
		err := fs.WalkDir(root, ".", func(file string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || !sqldisk.Stored(file) {
				return err
			}
			files[file], err = fs.ReadFile(root, file)
			return err
		})
		if err != nil {
			return fmt.Errorf("read the files of %s: %w", dir, err)
		}
	}
	conf, err := config.Parse(memory.ConfigFile, files[memory.ConfigFile])
	if err == nil {
		err = db.Create(c.ctx, name, c.flags.String("organisation"), clock())
	}
	if err == nil && len(files) > 0 {
		err = db.Import(c.ctx, name, files)
	}
	if err == nil {
		err = hub.PlanAll(c.ctx, db, name, conf.Settings, clock())
	}
	if errors.Is(err, sqldisk.ErrExists) {
		return fail.WithHint(err, "choose another name; \"memory hub workspace list\" shows them")
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(struct {
			Workspace string `json:"workspace"`
			Documents int    `json:"documents"`
		}{name, len(files)})
	}
	c.printf("workspace %s: %s\n", name, quantity(len(files), "document"))
	return nil
}

// exportFromHub writes the documents of a workspace into a new directory.
func (c *call) exportFromHub(db *sqldisk.DB, name, dir string) error {
	revision, docs, err := db.Since(c.ctx, name, 0)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("export %s: %w", name, err)
	}
	written := 0
	for _, d := range docs {
		if d.Removed() {
			continue
		}
		if !filepath.IsLocal(filepath.FromSlash(d.Path)) {
			return fmt.Errorf("export %s: %q is no path in a directory", name, d.Path)
		}
		file := filepath.Join(dir, filepath.FromSlash(d.Path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, d.Bytes, 0o644); err != nil {
			return err
		}
		written++
	}
	if c.json {
		return c.printJSON(struct {
			Workspace string `json:"workspace"`
			Revision  int64  `json:"revision"`
			Documents int    `json:"documents"`
		}{name, revision, written})
	}
	c.printf("%s: %s as of revision %d; \"memory reindex\" makes the indexes\n", name, quantity(written, "document"), revision)
	return nil
}

// hubCheck looks for problems in a workspace; it changes nothing.
func hubCheck(c *call, db *sqldisk.DB, args []string) error {
	d, err := db.Disk(c.ctx, args[0])
	if err != nil {
		return err
	}
	store := workspace.OpenOn(d)
	if err := d.Locally(func() error { _, err := store.Reindex(c.ctx, clock()); return err }); err != nil {
		return err
	}
	snap, err := store.Load(clock())
	if err != nil {
		return err
	}
	problems, err := app.CheckAll(store, snap)
	if err != nil {
		return err
	}
	return c.printCheck(snap, document.Check{Problems: problems})
}

func hubGrant(c *call, db *sqldisk.DB, args []string) error {
	g := sqldisk.Grant{Access: sqldisk.Access(args[2]), Scope: args[3]}
	if err := g.Check(); err != nil {
		return fail.Usagef("grant: %w", err)
	}
	if err := db.Grant(c.ctx, args[0], args[1], clock(), g); err != nil {
		return err
	}
	return c.printGrants(db, args[0])
}

// printGrants tells who may do what in a workspace.
func (c *call) printGrants(db *sqldisk.DB, ws string) error {
	all, err := db.Principals(c.ctx, ws)
	if err != nil {
		return err
	}
	type row struct {
		Principal string   `json:"principal"`
		Grants    []string `json:"grants"`
	}
	rows := []row{}
	for _, p := range all {
		r := row{p.Name, []string{}}
		for _, g := range p.Grants {
			r.Grants = append(r.Grants, string(g.Access)+" "+g.Scope)
		}
		rows = append(rows, r)
	}
	if c.json {
		return c.printJSON(struct {
			Principals []row `json:"principals"`
		}{rows})
	}
	for _, r := range rows {
		c.printf("%s: %s\n", r.Principal, or(strings.Join(r.Grants, ", "), "nothing"))
	}
	return nil
}

func hubRevoke(c *call, db *sqldisk.DB, args []string) error {
	var grants []sqldisk.Grant
	switch len(args) {
	case 3:
		return fail.WithHint(fail.Usagef("revoke: no scope"), "write: revoke WORKSPACE WHO ACCESS SCOPE")
	case 4:
		grants = append(grants, sqldisk.Grant{Access: sqldisk.Access(args[2]), Scope: args[3]})
	}
	n, err := db.Revoke(c.ctx, args[0], args[1], grants...)
	if err != nil {
		return err
	}
	if n == 0 {
		return fail.Errorf(fail.ExitNotFound, "%s has no such grant in %s", args[1], args[0])
	}
	return c.printGrants(db, args[0])
}

func hubToken(c *call, db *sqldisk.DB, args []string) error {
	switch what, n := args[0], len(args); {
	case what == "add" && n == 3:
		return c.addToken(db, args[1], args[2])
	case what == "list" && n == 2:
		return c.listTokens(db, args[1])
	case what == "revoke" && n == 3:
		found, err := db.RevokeToken(c.ctx, args[1], args[2])
		if err == nil && !found {
			err = fail.Errorf(fail.ExitNotFound, "no token %s in %s", args[2], args[1])
		}
		return err
	}
	return fail.WithHint(fail.Usagef("token %s", term.QuoteAll(args)), "write: token add WORKSPACE WHO, token list WORKSPACE, or token revoke WORKSPACE ID")
}

func (c *call) addToken(db *sqldisk.DB, ws, who string) error {
	holds, err := c.duration("expires", config.Days)
	if err != nil {
		return err
	}
	now := clock()
	token, err := db.NewToken(c.ctx, ws, who, c.flags.String("label"), now, now.Add(holds))
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(struct {
			Token   string `json:"token"`
			Expires string `json:"expires"`
		}{token, timestamp.Format(now.Add(holds))})
	}
	c.printf("%s\n", token)
	c.say("It is shown this once, and expires %s.\n", c.when(now.Add(holds)))
	return nil
}

func (c *call) listTokens(db *sqldisk.DB, ws string) error {
	all, err := db.Tokens(c.ctx, ws)
	if err != nil {
		return err
	}
	type row struct {
		ID        string    `json:"id"`
		Principal string    `json:"principal"`
		Label     string    `json:"label,omitempty"`
		Created   time.Time `json:"created_at"`
		Expires   time.Time `json:"expires_at"`
	}
	rows := []row{}
	t := &term.Table{Head: []string{"ID", "WHO", "EXPIRES", "LABEL"}, Cut: true}
	for _, k := range all {
		rows = append(rows, row(k))
		t.Row(k.ID, k.Principal, c.when(k.Expires), term.Printable(or(k.Label, "-")))
	}
	if c.json {
		return c.printJSON(struct {
			Tokens []row `json:"tokens"`
		}{rows})
	}
	c.printf("%s", t.Format("", c.style))
	return nil
}
