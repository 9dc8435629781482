package durable

// Piece is a part of a file: where it begins, and how many bytes it has.
type Piece struct {
	From int64
	Size int
}

// RestLent does nothing; it goes with its last caller.
func RestLent() {}

// Lend reads a file; it goes with its last caller.
func Lend(root FS, name string, max int64) (data []byte, lent bool, err error) {
	data, _, err = root.Read(name, max)
	return data, false, err
}

// ReadInto reads a file; it goes with its last caller.
func ReadInto(fsys FS, name string, max int64, room []byte) (data []byte, info Info, err error) {
	return fsys.Read(name, max)
}

// List is ReadDir, without a description; it goes with its last caller.
func List(fsys FS, name string) ([]Entry, Info, error) {
	if l, ok := fsys.(interface {
		List(name string) ([]Entry, Info, error)
	}); ok {
		return l.List(name)
	}
	list, err := fsys.ReadDir(name)
	return list, Info{}, err
}
