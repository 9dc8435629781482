// Package oplog is the consolidation log: what was done to the memories of a
// workspace, when, by which trigger and rule, and why.
//
// The log is one JSON document, ops/consolidation-log.json. Every run appends
// one [Entry]; an entry lists its [Action]s and sums them up as [Stats]. The
// package knows ids and digests, no memories, and does no I/O: bytes in, bytes
// out. The file is written by [Append], read by [Read] and verified by [Verify].
//
// # The document
//
// A new log is {"version":"1.0.0","entries":[…]}. {"entries":[…]} and
// {"log":[…]} are read and appended to in their own shape, their own
// indentation and line ends, with every unknown member kept. Other tools may
// append entries of their own: what of them decodes is read, and no byte of
// them is changed.
//
// # The chain
//
// The hash of an entry is the lower-case hex SHA-256 of its compact form
// without its member hash: no white space between tokens, members in the order
// written, strings and numbers as spelled in the file. Each entry carries its
// own hash and, as prev_hash, the link of the entry before it. That link is
//
//   - "" if no entry stands before; in a document that follows another one (its
//     member follows names the file, how many entries were written by then, and
//     the link of the last) that link,
//   - the hash it carries, if it carries one,
//   - otherwise, for an entry that another tool wrote, the SHA-256 of the link
//     before that one, a line feed, and its compact form (of the compact form
//     alone where the link before is ""): the next entry of ours thereby vouches
//     for every foreign entry before it.
//
// # Guarantees
//
//   - Append changes no byte of an earlier entry and refuses a document that it
//     can't extend safely. A broken chain is no such reason: the log goes on, and
//     Verify goes on telling.
//   - Indenting the file again, or compacting it, leaves the chain whole.
//   - In the part of the log up to the last entry that carries a hash, Verify
//     finds every value that was changed, and every entry that was removed,
//     inserted or moved, as long as what comes after it was not rewritten too.
//   - Entries without a hash are the work of another tool. Before the first entry
//     with a hash they are taken as they are; after it Verify reports them, even if
//     a later entry vouches for them: memoryd did not write them.
//   - Nothing panics, whatever the bytes.
//
// # Limits
//
//   - A chain can't show that its tail was cut off, nor that its last entry was
//     replaced by another with a matching hash. Keep the [Head] elsewhere (in the
//     record of a run, in a commit): the entry with that number must still carry
//     that hash.
//   - Whoever rewrites every entry from some point on can close the chain again.
//     It is evidence against slips and casual tampering.
//   - Other spellings of the same value (0.90 for 0.9, \u00e9 for é) count as
//     changes. A program that parses and prints the file may do that.
//   - The log is one document and grows; Append costs time in proportion to it:
//     [Follow] goes on in a new one.
package oplog
