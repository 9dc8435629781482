//go:build unix && !linux

package durable

func beneath(int, string, uint64) (fd int, ok bool) { return -1, false }
