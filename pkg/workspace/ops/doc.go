// Package ops is what lies below ops/ besides the runs: the log, the access log, the review
// queue, spools of sessions, and the state of the process that watches.
//
// Guarantees: a file of a spool is written whole, under a name of its own, and waits for no
// lock. State is replaced durably in one step, under the writer's lock. Reads of the log
// follow its older parts; [Log.Verify] finds entries that were changed, removed or cut off.
//
// Limits: lines of the access log and of text files are not durable when a call returns.
package ops
