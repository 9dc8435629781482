package web

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
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
		var doc app.StatusDocument
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
