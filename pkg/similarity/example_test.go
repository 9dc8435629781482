package similarity_test

import (
	"fmt"

	"github.com/memoryd/memoryd/pkg/similarity"
)

func ExampleContent() {
	a := similarity.Prepare("We don't cache the 1,000 newest rows.")
	b := similarity.Prepare("we do not cache the 1000 newest records")
	fmt.Printf("%.3f\n", similarity.Content(a, b))
	// Output: 0.875
}

func ExampleDifferences() {
	for _, d := range similarity.Differences(
		"The server listens on port 8080 and TLS is enabled.",
		"The server listens on port 9090, and TLS is disabled.") {
		fmt.Printf("%s: %q, %q\n", d.Kind, d.A, d.B)
	}
	// Output:
	// number: "port 8080", "port 9090"
	// negation: "is enabled", "is disabled"
}

// Every record is claimed by at most one survivor, and only by one that it is itself similar to.
func ExampleJoin() {
	records := []similarity.Record{
		{Text: similarity.Prepare("restart the worker after every deploy")},
		{Text: similarity.Prepare("rotate the keys in spring")},
		{Text: similarity.Prepare("Restart the worker after every deploy!")},
		{Text: similarity.Prepare("restart the worker after each deploy")},
	}
	join := similarity.NewJoin(records, 0.8, 0.8)
	for i := len(records) - 1; i >= 0; i-- { // the newest survives
		for _, p := range join.Similar(i) {
			other := p.A + p.B - i
			fmt.Printf("%d joins %d: %.2f\n", other, i, p.Content)
			join.Remove(other)
		}
		join.Remove(i)
	}
	// Output:
	// 0 joins 3: 0.83
	// 2 joins 3: 0.83
}
