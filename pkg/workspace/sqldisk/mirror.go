package sqldisk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Limits of a [DB.Page].
const (
	pageDocuments = 500
	pageBytes     = 4 << 20
)

// Cursor is a place in the documents of a workspace, in the order in which they were written; the
// zero value is before all of them.
type Cursor struct {
	Revision int64
	Path     string // the last one seen of that revision
}

// Page is a part of what was written after a cursor.
type Page struct {
	Documents []Document // those that were removed included
	Next      Cursor
	More      bool
	Revision  int64     // of the workspace: one below a cursor tells that the database was restored
	Created   time.Time // when the workspace was made: another one tells that it is another workspace
}

// Page reads what was written to a workspace after a cursor, in parts. It is how a mirror follows:
// a document that is written again meanwhile comes once more.
func (db *DB) Page(ctx context.Context, ws string, after Cursor) (p Page, err error) {
	err = db.reading(ctx, tenant, ws, func(q querier) (err error) {
		p, err = db.page(ctx, q, ws, after)
		return err
	})
	if err != nil {
		return Page{}, fmt.Errorf("read the documents of %s: %w", ws, err)
	}
	return p, nil
}

func (db *DB) page(ctx context.Context, q querier, ws string, after Cursor) (_ Page, err error) {
	p := Page{Next: after}
	var created int64
	if err := q.QueryRowContext(ctx, db.dialect("select revision, created_at from workspace where ws = ?"), ws).Scan(&p.Revision, &created); err != nil {
		return p, noRow(err, ErrNoWorkspace)
	}
	p.Created = ofMilli(created)
	rows, err := q.QueryContext(ctx, db.dialect(`select path, bytes, inflated, sha256, revision from document
		where ws = ? and (revision > ? or revision = ? and path > ?) order by revision, path limit ?`), ws, after.Revision, after.Revision, after.Path, pageDocuments+1)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	size := 0
	for rows.Next() {
		if len(p.Documents) == pageDocuments || size > pageBytes {
			p.More = true
			break
		}
		var d Document
		var inflated int64
		if err := rows.Scan(&d.Path, &d.Bytes, &inflated, &d.SHA256, &d.Revision); err != nil {
			return p, err
		}
		if d.Bytes, err = unpack(d.Bytes, inflated); err != nil {
			return p, fmt.Errorf("%s: %w", d.Path, err)
		}
		size += len(d.Bytes)
		p.Documents, p.Next = append(p.Documents, d), Cursor{d.Revision, d.Path}
	}
	return p, rows.Err()
}

// ErrMachine: a machine of that name pushes for another principal.
var ErrMachine = errors.New("another principal has a machine of that name")

// ChangedError lists documents that are not what a change was made from. It is an [ErrChanged].
type ChangedError struct{ Paths []string }

func (e *ChangedError) Error() string { return strings.Join(e.Paths, ", ") + ": " + ErrChanged.Error() }

// Is makes it an [ErrChanged].
func (e *ChangedError) Is(target error) bool { return target == ErrChanged }

// Change is a document that a mirror has changed.
type Change struct {
	Path  string
	Base  string // SHA-256 in hexadecimal of what it was made from; "": there was none
	Bytes []byte // nil: it was removed
}

// Push is what a mirror has changed, under a name of its own.
type Push struct {
	ID        string
	Machine   string
	Principal string
	At        time.Time
	Changes   []Change
}

// Push writes documents, all of them or none, each only over what it was made from; else the error is
// a [ChangedError]. It returns the revision that they have made. A push that comes again, since its
// answer was lost, writes nothing and is told the revision that it made.
func (db *DB) Push(ctx context.Context, ws string, p Push) (revision int64, err error) {
	err = db.within(ctx, tenant, ws, func(q querier) (err error) {
		revision, err = db.push(ctx, q, ws, p)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("push to %s: %w", ws, err)
	}
	return revision, nil
}

func (db *DB) push(ctx context.Context, q querier, ws string, p Push) (int64, error) {
	revision, err := db.lockRow(ctx, q, ws)
	if err != nil {
		return 0, err
	}
	if done, err := db.pushed(ctx, q, ws, p); err != nil || done > 0 {
		return done, err
	}
	var all []change
	for _, c := range p.Changes {
		one := change{path: c.Path, base: c.Base, text: string(c.Bytes), removed: c.Bytes == nil}
		if !one.removed {
			one.digest = digest(one.text)
		}
		all = append(all, one)
	}
	revision++
	if err := db.write(ctx, q, ws, revision, all); err != nil {
		return 0, err
	}
	_, err = q.ExecContext(ctx, db.dialect(`insert into mirror (ws, machine, principal, push, revision, pushed_at) values (?, ?, ?, ?, ?, ?)
		on conflict (ws, machine) do update set push = excluded.push, revision = excluded.revision, pushed_at = excluded.pushed_at`),
		ws, p.Machine, p.Principal, p.ID, revision, milli(p.At))
	return revision, err
}

// pushed is the revision that a push has made; 0 where it hasn't come yet.
func (db *DB) pushed(ctx context.Context, q querier, ws string, p Push) (int64, error) {
	var principal, last string
	var revision int64
	err := q.QueryRowContext(ctx, db.dialect("select principal, push, revision from mirror where ws = ? and machine = ?"), ws, p.Machine).Scan(&principal, &last, &revision)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, nil
	case err != nil:
		return 0, err
	case principal != p.Principal:
		return 0, fmt.Errorf("%s: %w", p.Machine, ErrMachine)
	case last == p.ID:
		return revision, nil
	}
	return 0, nil
}
