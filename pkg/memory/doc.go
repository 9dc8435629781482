// Package memory has the nouns of memoryd, without a disk: a [Memory] is one typed JSON record,
// a [Snapshot] all memories of a workspace at one moment, a [Plan] an ordered list of [Action]s
// computed from a snapshot. Rules import this package and no other of the store.
//
// A memory's fields are parsed from its record once ([ParseFile]). Its bytes are in memory when
// it was parsed from them just now; otherwise a [Source] reads them when they are asked for.
//
// Everything here is plain data. A snapshot is immutable once it was made ([NewSnapshot]) and
// safe for concurrent use; tests build one by hand from [ParseRecords].
package memory
