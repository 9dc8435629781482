//go:build unix && !linux && !darwin

package durable

import "golang.org/x/sys/unix"

// There is no system call for it: the callers fall back to links.

func exchange(int, string, int, string) error { return unix.ENOTSUP }

func move(int, string, int, string) error { return unix.ENOTSUP }

// What a type of file system means is not known here: each counts as local.
func remote(string) (string, error) { return "", nil }

func leased(int) (bool, error) { return false, unix.ENOTSUP }
