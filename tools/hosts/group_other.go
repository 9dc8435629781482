//go:build !unix

package main

import "os/exec"

// ownGroup does nothing: there are no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup kills a command.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
