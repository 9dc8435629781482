package sqldisk_test

import (
	"database/sql"
	"errors"
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
			driver := map[bool]string{true: "pgx", false: "sqlite"}[db.Postgres()]
			direct := address
			if !db.Postgres() {
				direct = "file:" + address[len("sqlite:"):]
			}
			raw, err := sql.Open(driver, direct)
			if err == nil {
				_, err = raw.Exec("update schema_version set version = 99")
			}
			if err != nil {
				t.Fatal(err)
			}
			defer raw.Close()
			if err := db.Ready(t.Context()); !errors.Is(err, sqldisk.ErrSchema) {
				t.Errorf("tables of a later version: %v", err)
			}
			if _, err := db.Migrate(t.Context(), sqldisk.MigrateOptions{}); !errors.Is(err, sqldisk.ErrSchema) {
				t.Errorf("tables of a later version: %v", err)
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
