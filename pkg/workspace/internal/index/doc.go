// Package index says what the _index.json files of a workspace should list, and when a run
// writes which of them. The documents themselves are package indexfile's.
//
// Guarantees: it decides from memories, journals and the log alone, and writes nothing. A run
// that follows [TurnsOf] writes each index once where it can, and never takes the last line
// of a memory away before it is listed in its new place.
//
// Limits: a file that can't be parsed has no memories.
package index
