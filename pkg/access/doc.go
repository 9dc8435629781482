// Package access decides who may change which memory. It is the only place that does: every write
// of a store that serves a principal asks [Allows], and nothing else decides.
//
// Guarantees: a change is judged by the record as it was, by the record as it will be and by the
// file that is written. All three are compared with the grants, because recall believes a record
// that states its own scope. Pure: no disk, no clock.
//
// Limits: who a principal is and what it is granted is for the caller to know.
package access
