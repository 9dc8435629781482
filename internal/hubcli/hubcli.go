// Package hubcli is the command line of memory-hub, the team server: it serves workspaces in a database, and administers them.
package hubcli

import (
	"cmp"
	"crypto/tls"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/cli"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hub"
	"github.com/memoryd/memoryd/internal/metrics"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// Main runs the command line of this process and returns its exit code.
func Main() int {
	return cli.MainOf(cli.NewProgram("memory-hub", "serves workspaces in a database to many agents, with tokens and grants", commands()))
}

func dbFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "db", Usage: "postgres://… or sqlite:FILE; else MEMORY_HUB_DB", DefaultText: "none"}
}

const page = "teams.md"

func commands() []cli.Command {
	return []cli.Command{
		{
			Name: "serve", Args: "[options]", Purpose: "serve the workspaces: MCP, hooks, the dashboard, schedules", Page: page,
			Detail: `Serves the dashboard at /, to who signs in with a token; MCP over HTTP at
/mcp/WORKSPACE; hooks of agent hosts at /hook/WORKSPACE/HOST/EVENT; /healthz and
/metrics. Its workers run the schedules. The database is PostgreSQL, or one SQLite
file.`,
			Example: "memory-hub serve --db sqlite:team.db", Stays: true, TextOnly: true, Run: serve,
			Flags: []urfave.Flag{
				dbFlag(),
				&urfave.StringFlag{Name: "addr", Usage: "serve at `ADDRESS`", DefaultText: hub.DefaultAddress},
				&urfave.IntFlag{Name: "workers", Usage: "run `N` schedules at a time; 0 for none", Value: 4},
				&urfave.StringFlag{Name: "tls-cert", Usage: "certificate `FILE`, for an address that other machines reach"},
				&urfave.StringFlag{Name: "tls-key", Usage: "`FILE` with the key of the certificate"},
				&urfave.BoolFlag{Name: "behind-proxy", Usage: "a proxy before it does TLS"},
				&urfave.StringFlag{Name: "url", Usage: "`URL` by which others reach it, such as https://hub.example", DefaultText: "its address"},
				&urfave.StringFlag{Name: "issuer", Usage: "take OAuth access tokens of the server at `URL`, too"},
				&urfave.BoolFlag{Name: "log-json", Usage: "log one JSON object per line"},
			},
		},
		{
			Name: "migrate", Args: "[options]", Purpose: "make the tables, or bring them up to date", Page: page,
			Example: "memory-hub migrate --db sqlite:team.db", Run: onDatabase(unready, migrate),
			Flags: []urfave.Flag{
				dbFlag(),
				&urfave.StringFlag{Name: "login", Usage: "let the role `NAME` of PostgreSQL serve"},
				&urfave.IntFlag{Name: "partitions", Usage: "split new tables of PostgreSQL in `N`"},
			},
		},
		{
			Name: "workspace", Args: "add|list|check|failed|export …", Purpose: "add workspaces, list, check and export them", Page: page,
			Detail: `  workspace add NAME [DIR]     a new workspace, with the files of DIR
  workspace list               what there is, and what is planned
  workspace check NAME         look for problems, as "memory check" does
  workspace failed [NAME]      the last runs that failed, and why
  workspace export NAME DIR    write its files into a new directory`,
			Example: "memory-hub workspace add acme ./memory --db sqlite:team.db", Least: 1, Most: 3,
			Words: []string{"add", "check", "export", "failed", "list"}, Run: workspaceCommand,
			Flags: []urfave.Flag{dbFlag(), &urfave.StringFlag{Name: "organisation", Usage: "whose workspace it is"}},
		},
		{
			Name: "grant", Args: "WORKSPACE WHO ACCESS SCOPE", Purpose: "let somebody read, write, review, run or admin in a scope", Page: page,
			Detail:  `The scope is * (all), global, team:NAME, team:*, agent:NAME or agent:*.`,
			Example: "memory-hub grant acme bob write agent:bob --db sqlite:team.db", Least: 4, Most: 4, Run: onDatabase(ready, grant),
			Flags: []urfave.Flag{dbFlag()},
		},
		{
			Name: "revoke", Args: "WORKSPACE WHO [ACCESS SCOPE]", Purpose: "take a grant back; without ACCESS every grant", Page: page,
			Example: "memory-hub revoke acme bob --db sqlite:team.db", Least: 2, Most: 4, Run: onDatabase(ready, revoke),
			Flags: []urfave.Flag{dbFlag()},
		},
		{
			Name: "token", Args: "add|list|revoke WORKSPACE …", Purpose: "make tokens, list and revoke them", Page: page,
			Detail: `  token add WORKSPACE WHO      a token, which is shown once
  token list WORKSPACE         the tokens, without their secrets
  token revoke WORKSPACE ID    end a token now`,
			Example: "memory-hub token add acme bob --label laptop --db sqlite:team.db", Least: 2, Most: 3,
			Words: []string{"add", "list", "revoke"}, Run: onDatabase(ready, token),
			Flags: []urfave.Flag{
				dbFlag(),
				&urfave.StringFlag{Name: "expires", Usage: "the token holds for `DURATION`", Value: "90d"},
				&urfave.StringFlag{Name: "label", Usage: "what the token is for"},
			},
		},
	}
}

