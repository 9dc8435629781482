// Package recall finds the memories that fit a query.
package recall
