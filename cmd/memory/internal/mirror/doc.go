// Package mirror keeps a workspace in a folder in step with one of a hub.
//
// The folder is whole without the hub: agents and people work on it at any time. [Mirror.Sync] brings in what others have
// written, by the order in which the hub has taken it, merges it with what was changed here (package merge, with the bytes that
// both sides last agreed on as the base), and sends what was changed here, each document over the text that it was made
// from. The hub never merges: if a document has changed there meanwhile, it takes nothing, and the mirror merges again.
//
// What was agreed on is kept in ops/mirror.db, a SQLite file, with what is under way. A push has a name under which it
// is sent again until the hub has answered, so that it happens once; a document that is taken over is staged and noted before
// it is put in its place. So either side may die at any point: the next sync goes on from there, nothing is
// lost and nothing counts twice.
//
// What can't be merged: of settings, schemas and other files that hold no memory the hub's text stands, and ours is kept in ops/conflicts/sync; a log
// that both sides continued stays as it is on each.
package mirror
