package fail

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/memoryd/memoryd/pkg/workspace"
)

func TestExitCodes(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int
	}{
		{errors.New("x"), ExitError},
		{Usagef("x"), ExitUsage},
		{WithHint(Usagef("x"), "do"), ExitUsage},
		{fmt.Errorf("a: %w", WithHint(errors.New("x"), "do")), ExitError},
		{errors.Join(fmt.Errorf("a: %w", workspace.ErrLocked), errors.New("b")), ExitLocked},
		{WithHint(fmt.Errorf("a: %w", workspace.ErrNotFound), "do"), ExitNotFound},
		{Errorf(ExitStale, "a: %w", workspace.ErrNotFound), ExitStale},
		{Outcome(ExitProblems), ExitProblems},
		{errors.Join(Outcome(ExitProblems)), ExitProblems},
		{context.Canceled, ExitError},
	} {
		if got := Code(test.err); got != test.want {
			t.Errorf("%v: %d, want %d", test.err, got, test.want)
		}
	}
}

func TestHints(t *testing.T) {
	if got := Hint(fmt.Errorf("a: %w", &Error{Err: WithHint(workspace.ErrLocked, "inner"), Code: 5})); got != "inner" {
		t.Errorf("hint %q, want that of the innermost that has one", got)
	}
	for _, err := range []error{workspace.ErrLocked, workspace.ErrNotFound, workspace.ErrAmbiguous, context.Canceled} {
		if Hint(fmt.Errorf("x: %w", err)) == "" {
			t.Errorf("%v: no hint", err)
		}
	}
}
