package web

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// days makes so many days, with a memory more on each.
func days(n int) (all []trend) {
	for i := range n {
		all = append(all, trend{
			Day: fmt.Sprint("day ", i), Live: 2 * i, Archived: i / 2, Types: map[string]int{"factual": i, "semantic": i}, Runs: i % 2, Rules: map[string]int{"merge": i % 3},
		})
	}
	return all
}

// A chart has one band for each type, and counts all that happened, however many days there are.
func TestChart(t *testing.T) {
	for _, n := range []int{1, 2, 30, 365, maxDays} {
		c := newChart(days(n))
		if len(c.Bands) != 2 || c.Bands[0].N != n-1 {
			t.Errorf("%d days: bands %+v", n, c.Bands)
		}
		for _, s := range c.Strips {
			sum := 0
			for _, b := range s.Bars {
				sum += b.N
				if b.X < 0 || b.X+b.Width > chartWidth || b.Y < 0 || b.Y+b.Height > stripHeight {
					t.Errorf("%d days: a bar of %s at %+v", n, s.Name, b)
				}
			}
			if want := map[string]int{"runs": n / 2, "merge": sumOf(n)}[s.Name]; sum != want || s.Total != want {
				t.Errorf("%d days: %s has %d and says %d, want %d", n, s.Name, sum, s.Total, want)
			}
		}
		if points := len(strings.Fields(c.Archived)); points > plotWidth+1 || points < min(n, plotWidth/2) {
			t.Errorf("%d days: %d points", n, points)
		}
	}
}

func sumOf(n int) (sum int) {
	for i := range n {
		sum += i % 3
	}
	return sum
}

// The length of the queue is told of each day: a pair waits from the run that flagged it until somebody decides it, an undo takes the
// decision back, and what no run has flagged waits since it was written.
func TestQueueLength(t *testing.T) {
	day := func(n int) time.Time { return noon.AddDate(0, 0, n-10) }
	snap := memory.NewSnapshot(noon, nil, nil)
	log := &oplog.Log{Entries: []oplog.Entry{
		{Timestamp: day(1), Actions: []oplog.Action{{Type: oplog.Review, MemoryIDs: []string{"a", "b", "z"}}, {Type: oplog.Review, MemoryIDs: []string{"c", "d"}}}},
		{Timestamp: day(2), Status: oplog.Failed, Actions: []oplog.Action{{Type: oplog.Decide, MemoryIDs: []string{"a", "z"}}}},
		{Timestamp: day(3), Actions: []oplog.Action{{Type: oplog.Decide, MemoryIDs: []string{"a", "z"}}}},
		{Timestamp: day(4), Actions: []oplog.Action{{Type: oplog.Archive, MemoryID: "d"}}},
		{Timestamp: day(6), Actions: []oplog.Action{{Type: oplog.Review, MemoryIDs: []string{"a", "z"}}, {Type: oplog.Undo, MemoryIDs: []string{"b", "z"}}}},
	}}
	got := map[string]string{}
	for key, w := range waits(snap, log) {
		got[key[0]+key[1]] = w.from.Format("02") + " " + w.to.Format("02")
	}
	want := map[string]string{"az": day(6).Format("02") + " " + day(6).Format("02"), "bz": day(1).Format("02") + " " + day(6).Format("02"), "cd": day(1).Format("02") + " " + day(4).Format("02")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The trends tell of the queue as it is now, and as it was before a decision.
func TestQueueInTrends(t *testing.T) {
	b := serve(t, nil)
	waiting := func() int {
		var doc document.Trends
		if err := json.Unmarshal([]byte(b.get("/api/v1/trends?days=30")), &doc); err != nil {
			t.Fatal(err)
		}
		return doc.Days[len(doc.Days)-1].Queue
	}
	run := regexp.MustCompile(`action="/plan/(run_[^"]+)"`).FindStringSubmatch(b.get("/plan"))
	if w := b.post("/plan/"+run[1], "/plan/"+run[1], url.Values{"all": {"1"}}); w.Code != 303 {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	if n := waiting(); n != 1 {
		t.Errorf("%d wait", n)
	}
	if page := b.get("/trends"); !strings.Contains(page, "pairs that wait for you") || !strings.Contains(page, "1 now, 1 at most") {
		t.Error(page)
	}
	pair := regexp.MustCompile(`name="pair" value="([^"]+)"`).FindStringSubmatch(b.get("/review"))
	if w := b.post("/review", "/review", url.Values{"pair": {pair[1]}, "verdict": {"keep_both"}}); w.Code != 303 {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	if n := waiting(); n != 0 {
		t.Errorf("%d wait after the decision", n)
	}
}

// More types than a chart has shades for are one band at the end.
func TestChartOfManyTypes(t *testing.T) {
	day := trend{Types: map[string]int{}}
	for i := range 10 {
		day.Types[fmt.Sprint("type", i)] = 10 - i
		day.Live += 10 - i
	}
	c := newChart([]trend{day, day})
	last := c.Bands[len(c.Bands)-1]
	if len(c.Bands) != bandsShown || last.Name != "all others" || last.N != 5+4+3+2+1 {
		t.Errorf("%+v", c.Bands)
	}
}
