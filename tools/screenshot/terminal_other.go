//go:build !linux

package main

import (
	"errors"
	"os/exec"
)

func onTerminal(*exec.Cmd, uint16) (string, error) {
	return "", errors.New("pseudo terminals are supported on Linux only")
}
