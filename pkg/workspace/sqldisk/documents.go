package sqldisk

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// Document is a file of a workspace as the database has it.
type Document struct {
	Path     string
	Bytes    []byte
	SHA256   string // in hexadecimal; "": it was removed
	Revision int64  // of the workspace, when it was last written
}

// Removed reports whether there is no such document any more.
func (d Document) Removed() bool { return d.SHA256 == "" }

// below ops/ these are stored: what several machines share.
var (
	storedFiles = []string{memory.LogFile, memory.SavesFile, memory.ReviewFile, memory.SeenFile, ops.AccessFile, ops.GivenFile, ops.TriggersFile, ops.ModelFile}
	storedDirs  = []string{memory.OriginalDir, workspace.ConflictsDir, workspace.LogArchive, "ops/logs", "ops/access", "ops/reviews", "ops/edges"}
	recordFiles = []string{"journal.json", "done.json", "deferred.json"}
)

// Stored reports whether the database keeps the file of that name: memories, settings, schemas,
// and of ops/ the log, what people decided, uses, kept originals and the records of runs. It
// keeps no index, cache, lock, hidden file or slot of a run.
func Stored(name string) bool {
	parts := strings.Split(name, "/")
	if parts[len(parts)-1] == memory.IndexFile || slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(p, ".") }) {
		return false
	}
	if parts[0] != memory.OpsDir {
		return true
	}
	if path.Dir(path.Dir(name)) == workspace.RunsDir {
		return slices.Contains(recordFiles, path.Base(name)) || strings.HasPrefix(path.Base(name), "dead.")
	}
	return slices.Contains(storedFiles, name) || slices.ContainsFunc(storedDirs, func(dir string) bool { return strings.HasPrefix(name, dir+"/") })
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// since reads the revision of a workspace and the documents that were written after another one,
// in one statement, so that they belong together.
func (db *DB) since(ctx context.Context, q querier, ws string, after int64) (revision int64, docs []Document, err error) {
	rows, err := q.QueryContext(ctx, db.dialect(`select w.revision, d.path, d.bytes, d.inflated, d.sha256, d.revision
		from workspace w left join document d on d.ws = w.ws and d.revision > ? where w.ws = ?`), after, ws)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	found := false
	for rows.Next() {
		var name, sum sql.NullString
		var written, inflated sql.NullInt64
		var data []byte
		if err := rows.Scan(&revision, &name, &data, &inflated, &sum, &written); err != nil {
			return 0, nil, err
		}
		if found = true; !name.Valid {
			continue
		}
		if data, err = unpack(data, inflated.Int64); err != nil {
			return 0, nil, fmt.Errorf("%s: %w", name.String, err)
		}
		docs = append(docs, Document{Path: name.String, Bytes: data, SHA256: sum.String, Revision: written.Int64})
	}
	if err := rows.Err(); err != nil {
		return 0, nil, err
	}
	if !found {
		return 0, nil, fmt.Errorf("%s: %w", ws, ErrNoWorkspace)
	}
	return revision, docs, nil
}

// Since returns the documents of a workspace that were written after a revision, those that were
// removed included, and the revision that they make it; 0 is before everything.
func (db *DB) Since(ctx context.Context, ws string, after int64) (revision int64, docs []Document, err error) {
	err = db.reading(ctx, tenant, ws, func(q querier) (err error) {
		revision, docs, err = db.since(ctx, q, ws, after)
		return err
	})
	if err != nil {
		return 0, nil, fmt.Errorf("read the documents of %s: %w", ws, err)
	}
	return revision, docs, nil
}

// change is a document to be written: "" is an absent one, and so is its digest.
type change struct {
	path, base, digest, text string
	removed                  bool
}

