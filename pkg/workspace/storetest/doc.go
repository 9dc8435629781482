// Package storetest checks that a workspace keeps its promises on a disk.
//
// [Run] is the conformance suite for implementations of [workspace.Disk]: the
// operations of the disk itself, then commit, conflict, recovery after a cut at every
// step, undo, log, review queue, limits and reads next to a writer.
package storetest
