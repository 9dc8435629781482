package sqldisk_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk/pgtest"
	"github.com/memoryd/memoryd/pkg/workspace/storetest"
)

// at is the time of what the tests do.
var at = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// engines are the databases, each test on an empty one.
var engines = map[string]func(t testing.TB) string{
	"sqlite":   func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "hub.db") },
	"postgres": pgtest.New,
}

// each runs a test on every database.
func each(t *testing.T, test func(t *testing.T, db *sqldisk.DB)) {
	for name, address := range engines {
		t.Run(name, func(t *testing.T) {
			test(t, open(t, address(t), sqldisk.MigrateOptions{}))
		})
	}
}

// open makes the tables.
func open(t testing.TB, address string, o sqldisk.MigrateOptions) *sqldisk.DB {
	t.Helper()
	db, err := sqldisk.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Migrate(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return db
}

// create makes an empty workspace and checks it out.
func create(t testing.TB, db *sqldisk.DB, ws string) *sqldisk.Disk {
	t.Helper()
	if err := db.Create(t.Context(), ws, "", at); err != nil {
		t.Fatal(err)
	}
	return checkout(t, db, ws)
}

func checkout(t testing.TB, db *sqldisk.DB, ws string) *sqldisk.Disk {
	t.Helper()
	d, err := db.Disk(context.Background(), ws)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDisks(t *testing.T) {
	each(t, func(t *testing.T, db *sqldisk.DB) {
		names := make(chan string, 1000)
		for i := range 1000 {
			names <- "w" + string(rune('a'+i/100)) + string(rune('a'+i/10%10)) + string(rune('a'+i%10))
		}
		storetest.Run(t, func(t *testing.T) workspace.Disk { return create(t, db, <-names) })
	})
}
