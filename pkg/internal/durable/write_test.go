package durable_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/durable/faultfs"
)

// Who waits is told for whom, once and not at once, and gets the lock as soon as
// it is free.
func TestWaitingForTheLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := faultfs.New()
		release, err := disk.TryLock("lock", "pid 1, weekly")
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(5*time.Second, func() {
			if err := release(); err != nil {
				t.Error(err)
			}
		})
		start := time.Now()
		var told []string
		unlock, err := durable.Lock(t.Context(), disk, "lock", "pid 2", time.Minute, func(holder string) {
			told = append(told, holder)
			if waited := time.Since(start); waited < time.Second || waited > 2*time.Second {
				t.Errorf("told after %v", waited)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited < 5*time.Second || waited > 5*time.Second+50*time.Millisecond {
			t.Errorf("took it after %v, it was free after 5s", waited)
		}
		if !slices.Equal(told, []string{"pid 1, weekly"}) {
			t.Errorf("told %q", told)
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
	})
}

func TestWaitingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := faultfs.New()
		if _, err := disk.TryLock("lock", "pid 1"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		for _, c := range []struct {
			ctx  context.Context
			wait time.Duration
			want error
			took time.Duration
		}{
			{t.Context(), 0, durable.ErrLocked, 0},
			{t.Context(), 2 * time.Second, durable.ErrLocked, 2 * time.Second},
			{ctx, time.Minute, context.DeadlineExceeded, time.Second}, // what is left of its 3
		} {
			start := time.Now()
			_, err := durable.Lock(c.ctx, disk, "lock", "pid 2", c.wait, func(string) {})
			if took := time.Since(start); !errors.Is(err, c.want) || took != c.took {
				t.Errorf("wait %v: %v after %v, want %v after %v", c.wait, err, took, c.want, c.took)
			}
		}
	})
}
