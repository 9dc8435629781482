package durable

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// populate lets the system find all the room at once that is about to be written to: else
// it is interrupted for each page. A kernel that doesn't know how is.
func populate(room []byte) {
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(room))) % uintptr(os.Getpagesize())
	if skip < uintptr(len(room)) {
		_ = unix.Madvise(room[skip:], unix.MADV_POPULATE_WRITE)
	}
}
