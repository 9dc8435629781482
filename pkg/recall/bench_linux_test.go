package recall

import (
	"time"

	"golang.org/x/sys/unix"
)

// spent is the processor time of this thread: where others use the machine too, it tells
// more than the clock.
func spent() time.Duration {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at); err != nil {
		return 0
	}
	return time.Duration(at.Nano())
}
