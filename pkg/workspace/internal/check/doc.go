// Package check compares a workspace with its invariants, and moves aside what is damaged
// and can be made again.
//
// The nouns: [FileFindings] are what one reading of all files finds out about each memory while its
// bytes are at hand; a memory.Problem is one thing that is off.
//
// Guarantees: [Run] finds everything at once and changes nothing. [MoveDamaged] deletes
// nothing and touches no memory file.
//
// Limits: what is wrong in a memory file is for a person to fix.
package check