// difference lists what differs between the documents that were checked out and those that are
// there now, by path.
func difference(base, now map[string]string) (all []change) {
	for name, text := range now {
		if old, was := base[name]; !was || old != text {
			c := change{path: name, text: text, digest: digest(text)}
			if was {
				c.base = digest(old)
			}
			all = append(all, c)
		}
	}
	for name, old := range base {
		if _, is := now[name]; !is {
			all = append(all, change{path: name, base: digest(old), removed: true})
		}
	}
	slices.SortFunc(all, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return all
}

// ChangedError lists documents that are not what a change was made from. It is an [ErrChanged].
type ChangedError struct{ Paths []string }

func (e *ChangedError) Error() string { return strings.Join(e.Paths, ", ") + ": " + ErrChanged.Error() }

// Is makes it an [ErrChanged].
func (e *ChangedError) Is(target error) bool { return target == ErrChanged }

// lockRow takes the lock on the row of a workspace, and returns its revision.
func (db *DB) lockRow(ctx context.Context, q querier, ws string) (revision int64, err error) {
	err = q.QueryRowContext(ctx, db.dialect("select revision from workspace where ws = ? for update"), ws).Scan(&revision)
	return revision, noRow(err, ErrNoWorkspace)
}

// maxRows is how many documents a statement names at most.
const maxRows = 256

// write writes documents as of the next revision, each only over what was checked out, else the error is a
// [ChangedError]; whoever calls it holds the lock on the workspace.
func (db *DB) write(ctx context.Context, q querier, ws string, revision int64, all []change) error {
	if err := writeDocuments(ctx, db, q, ws, revision, all); err != nil {
		return err
	}
	current, err := advance(ctx, db, q, ws, revision-1)
	if err == nil && !current {
		err = ErrChanged
	}
	return err
}

// advance takes the lock on the row of a workspace and counts its revision up, if it is at that one.
func advance(ctx context.Context, db *DB, q querier, ws string, from int64) (current bool, err error) {
	result, err := q.ExecContext(ctx, db.dialect("update workspace set revision = ? where ws = ? and revision = ?"), from+1, ws, from)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// writeDocuments is write without the revision of the workspace.
func writeDocuments(ctx context.Context, db *DB, q querier, ws string, revision int64, all []change) error {
	moved, err := movedOf(ctx, db, q, ws, all)
	if err != nil {
		return fmt.Errorf("look at the documents to be written: %w", err)
	}
	if len(moved) > 0 {
		return &ChangedError{moved}
	}
	for some := range slices.Chunk(all, maxRows) {
		if err := upsert(ctx, db, q, ws, revision, some); err != nil {
			return fmt.Errorf("write %s and others: %w", some[0].path, err)
		}
	}
	return nil
}

// upsert writes some documents by one statement. PostgreSQL is given the columns as arrays, so that it prepares one statement for any
// number of rows.
func upsert(ctx context.Context, db *DB, q querier, ws string, revision int64, some []change) error {
	var rows []any
	var paths, sums []string
	var texts [][]byte
	var sizes []int64
	for _, c := range some {
		var data []byte
		var inflated int64
		if !c.removed {
			var err error
			if data, inflated, err = pack(c.text); err != nil {
				return fmt.Errorf("%s: %w", c.path, err)
			}
		}
		rows = append(rows, ws, c.path, data, inflated, c.digest, revision)
		paths, texts, sizes, sums = append(paths, c.path), append(texts, data), append(sizes, inflated), append(sums, c.digest)
	}
	values := "values (?, ?, ?, ?, ?, ?)" + strings.Repeat(", (?, ?, ?, ?, ?, ?)", len(some)-1)
	if db.postgres {
		values = `select cast(? as text), path, bytes, inflated, sha256, cast(? as bigint)
			from unnest(cast(? as text[]), cast(? as bytea[]), cast(? as bigint[]), cast(? as text[])) as d (path, bytes, inflated, sha256)`
		rows = []any{ws, revision, paths, texts, sizes, sums}
	}
	_, err := q.ExecContext(ctx, db.dialect("insert into document (ws, path, bytes, inflated, sha256, revision) "+values+
		" on conflict (ws, path) do update set bytes = excluded.bytes, inflated = excluded.inflated, sha256 = excluded.sha256, revision = excluded.revision"), rows...)
	return err
}

// movedOf lists documents that are not what they were when they were checked out.
func movedOf(ctx context.Context, db *DB, q querier, ws string, all []change) (paths []string, err error) {
	now := map[string]string{}
	for some := range slices.Chunk(all, maxRows) {
		var paths []string
		for _, c := range some {
			paths = append(paths, c.path)
		}
		if err := readDigests(ctx, db, q, ws, paths, now); err != nil {
			return nil, err
		}
	}
	for _, c := range all {
		if now[c.path] != c.base {
			paths = append(paths, c.path)
		}
	}
	return paths, nil
}

// readDigests adds those of some documents that there are.
func readDigests(ctx context.Context, db *DB, q querier, ws string, paths []string, into map[string]string) (err error) {
	named, args := "= any(?)", []any{ws, paths}
	if !db.postgres {
		named, args = "in (?"+strings.Repeat(", ?", len(paths)-1)+")", []any{ws}
		for _, p := range paths {
			args = append(args, p)
		}
	}
	rows, err := q.QueryContext(ctx, db.dialect("select path, sha256 from document where ws = ? and path "+named), args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name, sum string
		if err := rows.Scan(&name, &sum); err != nil {
			return err
		}
		into[name] = sum
	}
	return rows.Err()
}

// written reports whether a revision is the one that wrote these documents: what has become of a
// transaction whose answer was lost.
func (db *DB) written(ctx context.Context, ws string, revision int64, all []change) (bool, error) {
	_, docs, err := db.Since(ctx, ws, revision-1)
	if err != nil {
		return false, err
	}
	ours := map[string]string{}
	for _, c := range all {
		ours[c.path] = c.digest
	}
	found := 0
	for _, d := range docs {
		if sum, is := ours[d.Path]; d.Revision == revision {
			if !is || sum != d.SHA256 {
				return false, nil
			}
			found++
		}
	}
	return found > 0, nil
}

// storedOf is what of some files the database keeps.
func storedOf(files map[string]string) map[string]string {
	maps.DeleteFunc(files, func(name, _ string) bool { return !Stored(name) })
	return files
}
