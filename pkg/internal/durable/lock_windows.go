package durable

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/windows"
)

// TryLock implements [FS]. Locks are mandatory here, so the locked byte lies far
// behind the content, which others can read. An open file can't be deleted.
//
//	CreateFileW(OPEN_ALWAYS); LockFileEx(EXCLUSIVE|FAIL_IMMEDIATELY)
func (o *osFS) TryLock(name, holder string) (unlock func() error, err error) {
	local, err := o.local("lock", name)
	if err != nil {
		return nil, err
	}
	f, err := o.root.OpenFile(local, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		by := make([]byte, 4096)
		n, _ := f.Read(by) // informative only
		err = &HeldError{strings.TrimSpace(string(by[:n]))}
	}
	if err != nil {
		return nil, errors.Join(describe("lock", name, err), f.Close())
	}
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(holder+"\n"), 0) // informative only
	}
	return f.Close, nil // closing unlocks
}
