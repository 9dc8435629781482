//go:build unix

package durable

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// A large file is read by all cores, a part each at a time: most of that is the system finding
// room for it.
const (
	large     = 4 << 20
	largePart = 1 << 20
)

// readLarge fills room with what a file begins with, and tells how many bytes that are: none
// where not all could be read.
func readLarge(fd int, room []byte) int {
	var next atomic.Int64
	var short atomic.Bool
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for at := next.Add(largePart) - largePart; at < int64(len(room)) && !short.Load(); at = next.Add(largePart) - largePart {
				part := room[at:min(at+largePart, int64(len(room)))]
				populate(part)
				for len(part) > 0 {
					n, err := unix.Pread(fd, part, at)
					if n <= 0 && !errors.Is(err, unix.EINTR) {
						short.Store(true)
						return
					}
					n = max(n, 0)
					part, at = part[n:], at+int64(n)
				}
			}
		})
	}
	group.Wait()
	if short.Load() {
		return 0
	}
	return len(room)
}
