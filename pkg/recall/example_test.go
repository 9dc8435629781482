package recall_test

import (
	"fmt"
	"log"
	"time"

	"github.com/memoryd/memoryd/pkg/recall"
)

func ExampleIndex_Search() {
	day := func(d int) time.Time { return time.Date(2026, 3, d, 9, 0, 0, 0, time.UTC) }
	index := recall.New()
	index.Add(
		recall.Document{ID: "pool", Title: "Connection pool", Content: "The API opens at most 20 Postgres connections per pod.", Created: day(1)},
		recall.Document{ID: "flaky", Title: "Flaky tests", Content: "Five questions to ask before a test is marked as flaky.", Created: day(2)},
	)
	result, err := index.Search(recall.Query{Text: "how many connections may we open to postgres?", At: day(11), Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		fmt.Println(hit.ID)
	}
	// Output: pool
}
