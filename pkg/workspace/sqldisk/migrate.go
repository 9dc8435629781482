package sqldisk

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed migrations
var migrations embed.FS

// Version is the version of the tables that this program reads and writes.
const Version = 5

// Migration tells what [DB.Migrate] has done.
type Migration struct{ From, To int }

// MigrateOptions are for PostgreSQL.
type MigrateOptions struct {
	// Partitions splits the documents by a hash of the workspace into so many tables; 0 for
	// none. It counts when the tables are made.
	Partitions int
	// Login is a role that may serve: it becomes a member of the roles that queries run under.
	Login string
}

// Ready tells whether the tables are of this program's version; if not, the error is
// [ErrSchema] and says what to do. A SQLite file without any tables is given them.
func (db *DB) Ready(ctx context.Context) error {
	version, err := versionIn(ctx, db, db.sql)
	if err == nil && version == 0 && !db.postgres {
		_, err = db.Migrate(ctx, MigrateOptions{})
		return err
	}
	switch {
	case err != nil:
		return fmt.Errorf("look at the tables of the database: %w", err)
	case version < Version:
		return fmt.Errorf("%w: %d, this program needs %d: stop every hub and run \"memory-hub migrate\"", ErrSchema, version, Version)
	case version > Version:
		return fmt.Errorf("%w: %d, this program knows %d: take a newer one", ErrSchema, version, Version)
	}
	return nil
}

// versionIn is that of the tables, 0 for none.
func versionIn(ctx context.Context, db *DB, q querier) (version int, err error) {
	there := "select count(*) from information_schema.tables where table_name = 'schema_version' and table_schema = current_schema()"
	if !db.postgres {
		there = "select count(*) from sqlite_master where name = 'schema_version'"
	}
	if err := q.QueryRowContext(ctx, there).Scan(&version); err != nil || version == 0 {
		return 0, err
	}
	err = q.QueryRowContext(ctx, "select version from schema_version").Scan(&version)
	return version, err
}

// Migrate brings the tables to this program's version, forward only, in one transaction. One at
// a time does it; another one waits, and finds nothing to do. In PostgreSQL it needs the right to
// create tables and roles.
func (db *DB) Migrate(ctx context.Context, o MigrateOptions) (Migration, error) {
	m, err := db.migrate(ctx, o)
	if taken(err) || justMade(err) { // somebody else has just begun
		m, err = db.migrate(ctx, o)
	}
	if err != nil {
		return m, fmt.Errorf("migrate the database: %w", err)
	}
	return m, nil
}

// justMade reports whether a table or a role was made between the look whether it is there and its making: PostgreSQL's "if not
// exists" doesn't hold against others at the same time.
func justMade(err error) bool {
	pg := (*pgconn.PgError)(nil)
	return errors.As(err, &pg) && (pg.Code == "42P07" || pg.Code == "42710") // duplicate_table, duplicate_object
}

func (db *DB) migrate(ctx context.Context, o MigrateOptions) (m Migration, err error) {
	tx, err := db.sql.BeginTx(ctx, nil)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, rollback(tx)) }()
	for _, first := range []string{
		"create table if not exists schema_version (id bigint not null primary key, version bigint not null, migrated_at bigint not null)",
		"insert into schema_version (id, version, migrated_at) values (1, 0, 0) on conflict (id) do nothing",
	} {
		if _, err := tx.ExecContext(ctx, first); err != nil {
			return m, err
		}
	}
	if err := tx.QueryRowContext(ctx, db.dialect("select version from schema_version where id = 1 for update")).Scan(&m.From); err != nil {
		return m, err
	}
	if m.To = max(m.From, Version); m.From > Version {
		return m, fmt.Errorf("%w: %d, this program knows %d: take a newer one", ErrSchema, m.From, Version)
	}
	for v := m.From + 1; v <= Version; v++ {
		if err := db.step(ctx, tx, v, o.Partitions); err != nil {
			return m, fmt.Errorf("to version %d: %w", v, err)
		}
	}
	if m.From < m.To {
		if _, err := tx.ExecContext(ctx, db.dialect("update schema_version set version = ?, migrated_at = ?"), m.To, milli(time.Now())); err != nil {
			return m, err
		}
	}
	if o.Login != "" && db.postgres {
		if err := letServe(ctx, tx, o.Login); err != nil {
			return m, err
		}
	}
	return m, tx.Commit()
}

// letServe makes a role a member of those that queries run under.
func letServe(ctx context.Context, tx *sql.Tx, login string) error {
	if !loginName().MatchString(login) {
		return fmt.Errorf("%q is not a name of a role: letters, digits, _ and -", login)
	}
	_, err := tx.ExecContext(ctx, `grant memory_tenant, memory_worker to "`+login+`"; grant select on schema_version to "`+login+`"`)
	return err
}

func loginName() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,62}$`) }

// step runs the statements of one version.
func (db *DB) step(ctx context.Context, tx *sql.Tx, version, partitions int) error {
	text, err := migrations.ReadFile(fmt.Sprintf("migrations/%04d.sql", version))
	if err != nil {
		return err
	}
	bytes, partitioned := "blob", ""
	if db.postgres {
		bytes = "bytea"
		if partitions > 0 {
			partitioned = " partition by hash (ws)"
		}
	}
	// The texts have no string with these words: comments tell of them, and go.
	statements := strings.NewReplacer(" PARTITIONED", partitioned, "BYTES", bytes).Replace(comment().ReplaceAllString(string(text), ""))
	if db.postgres {
		own, err := migrations.ReadFile(fmt.Sprintf("migrations/%04d.postgres.sql", version))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if version == 1 {
			for i := range partitions {
				statements += fmt.Sprintf("create table document_%d partition of document for values with (modulus %d, remainder %d);\n", i, partitions, i)
			}
		}
		statements += string(own)
	}
	_, err = tx.ExecContext(ctx, statements)
	return err
}

func comment() *regexp.Regexp { return regexp.MustCompile(`(?m)^--.*$`) }
