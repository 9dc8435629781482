package durable

import (
	"errors"

	"golang.org/x/sys/windows"
)

// Exhausted reports whether an error says that the process or the machine has no open files or no memory left: it
// tells nothing about the file that was asked for.
func Exhausted(err error) bool {
	return errors.Is(err, windows.ERROR_TOO_MANY_OPEN_FILES) || errors.Is(err, windows.ERROR_NO_SYSTEM_RESOURCES) ||
		errors.Is(err, windows.ERROR_NOT_ENOUGH_MEMORY) || errors.Is(err, windows.ERROR_OUTOFMEMORY)
}
