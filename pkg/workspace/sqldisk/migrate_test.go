package sqldisk_test

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"

	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest"
)

// Tables of another version are refused, and migrating is done by one at a time.
func TestMigrate(t *testing.T) {
	for name, address := range engines {
		t.Run(name, func(t *testing.T) {
			address := address(t)
			db, err := sqldisk.Open(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if err := db.Ready(t.Context()); db.Postgres() != errors.Is(err, sqldisk.ErrSchema) {
				t.Errorf("an empty database: %v", err)
			}
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() {
					if m, err := db.Migrate(t.Context(), sqldisk.MigrateOptions{}); err != nil || m.To != sqldisk.Version {
						t.Errorf("%+v, %v", m, err)
					}
				})
			}
			group.Wait()
			if err := db.Ready(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := direct(t, address).Exec("update schema_version set version = 99"); err != nil {
				t.Fatal(err)
			}
			if err := db.Ready(t.Context()); !errors.Is(err, sqldisk.ErrSchema) {
				t.Errorf("tables of a later version: %v", err)
			}
			if _, err := db.Migrate(t.Context(), sqldisk.MigrateOptions{}); !errors.Is(err, sqldisk.ErrSchema) {
				t.Errorf("tables of a later version: %v", err)
			}
		})
	}
}

// direct is a database as SQL has it.
func direct(t testing.TB, address string) *sql.DB {
	t.Helper()
	driver := "pgx"
	if file, ok := strings.CutPrefix(address, "sqlite:"); ok {
		driver, address = "sqlite", "file:"+file
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// mirrors makes the table of mirrors, as version 2 had it, with a row.
const mirrors = `create table mirror (ws text not null references workspace, machine text not null, principal text not null, push text not null,
	revision bigint not null, pushed_at bigint not null, primary key (ws, machine));
	insert into mirror (ws, machine, principal, push, revision, pushed_at) values ('acme', 'm', 'p', 'x', 1, 0)`

// Documents of before are read as they are, and what is written over them is deflated.
func TestDocumentsOfBefore(t *testing.T) {
	long := record(strings.Repeat("a", 400))
	for name, address := range engines {
		t.Run(name, func(t *testing.T) {
			address := address(t)
			db := open(t, address, sqldisk.MigrateOptions{})
			create(t, db, "acme")
			raw := direct(t, address)
			for _, statement := range []string{
				"alter table document drop column inflated", "drop table failure", mirrors, "update schema_version set version = 2", "update workspace set revision = 1",
				"insert into document (ws, path, bytes, sha256, revision) values ('acme', 'global/a.json', '" + long + "', '" + fmt.Sprintf("%x", sha256.Sum256([]byte(long))) + "', 1)",
			} {
				if _, err := raw.Exec(statement); err != nil {
					t.Fatal(err)
				}
			}
			if m, err := db.Migrate(t.Context(), sqldisk.MigrateOptions{}); err != nil || m.From != 2 || m.To != sqldisk.Version {
				t.Fatalf("%+v, %v", m, err)
			}
			d := checkout(t, db, "acme")
			s := index(t, d)
			if _, err := raw.Exec("select * from mirror"); err == nil {
				t.Error("the table of mirrors is still there")
			}
			if got := documents(t, db, "acme")["global/a.json"]; got != long {
				t.Errorf("%q", got)
			}
			if _, err := s.Commit(t.Context(), &workspace.Tx{Plan: storetest.Archive(s, load(t, s), strings.Repeat("a", 400))}); err != nil {
				t.Fatal(err)
			}
			_, docs, err := db.Since(t.Context(), "acme", 0)
			if err != nil {
				t.Fatal(err)
			}
			now := d.Files()
			for _, doc := range docs {
				if text := now[doc.Path]; text != string(doc.Bytes) {
					t.Errorf("%s: %q is stored as %q", doc.Path, text, doc.Bytes)
				}
			}
			var stored int64
			if err := raw.QueryRow("select sum(length(bytes)) from document").Scan(&stored); err != nil {
				t.Fatal(err)
			}
			if stat, err := db.Stat(t.Context(), "acme"); err != nil || stat.Bytes < 2*stored {
				t.Errorf("%d bytes take %d, %v", stat.Bytes, stored, err)
			}
			if _, err := raw.Exec("update document set inflated = 7 where inflated > 0"); err != nil {
				t.Fatal(err)
			}
			if _, _, err := db.Since(t.Context(), "acme", 0); err == nil {
				t.Error("a damaged document was read")
			}
		})
	}
}

// A partitioned table serves as well as a plain one.
func TestPartitions(t *testing.T) {
	db := open(t, engines["postgres"](t), sqldisk.MigrateOptions{Partitions: 4})
	s := fill(t, create(t, db, "acme"), map[string]string{"global/a.json": record("a")})
	if _, err := s.Commit(t.Context(), &workspace.Tx{Plan: storetest.Archive(s, load(t, s), "a")}); err != nil {
		t.Fatal(err)
	}
	check(t, s)
	if docs := documents(t, db, "acme"); docs["archive/a.json"] == "" {
		t.Errorf("%v", docs)
	}
}

func TestAddresses(t *testing.T) {
	for _, address := range []string{"", "sqlite:", "mysql://x", "file.db", "postgres://%zz", "sqlite:/nowhere/at/all/x.db"} {
		if db, err := sqldisk.Open(t.Context(), address); err == nil {
			t.Errorf("%q was opened", address)
			_ = db.Close()
		}
	}
	if got := sqldisk.Redacted("postgres://me:secret@host/db?password=secret"); got != "postgres://me:xxxxx@host/db?password=xxxxx" {
		t.Error(got)
	}
}
