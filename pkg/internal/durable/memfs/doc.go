// Package memfs is a disk in memory. It has directories and regular files, and no
// links or owners. With Track it records which changes have been made durable, so
// that faultfs can compute what a loss of power would leave.
package memfs
