package cli

import (
	"bytes"
	"context"
	"strings"
	"syscall"
	"testing"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
)

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		app.Quantity(1, "memory"): "1 memory", app.Quantity(0, "memory"): "0 memories", app.Quantity(1234, "entry"): "1,234 entries",
		app.Quantity(2, "index"): "2 indexes", app.Quantity(2, "day"): "2 days", app.Thousands(-1234567): "-1,234,567", app.Thousands(999): "999",
		app.Closest("lsit", []string{"edit", "init", "list"}): "list", app.Closest("cons", []string{"config", "consolidate"}): "consolidate",
		app.Closest("xyz", []string{"list"}): "", app.Closest("", []string{"list"}): "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// gone is the pipe of a reader that went away.
type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// full is a stream that can't be written.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestOutputThatCannotBeWritten(t *testing.T) {
	var errs bytes.Buffer
	p := Process{Args: []string{"memory", "schema", "memory"}, Dir: t.TempDir(), Stdout: gone{}, Stderr: &errs}
	if code := Run(context.Background(), p); code != fail.ExitDone || errs.Len() > 0 {
		t.Errorf("a closed pipe: exit code %d, %s", code, errs.String())
	}
	p.Stdout = full{}
	if code := Run(context.Background(), p); code != fail.ExitError || !strings.Contains(errs.String(), "no space left") {
		t.Errorf("a full disk: exit code %d, %s", code, errs.String())
	}
}

func TestInterruptedWhileReading(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var errs bytes.Buffer
	code := Run(ctx, Process{
		Args: []string{"memory", "add", "--type", "factual", "-"}, Dir: t.TempDir(),
		Stdin: endless{}, Stdout: &bytes.Buffer{}, Stderr: &errs,
	})
	if code != fail.ExitError || !strings.Contains(errs.String(), "hint: interrupted") {
		t.Errorf("exit code %d, %s", code, errs.String())
	}
}

// endless is an input at which nobody types.
type endless struct{}

func (endless) Read([]byte) (int, error) { select {} }
