package mirror

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
)

// ErrAtWork: another sync of the workspace is at work.
var ErrAtWork = errors.New("another sync is at work")

// state is what a mirror remembers between two syncs, in a database of its own.
type state struct {
	db   *sql.DB
	copy string // the directory of a copy, which goes when it is closed
}

// agreed is a document as both sides last had it.
type agreed struct {
	Path  string
	Bytes []byte // nil: there is none
	Sum   string // "": likewise
}

// taking is a document of the hub that is being put in its place.
type taking struct {
	agreed               // as the hub has it: what both have agreed on once it is in place
	Place         string // "": nothing has to be written; that counts once everything else is in its place
	Before, After string // digests of the file at Place
	data          []byte // that After is of
}

// progress is where a mirror stands.
type progress struct {
	Epoch  string `json:"epoch"`
	View   string `json:"view"`
	Cursor Cursor `json:"cursor"`
	// While everything is asked for, what was not seen yet may be gone.
	Whole bool `json:"whole,omitempty"`
	// The push whose answer is awaited.
	Push string `json:"push,omitempty"`
}

const schema = `
create table if not exists progress (id integer primary key check (id = 1), state text not null);
create table if not exists agreed (path text primary key, gone text not null, bytes blob not null, sum text not null, seen integer not null default 0) without rowid;
create index if not exists agreed_gone on agreed (gone);
create table if not exists placing (n integer primary key, path text not null, bytes blob, sum text not null, place text not null, before text not null, after text not null);
create table if not exists pushing (path text primary key, bytes blob, sum text not null) without rowid;
insert into progress (id, state) values (1, '{}') on conflict (id) do nothing;
`

func sum(data []byte) string {
	if data == nil {
		return ""
	}
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// openState opens the database of a mirror, and holds it: one sync at a time.
func openState(ctx context.Context, file string) (*state, error) {
	query := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(10000)", "journal_mode(DELETE)", "synchronous(FULL)", "locking_mode(EXCLUSIVE)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // which holds the lock
	_, err = db.ExecContext(ctx, schema)
	if busy := (*sqlite.Error)(nil); errors.As(err, &busy) && busy.Code()&0xff == 5 { // SQLITE_BUSY
		err = ErrAtWork
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", filepath.Base(file), err), db.Close())
	}
	return &state{db: db}, nil
}

// copyState opens a copy of the database of a mirror, or an empty one where there is none yet. What is written to it is forgotten.
func copyState(ctx context.Context, file string) (*state, error) {
	dir, err := os.MkdirTemp("", "memory-mirror-")
	if err != nil {
		return nil, err
	}
	copied := filepath.Join(dir, "mirror.db")
	if _, err = os.Stat(file); err == nil {
		var own *state
		if own, err = openState(ctx, file); err == nil {
			_, err = own.db.ExecContext(ctx, "vacuum into ?", copied)
			err = errors.Join(err, own.close())
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		var s *state
		if s, err = openState(ctx, copied); err == nil {
			s.copy = dir
			return s, nil
		}
	}
	return nil, errors.Join(err, os.RemoveAll(dir))
}

func (s *state) close() error {
	err := s.db.Close()
	if s.copy != "" {
		err = errors.Join(err, os.RemoveAll(s.copy))
	}
	return err
}

// within does something in one transaction.
func (s *state) within(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err == nil {
		if err = do(tx); err == nil {
			return tx.Commit()
		}
		err = errors.Join(err, tx.Rollback())
	}
	return fmt.Errorf("note the state of the mirror: %w", err)
}

func (s *state) progress(ctx context.Context) (p progress, err error) {
	var text string
	if err = s.db.QueryRowContext(ctx, "select state from progress").Scan(&text); err == nil {
		err = json.Unmarshal([]byte(text), &p)
	}
	return p, err
}

func setProgress(ctx context.Context, tx *sql.Tx, p progress) error {
	doc, err := json.Marshal(p)
	if err == nil {
		_, err = tx.ExecContext(ctx, "update progress set state = ?", string(doc))
	}
	return err
}

// agree notes that both sides have a document so; seen tells that it was in the listing that is under way.
func agree(ctx context.Context, tx *sql.Tx, a agreed) error {
	var err error
	if a.Bytes == nil {
		_, err = tx.ExecContext(ctx, "delete from agreed where path = ?", a.Path)
	} else {
		_, err = tx.ExecContext(ctx, `insert into agreed (path, gone, bytes, sum, seen) values (?, ?, ?, ?, 1)
			on conflict (path) do update set bytes = excluded.bytes, sum = excluded.sum, seen = 1`, a.Path, sum([]byte(a.Path)), a.Bytes, a.Sum)
	}
	return err
}

// base is what both sides last had of a document.
func (s *state) base(ctx context.Context, path string) (a agreed, err error) {
	a.Path = path
	err = s.db.QueryRowContext(ctx, "select bytes, sum from agreed where path = ?", path).Scan(&a.Bytes, &a.Sum)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	a.Bytes = present(a.Bytes, a.Sum)
	return a, err
}

// sums are the digests of all that was agreed on, by path.
func (s *state) sums(ctx context.Context) (all map[string]string, err error) {
	rows, err := s.db.QueryContext(ctx, "select path, sum from agreed")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	all = map[string]string{}
	for rows.Next() {
		var path, sum string
		if err := rows.Scan(&path, &sum); err != nil {
			return nil, err
		}
		all[path] = sum
	}
	return all, rows.Err()
}

// path finds the document whose path has a digest, "" where none was agreed on.
func (s *state) path(ctx context.Context, gone string) (path string, err error) {
	err = s.db.QueryRowContext(ctx, "select path from agreed where gone = ?", gone).Scan(&path)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return path, err
}

// unseen are the documents that a whole listing has not named.
func (s *state) unseen(ctx context.Context) (paths []string, err error) {
	return s.column(ctx, "select path from agreed where seen = 0 order by path")
}

func (s *state) column(ctx context.Context, query string) (all []string, err error) {
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// takings are the documents that were being put in their places.
func (s *state) takings(ctx context.Context) (all []taking, err error) {
	rows, err := s.db.QueryContext(ctx, "select path, bytes, sum, place, before, after from placing order by n")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var t taking
		if err := rows.Scan(&t.Path, &t.Bytes, &t.Sum, &t.Place, &t.Before, &t.After); err != nil {
			return nil, err
		}
		t.Bytes = present(t.Bytes, t.Sum)
		all = append(all, t)
	}
	return all, rows.Err()
}

// present tells an empty document from none.
func present(data []byte, sum string) []byte {
	if data == nil && sum != "" {
		return []byte{}
	}
	return data
}

func noteTakings(ctx context.Context, tx *sql.Tx, all []taking) error {
	for i, t := range all {
		if _, err := tx.ExecContext(ctx, "insert into placing (n, path, bytes, sum, place, before, after) values (?, ?, ?, ?, ?, ?, ?)", i, t.Path, t.Bytes, t.Sum, t.Place, t.Before, t.After); err != nil {
			return err
		}
	}
	return nil
}

// pushing is what was sent and not answered.
func (s *state) pushing(ctx context.Context) (all []agreed, err error) {
	rows, err := s.db.QueryContext(ctx, "select path, bytes, sum from pushing order by path")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var a agreed
		if err := rows.Scan(&a.Path, &a.Bytes, &a.Sum); err != nil {
			return nil, err
		}
		a.Bytes = present(a.Bytes, a.Sum)
		all = append(all, a)
	}
	return all, rows.Err()
}
