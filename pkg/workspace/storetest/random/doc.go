// Package random makes random workspaces for property tests: every shape of memory
// file, index and writing style, with memories among which each rule finds something to
// do. Its texts are short and come from a small stock, so that duplicates are frequent.
package random
