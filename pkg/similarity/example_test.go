package similarity_test

import (
	"fmt"
	"slices"

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

func ExampleJudge() {
	rest := " Whoever is on duty looks at the queue each morning and tells the others what waits there."
	a := similarity.Prepare("The queue is kept in Redis." + rest)
	for _, text := range []string{"the queue is kept in `Redis`." + rest, "The queue is kept in Postgres." + rest, "Nothing of the kind."} {
		v := similarity.Judge(a, similarity.Prepare(text), 0.8)
		fmt.Printf("%s %.2f %q\n", v.Decision, v.Content, v.Differences)
	}
	// Output:
	// merge 1.00 []
	// review 0.96 [{"name" "in Redis" "in Postgres"}]
	// separate 0.07 []
}

// A merge is proved by looking for each fact of the older text in the result.
func ExampleFacts() {
	kept := similarity.Facts("Since 5 March 2026 the limit is 1000 rows.")
	for _, f := range similarity.Facts("The limit is 1,000 rows since 2026-03-05, says Ann.") {
		fmt.Println(f.Kind, f.Text, slices.ContainsFunc(kept, f.Same))
	}
	// Output:
	// number 1,000 true
	// date 2026-03-05 true
	// name Ann false
}

func ExampleCalibrate() {
	pair := func(a, b string, same bool) similarity.Labelled {
		return similarity.Labelled{A: similarity.Prepare(a), B: similarity.Prepare(b), Same: same}
	}
	scores, best := similarity.Calibrate([]similarity.Labelled{
		pair("please restart the worker after a deploy", "Restart the worker after the deploy!", true),
		pair("restart the worker after every deploy", "rotate the keys in spring", false),
	}, []float64{0.7, 0.9})
	for _, s := range scores {
		fmt.Printf("%.2f: precision %.2f, recall %.2f\n", s.Threshold, s.Precision, s.Recall)
	}
	fmt.Printf("best: %.2f\n", best.Threshold)
	// Output:
	// 0.70: precision 1.00, recall 1.00
	// 0.90: precision 0.00, recall 0.00
	// best: 0.70
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
