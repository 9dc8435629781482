package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// onTerminal runs a command whose standard output is a terminal of so many columns, and
// returns what it printed, without carriage returns.
func onTerminal(cmd *exec.Cmd, columns uint16) (string, error) {
	outer, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer outer.Close()
	fd := int(outer.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return "", fmt.Errorf("name the terminal: %w", err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return "", fmt.Errorf("unlock the terminal: %w", err)
	}
	inner, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return "", err
	}
	if err := unix.IoctlSetWinsize(int(inner.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: columns}); err != nil {
		return "", errors.Join(fmt.Errorf("size the terminal: %w", err), inner.Close())
	}
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = inner, &stderr
	if err := cmd.Start(); err != nil {
		return "", errors.Join(err, inner.Close())
	}
	closed := inner.Close() // the command has its own
	out, err := io.ReadAll(outer)
	if errors.Is(err, syscall.EIO) { // how Linux says that nobody writes any more
		err = nil
	}
	if failed := cmd.Wait(); failed != nil {
		err = errors.Join(fmt.Errorf("%w: %s", failed, &stderr), err)
	}
	return strings.ReplaceAll(string(out), "\r\n", "\n"), errors.Join(err, closed)
}
