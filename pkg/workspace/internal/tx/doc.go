// Package tx makes a plan true on disk, whole or not at all.
//
// The nouns: a [Tx] is a plan on its way to the disk, a [Result] what became of it. A run
// is a transaction that has its record below ops/runs/: its journal says what it will do,
// done.json what became of it. A slot is a file of a run through which a live file is
// swapped: it holds the new content before, the displaced one afterwards.
//
// The course of a run: compare each action with the disk, compute all new files in memory,
// stage them in slots, rename the journal to its name (the commit), swap file by file in the
// order create, reference, replace, unreference, delete, patch indexes and documents below
// ops/, log, done.json. Recovery is the second half of the same code.
//
// Guarantees: before the commit no live file is touched; after it whoever takes the lock
// next finishes the run. A file is replaced only if it is what was read; an action that
// meets somebody else's edit is taken back whole and logged as skipped; what was displaced
// and can't be given back goes to ops/conflicts. Every run can be undone while its record is
// kept ([Store.Undo]).
//
// Limits: one writer at a time, by the lock. Actions that share a file share their fate. On
// a file system without atomic exchange, see package durable.
package tx
