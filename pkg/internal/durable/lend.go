package durable

import "errors"

// Lender is a file system that can lend a file.
type Lender interface {
	// Lend gives a regular file of at most max bytes as it lies, not copied, for as long as the
	// process runs: for one that ends soon, since the room is never given back. The bytes are
	// only to be read, and stay what they are, whatever becomes of the file. Where that can't
	// be promised: [errors.ErrUnsupported].
	Lend(name string, max int64) ([]byte, error)
}

// Lend is [Lender.Lend], or, where nobody lends, [FS.Read]. It tells which.
func Lend(root FS, name string, max int64) (data []byte, lent bool, err error) {
	if l, ok := root.(Lender); ok {
		if data, err := l.Lend(name, max); !errors.Is(err, errors.ErrUnsupported) {
			return data, err == nil, err
		}
	}
	data, _, err = root.Read(name, max)
	return data, false, err
}

// RestLent takes what was lent out of the process's memory, where it counts: what is read again
// comes back from the system's.
func RestLent() { restLent() }
