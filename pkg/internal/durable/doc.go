// Package durable makes file operations durable and conditional: fsync of files and
// directories, and compare-and-swap of a file's content. It knows no JSON.
//
// [FS] is the disk; [Open] opens a directory of the operating system as one. A slot is
// a complete, fsynced file next to the live ones. [CAS] brings the content of a slot to a
// live name and what it displaced into the slot.
//
// Guarantees: a live name holds the complete old or the complete new file at every
// instant. Content that was not seen to be the expected one is never unlinked or
// overwritten: what somebody else wrote at the same moment is put back, or passed to
// the caller. No operation follows a link or leaves the root. A failed fsync is an
// error and is never retried on the same file.
//
// Limits: without an atomic exchange (see [Probe]), a file that somebody renames into
// place between a check and the rename is lost; an edit in place never is. ACLs and
// extended attributes of a replaced file are not kept; its mode is, and its owner as
// far as [Staging.Write] can.
package durable
