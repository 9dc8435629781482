// Package seenfile is ops/seen.json as a document: for the id of every memory, what the
// last run that looked at it has left: the beginning of its checksum and its fingerprint, as
// one text. It may be deleted: then nothing counts as edited until the next run.
//
// Guarantees: one id to a line, sorted, so that the file diffs well and [Patch] needs only
// to copy the rest. A file that isn't as [Format] writes it can be read, and is not patched.
//
// Limits: what a text says, and whether a memory differs from it, is for whoever has the
// memories.
package seenfile
