// Package disk is the seam between a workspace and what stores its files.
//
// A [Disk] is a tree of directories and files with atomic renames, fsync and an
// advisory lock. The operating system's directory is one, package memdisk is
// another, and a database can be a third: whoever implements [Disk] passes it to
// workspace.OpenOn. Package storetest checks an implementation.
//
// Every byte that a workspace reads or writes goes through a Disk. Tests use that
// to count the calls, to fail them, to cut the power between two of them and to
// edit a file at any of them.
package disk
