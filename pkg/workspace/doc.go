// Package workspace is the memory folder on disk: it reads every shape of
// memory file into an immutable [memory.Snapshot], and makes a [Tx] of changes true.
//
//   - [FileStore] is a workspace as a directory of files: [FileStore.Load] reads it,
//     [FileStore.Commit] writes.
//   - [Tx]: the changes of a [memory.Plan], whole actions at a time.
//   - [Inventory]: what a process that stays knows, to keep the indexes up to date.
//
// What the files hold, and which of them have changed, is known by the internal package
// catalog. Packages indexfile and review, and the internal ones, read and patch the documents
// beside the memories as bytes. This one says when.
//
// Guarantees: a file that holds no memory, is not valid JSON, is not UTF-8, or
// repeats a key at a level that would be edited is never written. An edit changes
// the bytes of the record it is meant for and nothing else in its file. A change
// whose memory differs on disk from what the plan saw is skipped, never forced.
// A transaction happens whole or not at all, whatever is killed, fails or loses
// power: its journal's rename commits it, and whoever takes the lock next
// finishes it by the same code ([FileStore.Commit]). What somebody else writes
// while it is applied is never lost: files are swapped only if they are what was
// read, and an action that meets another hand is taken back whole. Every run can
// be undone while its record is kept ([FileStore.Undo]).
// Archiving moves; nothing deletes a record. _index.json is derived: it is
// patched along with every change and can be rebuilt from the files at any time.
//
// Limits: on a file system without atomic exchange, see package durable. Actions
// of a run that share a collection share their fate when somebody changes it in
// that instant. Files over [jsonedit.MaxSize] are reported and left alone. One process
// writes at a time; readers take no lock.
package workspace
