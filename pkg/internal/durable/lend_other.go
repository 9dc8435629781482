//go:build !linux

package durable

func restLent() {}
