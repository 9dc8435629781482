package sqldisk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"
)

// Errors to be told apart with errors.Is.
var (
	ErrAddress     = errors.New("the address of the database")
	ErrNoWorkspace = errors.New("no such workspace")
	ErrExists      = errors.New("there is one already")
	ErrSchema      = errors.New("the database has tables of another version")
	// ErrChanged: a document is not what was checked out, although nobody may write it
	// meanwhile. Nothing was written.
	ErrChanged = errors.New("changed meanwhile")
	// ErrUnfinished: what was begun under the writer's lock was left half done. Nothing of it
	// was written.
	ErrUnfinished = errors.New("not finished, and taken back")
)

// The roles under which queries run in PostgreSQL.
type role string

const (
	tenant role = "memory_tenant" // sees the workspace that the transaction names
	worker role = "memory_worker" // sees also which there are and what is due
)

// patience is how long a transaction may take, and how long one waits for another: after that a
// host that has vanished, or a process that was stopped, holds nothing any more.
const patience = 30 * time.Second

// DB is a database that holds workspaces. It is safe for concurrent use.
type DB struct {
	sql      *sql.DB
	postgres bool
}

// Open connects to a database: postgres://… (a URL as libpq takes it), or sqlite:FILE. The file
// is created. It doesn't look at the tables; see [DB.Ready] and [DB.Migrate].
func Open(ctx context.Context, address string) (*DB, error) {
	db, err := connect(address)
	if err != nil {
		return nil, err
	}
	if err := db.sql.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database %s: %w", Redacted(address), err), db.Close())
	}
	return db, nil
}

func connect(address string) (*DB, error) {
	kind, rest, _ := strings.Cut(address, ":")
	switch kind {
	case "postgres", "postgresql":
		config, err := pgx.ParseConfig(address)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrAddress, err)
		}
		for name, value := range map[string]string{
			"application_name": "memory", "lock_timeout": "10000",
			"idle_in_transaction_session_timeout": strconv.FormatInt(patience.Milliseconds(), 10),
			"tcp_user_timeout":                    strconv.FormatInt(patience.Milliseconds(), 10),
			"tcp_keepalives_idle":                 "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3",
		} {
			if config.RuntimeParams[name] == "" {
				config.RuntimeParams[name] = value
			}
		}
		db := stdlib.OpenDB(*config)
		db.SetMaxOpenConns(32)
		db.SetMaxIdleConns(8)
		db.SetConnMaxIdleTime(5 * time.Minute)
		return &DB{sql: db, postgres: true}, nil
	case "sqlite":
		file, err := filepath.Abs(rest)
		if rest == "" || err != nil {
			return nil, errors.Join(fmt.Errorf("%w: write sqlite:FILE", ErrAddress), err)
		}
		query := url.Values{"_txlock": {"immediate"}, "_pragma": {
			"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
		}}
		db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: query.Encode()}).String())
		return &DB{sql: db}, err
	}
	return nil, fmt.Errorf("%w: %q is neither postgres://… nor sqlite:FILE", ErrAddress, Redacted(address))
}

// Redacted is an address without its password, for people to read.
func Redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(an address that can't be read)"
	}
	if query := u.Query(); query.Has("password") {
		query.Set("password", "xxxxx")
		u.RawQuery = query.Encode()
	}
	return u.Redacted()
}

// Close closes the connections.
func (db *DB) Close() error { return db.sql.Close() }

// Ping tells whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.sql.PingContext(ctx) }

// Postgres reports whether several processes may serve the database.
func (db *DB) Postgres() bool { return db.postgres }

// querier is a database or a transaction.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// dialect writes a query, in which ? stands for an argument, as the database takes it.
func (db *DB) dialect(query string) string {
	if !db.postgres {
		return strings.NewReplacer(" for update skip locked", "", " for update", "").Replace(query)
	}
	var b strings.Builder
	n := 0
	for _, r := range query {
		if r == '?' {
			n++
			b.WriteString("$" + strconv.Itoa(n))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// begin starts a transaction under a role that names a workspace; "" for none.
func (db *DB) begin(ctx context.Context, as role, ws string) (*sql.Tx, error) {
	tx, err := db.sql.BeginTx(ctx, nil)
	if err != nil || !db.postgres {
		return tx, err
	}
	if err := become(ctx, tx, as, ws); err != nil {
		return nil, errors.Join(err, rollback(tx))
	}
	return tx, nil
}

// become gives the rest of a transaction its role and its workspace.
func become(ctx context.Context, tx *sql.Tx, as role, ws string) error {
	_, err := tx.ExecContext(ctx, "select set_config('role', $1, true), set_config('memory.ws', $2, true)", string(as), ws)
	return err
}

// rollback ends a transaction, if it hasn't ended.
func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

// within does something in a transaction of its own.
func (db *DB) within(ctx context.Context, as role, ws string, do func(querier) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tx, err := db.begin(ctx, as, ws)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, rollback(tx))
	}
	return tx.Commit()
}

// reading is within for what only reads. In SQLite a single statement needs no transaction, and
// a transaction would keep writers waiting.
func (db *DB) reading(ctx context.Context, as role, ws string, do func(querier) error) error {
	if db.postgres {
		return db.within(ctx, as, ws, do)
	}
	return do(db.sql)
}

// locked reports whether somebody else held what was to be locked.
func locked(err error) bool {
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) {
		return pg.Code == "55P03" || pg.Code == "40P01" || pg.Code == "40001"
	}
	lite := (*sqlite.Error)(nil)
	return errors.As(err, &lite) && lite.Code()&0xff == 5 // SQLITE_BUSY
}

// taken reports whether a row with the same key exists.
func taken(err error) bool {
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) {
		return pg.Code == "23505"
	}
	lite := (*sqlite.Error)(nil)
	return errors.As(err, &lite) && lite.Code()&0xff == 19 && strings.Contains(lite.Error(), "UNIQUE") // SQLITE_CONSTRAINT
}

func milli(t time.Time) int64   { return t.UnixMilli() }
func ofMilli(n int64) time.Time { return time.UnixMilli(n).UTC() }

// noRow is what an error means where a row was asked for: another error if there is none.
func noRow(err, none error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return none
	}
	return err
}
