//go:build unix

package hook

import "syscall"

// detached gives a process a session of its own: signals to the host's group, and
// the end of its terminal, don't reach it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
