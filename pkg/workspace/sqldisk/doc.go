// Package sqldisk keeps workspaces in a database: PostgreSQL, or one SQLite file.
//
// A [DB] holds many workspaces. Each is a [Disk]: its documents are checked out into memory by
// one query, the engine of package workspace works on them as it does on files, and what it has
// changed is checked in by one transaction:
//
//	db, err := sqldisk.Open(ctx, "sqlite:team.db")
//	disk, err := db.Disk(ctx, "acme")
//	store := workspace.OpenOn(disk)
//
// A document is a file: bytes at a path, kept as they are. What is derived or belongs to one
// process (indexes, caches, the slots of a run) is not stored; see [Stored].
//
// The writer's lock of a workspace is the lock on its row: whoever takes it is brought up to
// date first. When it is released, each changed document is written over the SHA-256 that was
// checked out, or nothing is, and the revision of the workspace grows by one. A transaction that
// fails leaves the database as it was, and what was in memory is thrown away.
//
// In PostgreSQL every query runs under one of two roles that own nothing, in a transaction that
// names its workspace; row level security is forced, so that without a name there is no row.
// SQLite has neither: whoever can read the file can read all of it. Several processes may serve
// one PostgreSQL database; a SQLite file is for one process on one machine.
//
// [DB.Claim] hands out runs that are due, each exactly once: what a run has changed, the mark
// that it is done and the time of the next one become true in one transaction.
package sqldisk
