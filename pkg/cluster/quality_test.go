package cluster

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/fixtures/datasets"
	"github.com/memoryd/memoryd/pkg/memory"
)

// subcog reads the notes of a real project as one scope.
func subcog(t testing.TB) (items []Item) {
	type row struct {
		ID      json.RawMessage // a text, or a number
		Content string
		Tags    []string
	}
	for r := range datasets.Rows[row](t, "dev/subcog_memories.jsonl") {
		items = append(items, ItemOf(record(strings.Trim(string(r.ID), `"`), r.Content, r.Tags...), nil))
	}
	return items
}

// labels reads labelled pairs.
func labels(t testing.TB, name string) map[[2]string]bool {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	found := map[[2]string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if cells := strings.Fields(lines.Text()); len(cells) == 3 && cells[0] != "#" {
			slices.Sort(cells[:2])
			found[[2]string{cells[0], cells[1]}] = cells[2] == "1"
		}
	}
	return found
}

// TestPairsOfOneSubject measures, on notes of a real project with tags, how many of the pairs that a cluster puts together are about one
// subject: those of labelled pairs, of which recall is told too.
func TestPairsOfOneSubject(t *testing.T) {
	items := subcog(t)
	together := map[[2]string]bool{}
	for n, c := range Find(items, Default()) {
		t.Logf("cluster %d: %d members, coherence %.2f, common %v", n, len(c.Members), c.Coherence, c.Common)
		for i, a := range c.Members {
			for _, b := range c.Members[i+1:] {
				together[[2]string{a, b}] = true
			}
		}
	}
	right, wrong, missed := 0, 0, 0
	for pair, same := range labels(t, "testdata/pairs.txt") {
		switch {
		case together[pair] && same:
			right++
		case together[pair]:
			wrong++
			t.Logf("together, but not one subject: %v", pair)
		case same:
			missed++
		}
	}
	precision, recall := float64(right)/float64(right+wrong), float64(right)/float64(right+missed)
	t.Logf("%d pairs in clusters; of those labelled %d right, %d wrong: precision %.3f, recall %.3f", len(together), right, wrong, precision, recall)
	if right < 10 || precision < .9 {
		t.Errorf("precision %.3f of %d pairs: want .9 of 10 or more", precision, right+wrong)
	}
}

func record(id, content string, tags ...string) *memory.Memory {
	raw, err := memory.SetField([]byte(`{"type":"semantic"}`), quote(id), "id")
	if err == nil {
		raw, err = memory.SetField(raw, quote(content), "content")
	}
	if err == nil {
		raw, err = memory.SetField(raw, quote(tags), "tags")
	}
	if err != nil {
		panic(err)
	}
	return memory.ParseRecord(raw, memory.Ref{File: "global/" + id + ".json"})
}
