//go:build !unix

package pgtest

import "testing"

// Main runs the tests of a package.
func Main(m *testing.M) (code int) { return m.Run() }

// New skips the test.
func New(t testing.TB) string {
	t.Skip("SKIPPED: PostgreSQL is started on Unix only")
	return ""
}

// Dir is the directory of the server's socket.
func Dir() string { return "" }
