package sqldisk

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
)

// ErrToken: a token is unknown here, or has expired. Which one is not told.
var ErrToken = errors.New("the token is not valid for this workspace")

// Access is what a principal may do in a scope. Each has to be granted by itself, but for admin,
// which is all of them.
type Access string

// The kinds of access.
const (
	Read   Access = "read"   // see memories
	Write  Access = "write"  // save, change and archive them
	Review Access = "review" // decide about pairs in the review queue
	Run    Access = "run"    // apply what the rules plan, and undo runs
	Admin  Access = "admin"
)

// Accesses lists the kinds.
func Accesses() []Access { return []Access{Read, Write, Review, Run, Admin} }

// Grant lets a principal do something in the scopes that a pattern names.
type Grant struct {
	Scope  string // "*" for all, "global", "team:*", "agent:DEV-001": as path.Match takes it
	Access Access
}

// Check tells what is wrong with a grant.
func (g Grant) Check() error {
	if !slices.Contains(Accesses(), g.Access) {
		return fmt.Errorf("%q is not a kind of access: write read, write, review, run or admin", g.Access)
	}
	if _, err := path.Match(g.Scope, ""); err != nil || g.Scope == "" || strings.Contains(g.Scope, "/") {
		return fmt.Errorf("%q names no scopes: write *, global, team:NAME, team:* or the like", g.Scope)
	}
	return nil
}

// Principal is whom a token stands for, with what is granted.
type Principal struct {
	Name   string
	Grants []Grant
}

// May reports whether something is granted in a scope.
func (p Principal) May(access Access, scope memory.Scope) bool {
	return slices.ContainsFunc(p.Grants, func(g Grant) bool {
		if g.Access != access && g.Access != Admin {
			return false
		}
		if g.Scope == "*" {
			return true
		}
		ok, err := path.Match(g.Scope, scope.String())
		return ok && err == nil
	})
}

// Somewhere reports whether something is granted in any scope.
func (p Principal) Somewhere(access Access) bool {
	return slices.ContainsFunc(p.Grants, func(g Grant) bool { return g.Access == access || g.Access == Admin })
}

// Everywhere reports whether something is granted in all scopes by one grant.
func (p Principal) Everywhere(access Access) bool {
	return slices.ContainsFunc(p.Grants, func(g Grant) bool { return g.Scope == "*" && (g.Access == access || g.Access == Admin) })
}

