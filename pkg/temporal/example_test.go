package temporal_test

import (
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/temporal"
)

// A note is read against the day on which it was written.
func ExampleResolve() {
	written := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	for _, span := range temporal.Resolve("The deploy failed last Friday, and again yesterday at 15:30.", written) {
		fmt.Printf("%s: %s to %s\n", span.Text, span.From.Format(time.DateTime), span.To.Format(time.DateTime))
	}
	// Output:
	// last Friday: 2026-03-06 00:00:00 to 2026-03-07 00:00:00
	// yesterday at 15:30: 2026-03-10 15:30:00 to 2026-03-10 15:31:00
}

func ExampleAnnotate() {
	written := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	fmt.Println(temporal.Annotate("Yesterday we moved the queue; it had been slow since last week.", written))
	// Output: Yesterday (2026-03-10) we moved the queue; it had been slow since last week (2026-03-02 to 2026-03-08).
}
