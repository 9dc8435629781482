//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the most resident memory that a process had, in bytes.
func peak(state *os.ProcessState) int64 {
	if state == nil {
		return 0
	}
	used, ok := state.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "linux":
		return int64(used.Maxrss) * 1024
	case runtime.GOOS == "darwin":
		return int64(used.Maxrss)
	}
	return 0
}
