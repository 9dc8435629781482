package hubcli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/cli"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hub"
	"github.com/memoryd/memoryd/internal/op/repair"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

func migrate(c *cli.Context, db *sqldisk.DB) error {
	m, err := db.Migrate(c.Ctx(), sqldisk.MigrateOptions{Partitions: c.Flags().Int("partitions"), Login: c.Flags().String("login")})
	if err != nil {
		return err
	}
	if c.JSON() {
		return c.PrintJSON(struct {
			From int `json:"from"`
			To   int `json:"to"`
		}{m.From, m.To})
	}
	if m.From == m.To {
		c.Printf("the tables are of version %d already\n", m.To)
	} else {
		c.Printf("the tables went from version %d to %d\n", m.From, m.To)
	}
	return nil
}

func workspaceCommand(c *cli.Context) error {
	args, what := c.Args(), ready
	var run func(*cli.Context, *sqldisk.DB) error
	switch verb, n := args[0], len(args)-1; {
	case verb == "list" && n == 0:
		run = list
	case verb == "add" && n > 0:
		what, run = adds, func(c *cli.Context, db *sqldisk.DB) error { return add(c, db, args[1], args[2:]) }
	case verb == "check" && n == 1:
		run = func(c *cli.Context, db *sqldisk.DB) error { return check(c, db, args[1]) }
	case verb == "failed" && n < 2:
		run = func(c *cli.Context, db *sqldisk.DB) error { return failed(c, db, args[1:]) }
	case verb == "export" && n == 2:
		run = func(c *cli.Context, db *sqldisk.DB) error { return export(c, db, args[1], c.Path(args[2])) }
	case slices.Contains([]string{"list", "add", "check", "failed", "export"}, verb):
		return fail.WithHint(fail.Usagef("workspace %s: %s", verb, app.Quantity(n, "argument")), "\"memory-hub help workspace\" shows what it takes")
	default:
		return cli.UnknownWord(verb, "add", "check", "export", "failed", "list")
	}
	return onDatabase(what, run)(c)
}

// workspaceRow is a workspace in "hub workspace list --json".
type workspaceRow struct {
	Name         string        `json:"name"`
	Organisation string        `json:"organisation,omitempty"`
	Revision     int64         `json:"revision"`
	Documents    int           `json:"documents"`
	Bytes        int64         `json:"bytes"`
	Planned      []plannedSlot `json:"planned"`
}

type plannedSlot struct {
	Schedule string `json:"schedule"`
	At       string `json:"at"`
	Failures int    `json:"failures,omitempty"`
	Error    string `json:"error,omitempty"` // of the last run that failed
}

func list(c *cli.Context, db *sqldisk.DB) error {
	all, err := db.Workspaces(c.Ctx())
	if err != nil {
		return err
	}
	rows := []workspaceRow{}
	for _, w := range all {
		if w, err = db.Stat(c.Ctx(), w.Name); err != nil {
			return err
		}
		planned, err := db.Planned(c.Ctx(), w.Name)
		if err != nil {
			return err
		}
		row := workspaceRow{w.Name, w.Organisation, w.Revision, w.Documents, w.Bytes, []plannedSlot{}}
		for _, p := range planned {
			row.Planned = append(row.Planned, plannedSlot{p.Schedule, timestamp.Format(p.At), p.Failures, p.Error})
		}
		rows = append(rows, row)
	}
	if c.JSON() {
		return c.PrintJSON(struct {
			Workspaces []workspaceRow `json:"workspaces"`
		}{rows})
	}
	t := &term.Table{Head: []string{"WORKSPACE", "DOCUMENTS", "BYTES", "REVISION", "NEXT RUN", "LAST ERROR"}, Cut: true}
	for _, r := range rows {
		next, failed := "-", "-"
		if len(r.Planned) > 0 {
			next = r.Planned[0].At
		}
		for _, p := range r.Planned {
			failed = cmp.Or(p.Error, failed)
		}
		t.Row(r.Name, strconv.Itoa(r.Documents), strconv.FormatInt(r.Bytes, 10), strconv.FormatInt(r.Revision, 10), next, term.Printable(failed))
	}
	c.PrintTable(t)
	return nil
}

// add makes a workspace, with the files of a directory if one is given.
func add(c *cli.Context, db *sqldisk.DB, name string, dirs []string) error {
	files := map[string][]byte{}
	for _, dir := range dirs {
		root := os.DirFS(c.Path(dir))
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
		err = db.Create(c.Ctx(), name, c.Flags().String("organisation"), c.Clock())
	}
	if err == nil && len(files) > 0 {
		err = db.Import(c.Ctx(), name, files)
	}
	if err == nil {
		err = hub.PlanAll(c.Ctx(), db, name, conf.Settings, c.Clock())
	}
	if errors.Is(err, sqldisk.ErrExists) {
		return fail.WithHint(err, "choose another name; \"memory-hub workspace list\" shows them")
	}
	if err != nil {
		return err
	}
	if c.JSON() {
		return c.PrintJSON(struct {
			Workspace string `json:"workspace"`
			Documents int    `json:"documents"`
		}{name, len(files)})
	}
	c.Printf("workspace %s: %s\n", name, app.Quantity(len(files), "document"))
	return nil
}

