//go:build unix && !linux

package durable

func populate([]byte) {}