// Grant adds what a principal may do; the principal is made where there is none.
func (db *DB) Grant(ctx context.Context, ws, principal string, now time.Time, grants ...Grant) error {
	err := ValidPrincipal(principal)
	for _, g := range grants {
		err = errors.Join(err, g.Check())
	}
	if err == nil {
		err = db.within(ctx, worker, ws, func(q querier) error {
			if err := mustExist(ctx, db, q, ws); err != nil {
				return err
			}
			_, err := q.ExecContext(ctx, db.dialect("insert into principal (ws, name, created_at) values (?, ?, ?) on conflict (ws, name) do nothing"), ws, principal, milli(now))
			for _, g := range grants {
				if err == nil {
					_, err = q.ExecContext(ctx, db.dialect("insert into grants (ws, principal, scope, access) values (?, ?, ?, ?) on conflict (ws, principal, scope, access) do nothing"), ws, principal, g.Scope, string(g.Access))
				}
			}
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("grant %s in %s: %w", principal, ws, err)
	}
	return nil
}

// mustExist fails with [ErrNoWorkspace] where no workspace has the name.
func mustExist(ctx context.Context, db *DB, q querier, ws string) error {
	var n int
	return noRow(q.QueryRowContext(ctx, db.dialect("select 1 from workspace where ws = ?"), ws).Scan(&n), ErrNoWorkspace)
}

// Revoke takes grants back; without any, all of the principal's grants and tokens. It returns how
// many were there. It counts from the next request on.
func (db *DB) Revoke(ctx context.Context, ws, principal string, grants ...Grant) (n int64, err error) {
	remove := func(q querier, query string, args ...any) error {
		result, err := q.ExecContext(ctx, db.dialect(query), args...)
		if err != nil {
			return err
		}
		gone, err := result.RowsAffected()
		n += gone
		return err
	}
	err = db.within(ctx, worker, ws, func(q querier) error {
		if len(grants) == 0 {
			return errors.Join(remove(q, "delete from token where ws = ? and principal = ?", ws, principal), remove(q, "delete from grants where ws = ? and principal = ?", ws, principal))
		}
		for _, g := range grants {
			if err := remove(q, "delete from grants where ws = ? and principal = ? and scope = ? and access = ?", ws, principal, g.Scope, string(g.Access)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("revoke what %s may do in %s: %w", principal, ws, err)
	}
	return n, nil
}

// Principals lists those of a workspace by name, with what each may do.
func (db *DB) Principals(ctx context.Context, ws string) (all []Principal, err error) {
	err = db.reading(ctx, tenant, ws, func(q querier) error {
		all, err = readPrincipals(ctx, db, q, "select p.name, g.scope, g.access from principal p left join grants g on g.ws = p.ws and g.principal = p.name where p.ws = ? order by p.name, g.scope, g.access", ws)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list who may do what in %s: %w", ws, err)
	}
	return all, nil
}

// readPrincipals collects rows of name, scope and access.
func readPrincipals(ctx context.Context, db *DB, q querier, query string, args ...any) (all []Principal, err error) {
	rows, err := q.QueryContext(ctx, db.dialect(query), args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name string
		var scope, access sql.NullString
		if err := rows.Scan(&name, &scope, &access); err != nil {
			return nil, err
		}
		if len(all) == 0 || all[len(all)-1].Name != name {
			all = append(all, Principal{Name: name})
		}
		if p := &all[len(all)-1]; scope.Valid {
			p.Grants = append(p.Grants, Grant{scope.String, Access(access.String)})
		}
	}
	return all, rows.Err()
}

// tokenPrefix tells people and scanners of secrets what a token is for.
const tokenPrefix = "memh_"

// Token is what can be told of one.
type Token struct {
	ID        string // the first digits of its hash
	Principal string
	Label     string
	Created   time.Time
	Expires   time.Time
}

// NewToken makes a token for a principal. Only its hash is kept: this is the one time that it can be
// seen. It has 128 random bits.
func (db *DB) NewToken(ctx context.Context, ws, principal, label string, now, expires time.Time) (string, error) {
	token := tokenPrefix + rand.Text()
	err := db.within(ctx, worker, ws, func(q querier) error {
		var n int
		if err := noRow(q.QueryRowContext(ctx, db.dialect("select 1 from principal where ws = ? and name = ?"), ws, principal).Scan(&n), errors.New("no such principal: grant it something first")); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, db.dialect("insert into token (ws, hash, principal, label, created_at, expires_at) values (?, ?, ?, ?, ?, ?)"),
			ws, digest(token), principal, label, milli(now), milli(expires))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("make a token for %s in %s: %w", principal, ws, err)
	}
	return token, nil
}

// Tokens lists the tokens of a workspace by principal and age.
func (db *DB) Tokens(ctx context.Context, ws string) (all []Token, err error) {
	err = db.reading(ctx, tenant, ws, func(q querier) (err error) {
		rows, err := q.QueryContext(ctx, db.dialect("select hash, principal, label, created_at, expires_at from token where ws = ? order by principal, created_at, hash"), ws)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var t Token
			var created, expires int64
			if err := rows.Scan(&t.ID, &t.Principal, &t.Label, &created, &expires); err != nil {
				return err
			}
			t.ID, t.Created, t.Expires = t.ID[:12], ofMilli(created), ofMilli(expires)
			all = append(all, t)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("list the tokens of %s: %w", ws, err)
	}
	return all, nil
}

// RevokeToken ends a token at once, and reports whether there was one.
func (db *DB) RevokeToken(ctx context.Context, ws, id string) (found bool, err error) {
	err = db.within(ctx, worker, ws, func(q querier) error {
		result, err := q.ExecContext(ctx, db.dialect("delete from token where ws = ? and substr(hash, 1, 12) = ?"), ws, id)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		found = n > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("revoke the token %s of %s: %w", id, ws, err)
	}
	return found, nil
}

// Authenticate finds whom a token stands for in a workspace. [ErrToken] is the answer for a token
// that is unknown or has expired, and for a workspace that doesn't exist.
func (db *DB) Authenticate(ctx context.Context, ws, token string, now time.Time) (Principal, error) {
	return db.AuthenticateHash(ctx, ws, TokenHash(token), now)
}

// TokenHash is what is kept of a token.
func TokenHash(token string) string { return digest(token) }

// AuthenticateHash is [DB.Authenticate] for who has kept only the hash of a token.
func (db *DB) AuthenticateHash(ctx context.Context, ws, hash string, now time.Time) (Principal, error) {
	return db.who(ctx, ws, `select t.principal, g.scope, g.access from token t left join grants g on g.ws = t.ws and g.principal = t.principal
		where t.ws = ? and t.hash = ? and t.expires_at > ?`, ws, hash, milli(now))
}

// Principal finds a principal by name, for who has made sure by other means that it asks. [ErrToken] is the answer for one that is
// unknown in the workspace.
func (db *DB) Principal(ctx context.Context, ws, name string) (Principal, error) {
	return db.who(ctx, ws, `select p.name, g.scope, g.access from principal p left join grants g on g.ws = p.ws and g.principal = p.name
		where p.ws = ? and p.name = ?`, ws, name)
}

// who is the one principal that a query finds.
func (db *DB) who(ctx context.Context, ws, query string, args ...any) (p Principal, err error) {
	err = db.reading(ctx, tenant, ws, func(q querier) error {
		all, err := readPrincipals(ctx, db, q, query, args...)
		if err == nil && len(all) != 1 {
			err = ErrToken
		}
		if err == nil {
			p = all[0]
		}
		return err
	})
	if err != nil {
		return Principal{}, fmt.Errorf("who asks: %w", err)
	}
	return p, nil
}