// What a command expects of the database.
type expects int

const (
	ready   expects = iota // it has today's tables
	unready                // its tables may be missing or old; a SQLite file is made
	adds                   // it has today's tables; a SQLite file is made
)

// onDatabase is a command that works on the database.
func onDatabase(what expects, run func(c *cli.Context, db *sqldisk.DB) error) func(*cli.Context) error {
	return func(c *cli.Context) error {
		db, err := open(c, what != ready)
		if err != nil {
			return err
		}
		if what != unready {
			err = db.Ready(c.Ctx())
		}
		if err == nil {
			err = run(c, db)
		}
		return errors.Join(err, db.Close())
	}
}

// serve serves until it is asked to stop.
func serve(c *cli.Context) error {
	o, err := serveOptions(c) // before a database is made
	if err != nil {
		return err
	}
	return onDatabase(adds, func(c *cli.Context, db *sqldisk.DB) error {
		o.DB = db
		server, err := hub.Listen(o)
		if err != nil {
			return err
		}
		c.Printf("%s\n", server.URL())
		c.Say("People sign in there with a token. Agents ask it at %s/mcp/WORKSPACE, with a token too: \"memory-hub token add\" makes one. Ctrl-C ends it.\n", server.URL())
		if err := c.Flush(); err != nil {
			return err
		}
		return server.Run(c.Ctx())
	})(c)
}

// open opens the database that the options or the environment name. A SQLite file is made only where that is meant: a name that
// is misspelled is not an empty database.
func open(c *cli.Context, create bool) (*sqldisk.DB, error) {
	address := cmp.Or(c.Flags().String("db"), c.Getenv("MEMORY_HUB_DB"))
	if address == "" {
		return nil, fail.WithHint(fail.Usagef("no database"), "write --db sqlite:FILE or --db postgres://…, or set MEMORY_HUB_DB")
	}
	if file, ok := strings.CutPrefix(address, "sqlite:"); ok && file != "" {
		address = "sqlite:" + c.Path(file)
		if _, err := os.Stat(c.Path(file)); !create && errors.Is(err, fs.ErrNotExist) {
			return nil, fail.WithHint(fail.Errorf(fail.ExitNotFound, "there is no database %s", file), "\"memory-hub workspace add NAME\" makes one; or correct --db")
		}
	}
	db, err := sqldisk.Open(c.Ctx(), address)
	if errors.Is(err, sqldisk.ErrAddress) {
		return nil, &fail.Error{Err: err, Code: fail.ExitUsage}
	}
	return db, err
}

// serveOptions are the options of serve.
func serveOptions(c *cli.Context) (hub.Options, error) {
	version, commit := c.Build()
	o := hub.Options{
		Address: cmp.Or(c.Flags().String("addr"), hub.DefaultAddress), Workers: c.Flags().Int("workers"), Proxied: c.Flags().Bool("behind-proxy"),
		Log: c.Logger(), Metrics: metrics.New(version, commit, c.Clock()), Version: version,
		SetSetting: cli.ChangeSetting,
		Now:        c.Now,
	}
	if text := c.Flags().String("url"); text != "" {
		public, err := url.Parse(text)
		if err != nil || public.Host == "" || public.Scheme != "https" && public.Scheme != "http" || strings.Trim(public.Path, "/") != "" {
			return o, fail.WithHint(fail.Usagef("--url %s: not the address of a server", text), "write it like https://hub.example")
		}
		o.Public = &url.URL{Scheme: public.Scheme, Host: public.Host}
	}
	if name := c.Flags().String("issuer"); name != "" {
		issuer, err := hub.NewIssuer(name, o.Now, o.Log)
		if err != nil {
			return o, fail.Usagef("--issuer: %w", err)
		}
		o.Issuer = issuer
	}
	cert, key := c.Flags().String("tls-cert"), c.Flags().String("tls-key")
	if (cert == "") != (key == "") {
		return o, fail.Usagef("--tls-cert and --tls-key belong together")
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(c.Path(cert), c.Path(key))
		if err != nil {
			return o, fail.Usagef("--tls-cert: %w", err)
		}
		o.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	if err := o.Check(); errors.Is(err, hub.ErrPublic) || errors.Is(err, hub.ErrUnnamed) {
		return o, &fail.Error{Err: err, Code: fail.ExitUsage}
	} else if err != nil {
		return o, fail.Usagef("--addr: %w", err)
	}
	return o, nil
}
