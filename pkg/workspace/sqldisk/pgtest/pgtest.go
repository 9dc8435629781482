//go:build unix

package pgtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// cluster is the server of this process.
var cluster struct {
	once  sync.Once
	dir   string
	err   error
	stop  func()
	count atomic.Int64
}

// Main runs the tests of a package, and stops the server that they have started.
func Main(m *testing.M) (code int) {
	defer func() {
		if cluster.stop != nil {
			cluster.stop()
		}
	}()
	return m.Run()
}

// New returns the address of an empty database. The test is skipped, aloud, where PostgreSQL can't
// be had; with MEMORY_NEED_POSTGRES set, it fails there.
func New(t testing.TB) string {
	t.Helper()
	cluster.once.Do(func() { cluster.err = start() })
	if cluster.err != nil {
		if os.Getenv("MEMORY_NEED_POSTGRES") != "" {
			t.Fatalf("PostgreSQL: %v", cluster.err)
		}
		t.Skipf("SKIPPED: PostgreSQL can't be had: %v", cluster.err)
	}
	name := fmt.Sprintf("test_%d", cluster.count.Add(1))
	db, err := sql.Open("pgx", address("postgres"))
	if err == nil {
		_, err = db.Exec("create database " + name)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatalf("create a database: %v", err)
	}
	return address(name)
}

func address(database string) string {
	return (&url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/" + database, RawQuery: url.Values{"host": {cluster.dir}}.Encode()}).String()
}

// find looks for a program of PostgreSQL, whose packages often leave it outside PATH.
func find(name string) (string, error) {
	if file, err := exec.LookPath(name); err == nil {
		return filepath.EvalSymlinks(file)
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/", "/usr/pgsql-*/bin/", "/opt/homebrew/opt/postgresql*/bin/", "/usr/local/opt/postgresql*/bin/"} {
		if all, _ := filepath.Glob(pattern + name); len(all) > 0 {
			return all[len(all)-1], nil
		}
	}
	return "", fmt.Errorf("no program %s", name)
}

// owner is who runs the server: PostgreSQL refuses to run as root.
func owner(dir string) (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uerr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gerr := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(uerr, gerr, os.Chown(dir, int(uid), int(gid))); err != nil {
			return nil, err
		}
		return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return nil, errors.New("it can't run as root, and there is neither a user postgres nor nobody")
}

func start() error {
	initdb, err := find("initdb")
	if err != nil {
		return err
	}
	postgres, err := find("postgres")
	if err != nil {
		return err
	}
	if cluster.dir, err = os.MkdirTemp("", "pg"); err != nil {
		return err
	}
	remove := func() { _ = os.RemoveAll(cluster.dir) }
	as, err := owner(cluster.dir)
	if err != nil {
		remove()
		return err
	}
	data := filepath.Join(cluster.dir, "data")
	init := exec.Command(initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	init.SysProcAttr, init.Dir = as, cluster.dir
	if out, err := init.CombinedOutput(); err != nil {
		remove()
		return fmt.Errorf("initdb: %w: %s", err, bytes.TrimSpace(out))
	}
	// The shell stops the server when its input ends, be this process killed.
	script := `"$0" -D "$1" -k "$2" -c listen_addresses= -c fsync=off -c max_connections=200 >log 2>&1 & server=$!; read -r end; kill -QUIT $server; wait $server`
	cmd := exec.Command("/bin/sh", "-c", script, postgres, data, cluster.dir)
	cmd.SysProcAttr, cmd.Dir = as, cluster.dir
	end, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		remove()
		return err
	}
	cluster.stop = func() {
		_ = end.Close()
		_ = cmd.Wait()
		remove()
	}
	if err := answers(); err != nil {
		log, _ := os.ReadFile(filepath.Join(cluster.dir, "log"))
		cluster.stop()
		cluster.stop = nil
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(log))
	}
	return nil
}

// answers waits until the server takes connections.
func answers() error {
	db, err := sql.Open("pgx", address("postgres"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		if err = db.PingContext(ctx); err == nil || ctx.Err() != nil {
			return errors.Join(err, db.Close())
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Dir is the directory of the server's socket.
func Dir() string { return cluster.dir }
