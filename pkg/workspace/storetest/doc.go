// Package storetest makes random workspaces for property tests: every shape of
// memory file, index and writing style that exists, with memories among which
// each rule finds something to do.
//
// Limits: the texts are short and come from a small stock, so that duplicates are
// frequent; it is no source of realistic content.
package storetest
