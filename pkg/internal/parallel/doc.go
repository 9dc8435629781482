// Package parallel runs loops on all cores.
//
// The calls of a loop run at the same time and in any order: no call may write what
// another one reads or writes. Each function returns when all calls have returned.
package parallel
