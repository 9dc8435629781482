// Package memdisk keeps a workspace in memory: for tests, and for programs that load
// the files from elsewhere and store what has changed.
//
//	d := memdisk.New()
//	err := d.Put("global/mem_1.json", text)
//	store := workspace.OpenOn(d)
//
// A [Disk] has the semantics of a local file system with atomic exchange: renames are
// atomic, locks exclude each other, files have modes and times. It has no links and no
// owners. Nothing survives the process.
package memdisk
