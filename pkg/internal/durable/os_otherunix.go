//go:build unix && !linux && !darwin

package durable

import "golang.org/x/sys/unix"

// Without a system call for it, the callers fall back to links.

func exchange(int, string, int, string) error { return unix.ENOTSUP }

func move(int, string, int, string) error { return unix.ENOTSUP }
