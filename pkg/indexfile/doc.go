// Package indexfile is _index.json as a document: its members, and how it is
// brought into line with the memories that it should list.
//
// The nouns: a [File] has entries; a [Line] is what an entry is to tell of a memory; a
// [Want] is the lines that an index should have; a [Drift] is one place where it differs.
// [Update] is the one way to bring an index up to date.
//
// Guarantees: nothing is written and no File is changed: an update gives the bytes that
// the index should have. What no memory asks for stays byte for byte: unknown members, the
// file's own keys and shape, the order of entries, a summary by hand. An entry that holds
// content of its own is never removed, and no path of an entry leads out of the index's
// directory ([Resolve]).
//
// Limits: an index that repeats a key at its root, or has no list of memories, is foreign:
// it lists nothing, and can't be made to. Texts are of at most [jsonedit.MaxSize] bytes.
package indexfile
