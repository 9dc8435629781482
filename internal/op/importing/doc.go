// Package importing takes the memories of another tool into a workspace.
//
// [Read] reads its store: a file or a directory in one of the formats of package foreign. [Plan] says what becomes of
// each record, and gives the actions that make it true; it reads no disk. [Run] plans, commits, and says what the first
// run of the rules would do then.
package importing
