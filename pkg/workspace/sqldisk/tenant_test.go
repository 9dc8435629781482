package sqldisk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace/sqldisk/pgtest"
)

// tables hold rows of tenants.
var tables = []string{"workspace", "document", "slot", "principal", "token", "grants", "failure"}

// leaks tells what a transaction that names one workspace, or none, can read or write of another
// one. It is empty where the policies hold.
func leaks(ctx context.Context, db *DB) (found []string) {
	try := func(what, ws string, as role, allowed bool, do func(q querier) (int64, error)) {
		tx, err := db.begin(ctx, as, ws)
		if err != nil {
			found = append(found, fmt.Sprintf("%s: %v", what, err))
			return
		}
		n, err := do(tx)
		if err := rollback(tx); err != nil {
			found = append(found, err.Error())
		}
		if (err == nil && n > 0) != allowed {
			found = append(found, fmt.Sprintf("%s as %s of %q: %d rows, %v", what, as, ws, n, err))
		}
	}
	count := func(query string, args ...any) func(q querier) (int64, error) {
		return func(q querier) (n int64, err error) {
			err = q.QueryRowContext(ctx, query, args...).Scan(&n)
			return n, err
		}
	}
	change := func(query string, args ...any) func(q querier) (int64, error) {
		return func(q querier) (int64, error) {
			result, err := q.ExecContext(ctx, query, args...)
			if err != nil {
				return 0, err
			}
			return result.RowsAffected()
		}
	}
	for _, ws := range []string{"wrong", ""} {
		for _, table := range tables {
			for _, as := range []role{tenant, worker} {
				if table != "workspace" || as == tenant {
					try("select from "+table, ws, as, false, count("select count(*) from "+table+" where ws = 'right'"))
				}
			}
		}
		try("update document", ws, tenant, false, change("update document set bytes = '' where ws = 'right'"))
		try("move a document", ws, tenant, false, change("update document set ws = 'right' where ws = 'wrong'"))
		try("insert document", ws, tenant, false, change("insert into document (ws, path, bytes, sha256, revision) values ('right', 'new', '', 'x', 9)"))
		try("update workspace", ws, tenant, false, change("update workspace set revision = 99 where ws = 'right'"))
		try("lock workspace", ws, tenant, false, func(q querier) (int64, error) { _, err := db.lockRow(ctx, q, "right"); return 1, err })
	}
	for _, table := range tables {
		if table != "slot" && table != "failure" {
			try("select from "+table, "right", tenant, true, count("select count(*) from "+table))
		}
	}
	try("select from due", "right", tenant, false, count("select count(*) from due"))
	try("insert grants", "right", tenant, false, change("insert into grants (ws, principal, scope, access) values ('right', 'p', '*', 'admin')"))
	try("select from due", "", worker, true, count("select count(*) from due"))
	// A connection that was used for one tenant names none afterwards.
	tx, err := db.sql.BeginTx(ctx, nil)
	if err == nil {
		var left string
		err = tx.QueryRowContext(ctx, "select coalesce(current_setting('memory.ws', true), '')").Scan(&left)
		if err = errors.Join(err, rollback(tx)); left != "" {
			found = append(found, "a connection still names "+left)
		}
	}
	if err != nil {
		found = append(found, err.Error())
	}
	return found
}

// tenancy has two workspaces with rows in every table.
func tenancy(t *testing.T) (*DB, *sql.DB) {
	t.Helper()
	address := pgtest.New(t)
	db, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.sql.SetMaxOpenConns(1) // the same connection for every tenant
	admin, err := sql.Open("pgx", address)
	if err == nil {
		_, err = db.Migrate(t.Context(), MigrateOptions{})
	}
	for _, ws := range []string{"right", "wrong"} {
		if err == nil {
			err = db.Create(t.Context(), ws, "", time.Now())
		}
		for _, row := range []string{
			"document (ws, path, bytes, sha256, revision) values ($1, 'global/a.json', 'x', 'x', 1)",
			"slot (ws, schedule, slot, run, done_at) values ($1, 's', 'x', 'r', 0)",
			"failure (ws, schedule, slot, attempt, error, failed_at) values ($1, 's', 'x', 1, 'e', 0)",
			"due (ws, schedule, slot, next_at) values ($1, 's', 'x', 0)",
			"principal (ws, name, created_at) values ($1, 'p', 0)",
			"token (ws, hash, principal, created_at, expires_at) values ($1, 'h', 'p', 0, 0)",
			"grants (ws, principal, scope, access) values ($1, 'p', '*', 'read')",
		} {
			if err == nil {
				_, err = admin.Exec("insert into "+row, ws)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close() })
	return db, admin
}

func TestWrongTenantSeesNothing(t *testing.T) {
	db, _ := tenancy(t)
	for _, leak := range leaks(t.Context(), db) {
		t.Error(leak)
	}
}

// Each of these mistakes is found by the test above.
func TestBrokenPoliciesAreFound(t *testing.T) {
	for _, mistake := range []string{
		"alter table document disable row level security",
		"drop policy tenant on token; create policy tenant on token using (true)",
		"drop policy tenant on document; create policy tenant on document using (ws = current_setting('memory.ws', true)) with check (true)",
		"drop policy tenant on grants; create policy tenant on grants using (ws = current_setting('memory.ws', true) or coalesce(current_setting('memory.ws', true), '') = '')",
		"grant select on due to memory_tenant; create policy tenant on due to memory_tenant using (true)",
		"alter role memory_tenant bypassrls",
		"alter policy worker on workspace to public",
	} {
		t.Run(mistake, func(t *testing.T) {
			db, admin := tenancy(t)
			if _, err := admin.Exec(mistake); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _, _ = admin.Exec("alter role memory_tenant nobypassrls") }) // roles are the cluster's
			if len(leaks(t.Context(), db)) == 0 {
				t.Error("nobody has noticed")
			}
		})
	}
}

// The tables' owner is held to the policies too.
func TestForced(t *testing.T) {
	_, admin := tenancy(t)
	var n int
	err := admin.QueryRow("select count(*) from pg_class where relname = any($1) and relrowsecurity and relforcerowsecurity and relnamespace = 'public'::regnamespace", append(tables, "due")).Scan(&n)
	if err != nil || n != len(tables)+1 {
		t.Errorf("%d tables, %v", n, err)
	}
}

// A login that is a member of the two roles, and nothing else, can serve.
func TestLogin(t *testing.T) {
	db, admin := tenancy(t)
	if _, err := admin.Exec("drop role if exists hub_login; create role hub_login login"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Migrate(t.Context(), MigrateOptions{Login: "hub_login"}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Migrate(t.Context(), MigrateOptions{Login: `x"; drop table document; --`}); err == nil {
		t.Error("no name of a role, and it was taken")
	}
	var address string
	if err := admin.QueryRow("select current_database()").Scan(&address); err != nil {
		t.Fatal(err)
	}
	login, err := Open(t.Context(), "postgres://hub_login@/"+address+"?host="+pgtest.Dir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = login.Close() })
	if err := login.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	for _, leak := range leaks(t.Context(), login) {
		t.Error(leak)
	}
}
