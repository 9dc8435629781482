// Package seenfile is ops/seen.json as a document: for the id of every memory, what the
// last run that looked at it has left: the beginning of its checksum and its fingerprint, as
// one text. It may be deleted: then nothing counts as edited until the next run.
//
// Guarantees: one id to a line, sorted, so that the file diffs well. Any bytes can be read.
//
// Limits: what a text says, and whether a memory differs from it, is for whoever has the
// memories.
package seenfile
