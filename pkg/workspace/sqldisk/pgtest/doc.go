// Package pgtest starts PostgreSQL for tests: a cluster of their own in a temporary directory,
// which listens on a Unix socket there and ends with the tests.
package pgtest
