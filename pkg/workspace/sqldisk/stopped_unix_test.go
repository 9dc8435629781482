//go:build unix

package sqldisk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

func init() { stopped = holdLease }

// lost is the exit code of a worker that was told that its lease is another's.
const lost = 3

// holdLease is a worker with a lease that says when it has begun, and goes on when it is told to.
func holdLease(address string) int {
	ctx := context.Background()
	db, err := Open(ctx, address)
	if err != nil {
		return 1
	}
	c, err := db.Claim(ctx, time.Now(), true)
	if err != nil || c == nil {
		return 1
	}
	err = c.Run(ctx, func(ctx context.Context, d *Disk) (string, Next, error) {
		fmt.Println("begun")
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
			return "", Next{}, err
		}
		return count(1)(c)(context.WithoutCancel(ctx), d) // a worker that doesn't look whether it should end
	})
	if errors.Is(err, ErrLease) {
		return lost
	}
	return 1
}

// A worker is stopped past its lease, and goes on: another one has done its slot by then, and it writes nothing.
func TestStoppedWorker(t *testing.T) {
	both(t, func(t *testing.T, address string, db *DB) {
		planned(t, db, "acme")
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env = append(os.Environ(), stoppedEnv+"="+address)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "begun\n" {
			t.Fatalf("%q, %v", line, err)
		}
		if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		if c, err := db.Claim(t.Context(), time.Now(), true); c != nil || err != nil {
			t.Errorf("the slot is another's: %+v, %v", c, err)
		}
		c, err := db.Claim(t.Context(), time.Now().Add(2*Lease), true)
		if err != nil || c == nil {
			t.Fatalf("the lease doesn't run out: %v", err)
		}
		if err := c.Run(t.Context(), count(1)(c)); err != nil {
			t.Error(err)
		}
		if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintln(in, "go on"); err != nil {
			t.Fatal(err)
		}
		if exit := (*exec.ExitError)(nil); !errors.As(cmd.Wait(), &exit) || exit.ExitCode() != lost {
			t.Errorf("the worker that was stopped ends with %v", cmd.ProcessState)
		}
		once(t, db, "acme", 1)
	})
}