// export writes the documents of a workspace into a new directory.
func export(c *cli.Context, db *sqldisk.DB, name, dir string) error {
	revision, docs, err := db.Since(c.Ctx(), name, 0)
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
			return fmt.Errorf("export %s: %q is not a path in a directory", name, d.Path)
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
	if c.JSON() {
		return c.PrintJSON(struct {
			Workspace string `json:"workspace"`
			Revision  int64  `json:"revision"`
			Documents int    `json:"documents"`
		}{name, revision, written})
	}
	c.Printf("%s: %s as of revision %d; \"memory reindex\" makes the indexes\n", name, app.Quantity(written, "document"), revision)
	return nil
}

// check looks for problems in a workspace; it changes nothing.
func check(c *cli.Context, db *sqldisk.DB, name string) error {
	d, err := db.Disk(c.Ctx(), name)
	if err != nil {
		return err
	}
	store := workspace.OpenOn(d)
	if err := d.Locally(func() error { _, err := store.Reindex(c.Ctx(), c.Clock()); return err }); err != nil {
		return err
	}
	snap, err := store.Load(c.Clock())
	if err != nil {
		return err
	}
	problems, err := repair.Problems(store, snap)
	if err != nil {
		return err
	}
	return c.PrintCheck(snap, problems)
}

func grant(c *cli.Context, db *sqldisk.DB) error {
	args := c.Args()
	g := sqldisk.Grant{Access: sqldisk.Access(args[2]), Scope: args[3]}
	if err := g.Check(); err != nil {
		return fail.Usagef("grant: %w", err)
	}
	if err := db.Grant(c.Ctx(), args[0], args[1], c.Clock(), g); err != nil {
		return err
	}
	return printGrants(c, db, args[0])
}

// printGrants tells who may do what in a workspace.
func printGrants(c *cli.Context, db *sqldisk.DB, ws string) error {
	all, err := db.Principals(c.Ctx(), ws)
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
	if c.JSON() {
		return c.PrintJSON(struct {
			Principals []row `json:"principals"`
		}{rows})
	}
	for _, r := range rows {
		c.Printf("%s: %s\n", r.Principal, cmp.Or(strings.Join(r.Grants, ", "), "nothing"))
	}
	return nil
}

func revoke(c *cli.Context, db *sqldisk.DB) error {
	args := c.Args()
	var grants []sqldisk.Grant
	switch len(args) {
	case 3:
		return fail.WithHint(fail.Usagef("revoke: no scope"), "write: revoke WORKSPACE WHO ACCESS SCOPE")
	case 4:
		grants = append(grants, sqldisk.Grant{Access: sqldisk.Access(args[2]), Scope: args[3]})
	}
	n, err := db.Revoke(c.Ctx(), args[0], args[1], grants...)
	if err != nil {
		return err
	}
	if n == 0 {
		return fail.Errorf(fail.ExitNotFound, "%s has no such grant in %s", args[1], args[0])
	}
	return printGrants(c, db, args[0])
}

func token(c *cli.Context, db *sqldisk.DB) error {
	args := c.Args()
	switch what, n := args[0], len(args); {
	case what == "add" && n == 3:
		return addToken(c, db, args[1], args[2])
	case what == "list" && n == 2:
		return listTokens(c, db, args[1])
	case what == "revoke" && n == 3:
		found, err := db.RevokeToken(c.Ctx(), args[1], args[2])
		if err == nil && !found {
			err = fail.Errorf(fail.ExitNotFound, "no token %s in %s", args[2], args[1])
		}
		return err
	}
	return fail.WithHint(fail.Usagef("token %s", term.QuoteAll(args)), "write: token add WORKSPACE WHO, token list WORKSPACE, or token revoke WORKSPACE ID")
}

func addToken(c *cli.Context, db *sqldisk.DB, ws, who string) error {
	holds, err := c.Duration("expires", config.Days)
	if err != nil {
		return err
	}
	now := c.Clock()
	token, err := db.NewToken(c.Ctx(), ws, who, c.Flags().String("label"), now, now.Add(holds))
	if err != nil {
		return err
	}
	if c.JSON() {
		return c.PrintJSON(struct {
			Token   string `json:"token"`
			Expires string `json:"expires"`
		}{token, timestamp.Format(now.Add(holds))})
	}
	c.Printf("%s\n", token)
	c.Say("It is shown this once, and expires %s.\n", c.When(now.Add(holds)))
	return nil
}

func listTokens(c *cli.Context, db *sqldisk.DB, ws string) error {
	all, err := db.Tokens(c.Ctx(), ws)
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
		t.Row(k.ID, k.Principal, c.When(k.Expires), term.Printable(cmp.Or(k.Label, "-")))
	}
	if c.JSON() {
		return c.PrintJSON(struct {
			Tokens []row `json:"tokens"`
		}{rows})
	}
	c.PrintTable(t)
	return nil
}
