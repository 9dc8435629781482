// Package journal is what the disk holds of a run, below ops/runs/<run>/: what it
// will do ([Run]), what became of it ([Done]), and which file a slot next to them belongs
// to. It does nothing of that: it says how it is written and read.
//
// Guarantees: what is read is what was written: a record has its checksum in its first
// line, and one that doesn't match is [ErrDamaged]. Bytes of files survive exactly. The name
// of a slot tells all that may be in it, so that recovery needs to look at nothing else.
// Names that others chose give no slot, or one of a file that the run names.
//
// Limits: the members of the records are a contract with the runs of before: none may
// change its name or meaning. A checksum finds damage, not forgery.
package journal
