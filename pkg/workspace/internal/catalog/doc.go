// Package catalog knows what every file of a workspace held when it was last read, and finds out
// what has changed since.
//
// A [File] is what one reading of a file told: its memories, its problems, and a [Stamp] by
// which an unchanged file is known again. A [Catalog] is all files of a workspace in order.
// [Scan] lists every directory, compares every file's stamp and reads only those that differ or
// are too young to be told apart (git's racy rule). [Catalog.Update] does the same for named
// files and directories. Both return a new catalogue that shares the files that are unchanged.
//
// A catalogue is derived, and so is the copy that is saved below ops/cache: no promise rests on
// it. What is written is decided by the digests of what is in the files at that moment.
package catalog
