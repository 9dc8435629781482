package durable

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked is returned when another process holds the lock for longer than the
// caller wants to wait.
var ErrLocked = errors.New("locked by another process")

// Lock takes the advisory lock on name, waiting at most wait. The lock file is
// never deleted (a deleted one would let two holders in); its content names the
// holder and is informative only. The kernel drops the lock when the process
// dies, however it dies.
//
//	open(name, O_CREAT); flock(LOCK_EX|LOCK_NB), again every 20 ms
func (r *Root) Lock(ctx context.Context, name, holder string, wait time.Duration) (release func() error, err error) {
	if err := r.plain(name); err != nil {
		return nil, err
	}
	file := filepath.Join(r.dir, filepath.FromSlash(name))
	if fi, err := os.Lstat(file); err == nil && !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, ErrLink)
	}
	l := flock.New(file, flock.SetPermissions(0o644))
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	ok, err := l.TryLock()
	if err == nil && !ok {
		ok, err = l.TryLockContext(ctx, 20*time.Millisecond)
	}
	if errors.Is(err, context.DeadlineExceeded) || err == nil && !ok {
		by, _ := os.ReadFile(file) // informative only
		if text := strings.TrimSpace(string(by)); text != "" {
			return nil, fmt.Errorf("%s: %w: %s", name, ErrLocked, text)
		}
		return nil, fmt.Errorf("%s: %w", name, ErrLocked)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	if err := os.WriteFile(file, []byte(holder+"\n"), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", name, err), l.Unlock())
	}
	return l.Unlock, nil
}
