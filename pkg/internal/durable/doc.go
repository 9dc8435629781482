// Package durable puts bytes on disk so that they stay there, and changes a file
// only if it is what it was expected to be. It knows no JSON.
//
// The nouns: an [FS] is the seam through which every byte is written; a slot is a
// complete, fsynced file beside the live ones; [CAS] brings a slot's content to a
// live name and takes what it displaced into the slot.
//
// Guarantees: a live name holds the complete old or the complete new file at
// every instant. Nothing that was not seen to be the expected content is unlinked
// or overwritten: what somebody else put there in the same moment is given back,
// or handed to the caller. No operation follows a link or leaves the root. An
// fsync that fails is an error and is never retried on the same file.
//
// Limits: where the file system has no atomic exchange (see [Probe]) a file that
// somebody renames into place in the instant between a check and the rename is
// lost; an edit in place never is. ACLs and extended attributes of a
// replaced file are not kept; its mode is, and its owner as far as [Staging.Write]
// can.
package durable
