package sqldisk

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"
)

// Workspace is what the database tells of one.
type Workspace struct {
	Name         string
	Organisation string
	Revision     int64
	Documents    int
	Bytes        int64
	Created      time.Time
}

// ValidPrincipal tells whether a principal may have a name: up to 128 letters, digits, and . _ @ | : + -, the first a letter or a digit, so
// that it can be the subject of an OAuth token.
func ValidPrincipal(name string) error {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@|:+-]{0,127}$`).MatchString(name) {
		return fmt.Errorf("%q can't be the name of a principal: write up to 128 letters, digits, and . _ @ | : + -, the first a letter or digit", name)
	}
	return nil
}

// ValidName tells whether a workspace may have a name: up to 64 lower-case letters,
// digits, dots, dashes and underscores, the first a letter or a digit.
func ValidName(name string) error {
	if !regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`).MatchString(name) {
		return fmt.Errorf("%q is not a valid name: write up to 64 of a-z, 0-9, ., _ and -, the first a letter or digit", name)
	}
	return nil
}

// Create makes an empty workspace. A taken name is [ErrExists].
func (db *DB) Create(ctx context.Context, ws, organisation string, now time.Time) error {
	err := ValidName(ws)
	if err == nil {
		err = db.within(ctx, worker, ws, func(q querier) error {
			_, err := q.ExecContext(ctx, db.dialect("insert into workspace (ws, organisation, created_at) values (?, ?, ?)"), ws, organisation, milli(now))
			return err
		})
	}
	if taken(err) {
		err = ErrExists
	}
	if err != nil {
		return fmt.Errorf("create the workspace %s: %w", ws, err)
	}
	return nil
}

// Workspaces lists all of them by name. Documents and bytes are not counted; see [DB.Stat].
func (db *DB) Workspaces(ctx context.Context) (all []Workspace, err error) {
	err = db.reading(ctx, worker, "", func(q querier) (err error) {
		rows, err := q.QueryContext(ctx, "select ws, organisation, revision, created_at from workspace order by ws")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var w Workspace
			var created int64
			if err := rows.Scan(&w.Name, &w.Organisation, &w.Revision, &created); err != nil {
				return err
			}
			w.Created = ofMilli(created)
			all = append(all, w)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("list the workspaces: %w", err)
	}
	return all, nil
}

// Stat counts what a workspace holds.
func (db *DB) Stat(ctx context.Context, ws string) (w Workspace, err error) {
	w.Name = ws
	err = db.reading(ctx, tenant, ws, func(q querier) error {
		var created int64
		if err := q.QueryRowContext(ctx, db.dialect("select organisation, revision, created_at from workspace where ws = ?"), ws).Scan(&w.Organisation, &w.Revision, &created); err != nil {
			return noRow(err, ErrNoWorkspace)
		}
		w.Created = ofMilli(created)
		return q.QueryRowContext(ctx, db.dialect("select count(*), coalesce(sum(case when inflated > 0 then inflated else length(bytes) end), 0) from document where ws = ? and sha256 <> ''"), ws).Scan(&w.Documents, &w.Bytes)
	})
	if err != nil {
		return w, fmt.Errorf("workspace %s: %w", ws, err)
	}
	return w, nil
}

// Import writes files into an empty workspace, in one transaction. Those that are not stored are
// left out. One that holds documents is [ErrExists].
func (db *DB) Import(ctx context.Context, ws string, files map[string][]byte) error {
	now := map[string]string{}
	for name, data := range files {
		now[name] = string(data)
	}
	err := db.within(ctx, tenant, ws, func(q querier) error {
		revision, err := db.lockRow(ctx, q, ws)
		if err != nil {
			return err
		}
		if revision > 0 {
			return ErrExists
		}
		return db.write(ctx, q, ws, 1, difference(nil, storedOf(now)))
	})
	if err != nil {
		return fmt.Errorf("import files into %s: %w", ws, err)
	}
	return nil
}
