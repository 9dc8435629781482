package web

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/internal/document"
)

// put writes memories of the given records, by their ids.
func (b *browser) put(records map[string]string) {
	b.t.Helper()
	for id, rest := range records {
		file := filepath.Join(b.server.Store.Dir(), "global", id+".json")
		if err := os.WriteFile(file, []byte(`{"id":"`+id+`","type":"factual","created_at":"2026-02-01T00:00:00Z",`+rest+"}\n"), 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
	if _, err := b.server.Store.Reindex(b.t.Context(), noon); err != nil {
		b.t.Fatal(err)
	}
	b.server.live.Doubt()
}

// linksAround are the edges of the document about a memory, as lines.
func (b *browser) linksAround(id string) (lines []string) {
	b.t.Helper()
	var doc document.Graph
	if err := json.Unmarshal([]byte(b.get("/api/v1/links?depth=3&id="+id)), &doc); err != nil {
		b.t.Fatal(err)
	}
	for _, e := range doc.Edges {
		lines = append(lines, fmt.Sprintf("%s %s %s, %s", e.From, how(e.Type), e.To, e.Origin))
	}
	return lines
}

// A link is drawn once, whichever of its two records tells it; so are judged ones and those of texts; a summary is marked.
func TestLinks(t *testing.T) {
	b := serve(t, nil)
	b.put(map[string]string{
		"mem_new":   `"supersedes":["mem_old"],"content":"The kiosk closes at nine."`,
		"mem_old":   `"content":"The kiosk closes at eight."`,
		"mem_both1": `"supersedes":["mem_both2"],"content":"Bus nine stops here."`,
		"mem_both2": `"superseded_by":["mem_both1"],"content":"Bus eight stops here."`,
		"mem_says":  `"content":"This depends on mem_a1b2c3: look there first."`,
		"mem_a1b2c3": `"references":["mem_nobody", {"id":"mem_old","relationship":"blocked by"}],` +
			`"content":"The gate is opened by a card."`,
	})
	for id, want := range map[string][]string{
		"mem_new":   {"mem_new supersedes mem_old, field", "mem_a1b2c3 blocked by mem_old, field", "mem_says depends on mem_a1b2c3, mention"},
		"mem_both2": {"mem_both1 supersedes mem_both2, field"},
	} {
		if diff := cmp.Diff(want, b.linksAround(id)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", id, diff)
		}
	}
	page := b.get("/links?id=mem_new&depth=3")
	if n := strings.Count(page, "<line class=\"edge"); n != 3 {
		t.Errorf("%d lines are drawn", n)
	}
	if err := os.WriteFile(filepath.Join(b.server.Store.Dir(), "global", "_edges.json"),
		[]byte(`{"version":"1.0.0","edges":[{"from":"mem_both1","type":"FIXES","to":"mem_new","by":"USER","reason":"seen on site"}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	b.server.live.Doubt()
	if page := b.get("/links?id=mem_both1"); !strings.Contains(page, `class="edge fixes user"`) || !strings.Contains(page, "seen on site") {
		t.Error(page)
	}
}

// Every node of a drawing stands within it, and no two on the same place, whatever hangs on what.
func TestDrawing(t *testing.T) {
	body := &linksBody{Graph: &document.Graph{Nodes: []document.Node{{ID: "n0"}}}, Focus: "n0"}
	for i := 1; i < maxNodes; i++ {
		parent, distance := 0, 1
		if i > 20 {
			parent, distance = 1+i%20, 2
		}
		body.Nodes = append(body.Nodes, document.Node{ID: fmt.Sprint("n", i), Distance: distance})
		body.Edges = append(body.Edges, document.Edge{From: fmt.Sprint("n", i), To: fmt.Sprint("n", parent), Type: "RELATES_TO"})
	}
	met := map[[2]int]string{}
	for _, n := range body.Drawing().Nodes {
		at := [2]int{n.X, n.Y}
		if n.X < 0 || n.Y < 0 || n.X > drawingWidth || n.Y > drawingHeight || met[at] != "" {
			t.Errorf("%s at %v, where %q is", n.ID, at, met[at])
		}
		met[at] = n.ID
	}
	if len(met) != maxNodes {
		t.Errorf("%d nodes", len(met))
	}
}
