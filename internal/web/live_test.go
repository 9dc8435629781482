package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/briefing"
)

var revisionOf = regexp.MustCompile(`data-revision="(\d+)"`)

// A page knows the revision that it shows: one's own change is in it, and one of somebody else is told after it.
func TestRevision(t *testing.T) {
	b := serve(t, nil)
	revision := func() string { return revisionOf.FindStringSubmatch(b.get("/runs"))[1] }
	first := revision()
	if again := revision(); again != first {
		t.Errorf("nothing has changed: %s, then %s", first, again)
	}
	listener, _ := b.server.feed.listen()
	defer b.server.feed.leave(listener)
	b.put(map[string]string{"mem_told": `"content":"Told."`})
	if again := revision(); again == first {
		t.Errorf("a memory was written: %s", again)
	}
	if n := <-listener; !strings.Contains(strings.Join(n.Kinds, " "), "memories") {
		t.Errorf("%+v", n)
	}
}

// What a run would do is worked out once for each state of the files, and the document waits for it.
func TestOutlook(t *testing.T) {
	b := serve(t, nil)
	merged := func() int {
		var doc document.Status
		if err := json.Unmarshal([]byte(b.get("/api/v1/status")), &doc); err != nil {
			t.Fatal(err)
		}
		return doc.Next.MemoriesMerged
	}
	if n := merged(); n != 1 {
		t.Errorf("%d would be merged", n)
	}
	made := b.server.next.last
	b.get("/")
	if b.server.next.last != made {
		t.Error("it was worked out twice")
	}
	b.put(map[string]string{
		"mem_f": `"access_count":3,"last_accessed":"2026-02-27T00:00:00Z","content":"The lift of the shop is serviced in June by two people."`,
		"mem_g": `"access_count":3,"last_accessed":"2026-02-27T00:00:00Z","content":"The lift of the shop is serviced in June by two people."`,
	})
	if n := merged(); n != 2 {
		t.Errorf("after a change %d would be merged", n)
	}
}

// What can't be worked out is told, and tried again; a mistake on the way costs the figure, not the server.
func TestFigureFails(t *testing.T) {
	b := serve(t, nil)
	var f figure[int]
	outcomes := []func() (int, error){
		func() (int, error) { panic("a mistake") },
		func() (int, error) { return 0, errors.New("no disk") },
		func() (int, error) { return 7, nil },
	}
	n := 0
	get := func() (worked[int], error) {
		return f.get(t.Context(), b.server, "seven", 0, func(context.Context) (int, error) { n++; return outcomes[n-1]() })
	}
	for _, want := range []string{"made a mistake", "no disk"} {
		if _, err := get(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for range 2 {
		if got, err := get(); err != nil || got.value != 7 || !got.Fresh || n != 3 {
			t.Errorf("%+v, %v after %d", got, err, n)
		}
	}
}

// A forecast is worked out beside the requests, and told of a day.
func TestForecast(t *testing.T) {
	b := serve(t, nil)
	var doc document.Forecast
	if err := json.Unmarshal([]byte(b.get("/api/v1/forecast")), &doc); err != nil || len(doc.Memories) == 0 {
		t.Fatalf("%+v, %v", doc, err)
	}
	page := b.get("/forecast?day=2026-03-01")
	if !strings.Contains(page, "On 2026-03-01") || !strings.Contains(page, "mem_e") || strings.Contains(page, "being worked out") {
		t.Error(page)
	}
}

// A search is filtered before the best are chosen, and goes on where there is more.
func TestSearchPages(t *testing.T) {
	b := serve(t, nil)
	many := map[string]string{"mem_zz": `"created_by":"ANNA","content":"The lamp of the lighthouse."`}
	for i := range 230 {
		many[fmt.Sprintf("mem_lamp%03d", i)] = fmt.Sprintf(`"created_by":"BERT","content":"The lamp of the lighthouse, and its lamp number %d."`, i)
	}
	b.put(many)
	for target, want := range map[string]string{
		"/memories?q=lamp&author=ANNA": "1 to 1 of 1", "/memories?q=lamp": "1 to 100, the best first; more fit",
		"/memories?q=lamp&from=100": "101 to 200, the best first; more fit", "/memories?q=lamp&from=200": "201 to 231 of 231", "/memories?q=nothing+at+all": "No memory fits",
	} {
		if page := b.get(target); !strings.Contains(page, want) {
			t.Errorf("%s: no %q", target, want)
		}
	}
}

// A session that is given memories is told to the page of receipts.
func TestReceiptsAreTold(t *testing.T) {
	b := serve(t, nil)
	if page := b.get("/receipts"); !strings.Contains(page, `data-kinds="receipts" data-live="yes"`) {
		t.Error(page)
	}
	_, before := b.server.feed.look(t.Context(), b.server)
	listener, _ := b.server.feed.listen()
	defer b.server.feed.leave(listener)
	if err := app.KeepReceipt(b.server.Store, briefing.Receipt{At: noon, Event: briefing.AtStart, Session: "s1", Given: []string{"mem_a"}}); err != nil {
		t.Fatal(err)
	}
	if page := b.get("/receipts"); !strings.Contains(page, "start of a session") {
		t.Error(page)
	}
	if n := <-listener; !slices.Equal(n.Kinds, []string{"receipts"}) {
		t.Errorf("%+v", n)
	}
	if _, after := b.server.feed.look(t.Context(), b.server); after != before {
		t.Error("a receipt makes what is worked out of memories old")
	}
}
