// Package faultfs makes the disk of tests: a [Mem] file system that can lose
// power, and a [Hook] that counts the steps of another file system, fails them,
// or lets something happen between two of them.
//
// Guarantees: what [Mem.Crash] leaves is a state that its [Model] allows: what was
// synced is there, and of the rest a legal part. Equal seeds give equal states.
//
// Limits: one process; file contents are small; no links, no permissions.
package faultfs
