//go:build unix && !linux

package durable

func beneath(int, string) (fd int, ok bool) { return -1, false }
