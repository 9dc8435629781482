package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/internal/document"
)

// Fields of any length, and any number of names, leave a page within its 1,500 elements and 300 KB, and a document within 300 KB, which then says what
// is cut and where the whole record stands. That is given as it is.
func TestLongFields(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED with -short: makes large pages, one after the other")
	}
	b := serve(t, nil)
	long := strings.Repeat("y<&", 110_000)
	fields := map[string]string{
		"tag": `"tags":["` + long + `"]`, "tags": `"tags":["` + strings.Repeat(`t<&","`, 20_000) + `z"]`, "author": `"created_by":"` + long + `"`, "subtype": `"subtype":"` + long + `"`,
		"title": `"title":"` + long + `"`, "summary": `"summary":"` + long + `"`, "references": `"references":["` + strings.Repeat(`mem_long_tag","`, 20_000) + `mem_a"]`, "metadata": `"metadata":{"` + long + `":"` + long + `"}`,
	}
	put := map[string]string{}
	for name, field := range fields {
		put["mem_long_"+name] = field + `,"content":"The long ` + name + ` of the ` + long[:200] + `."`
	}
	b.put(put)
	for i := range 60 { // each a value of the filters, and a column of trends
		record := fmt.Sprintf(`{"id":"mem_own_%d","type":"type<%d%s","created_at":"2026-02-01T00:00:00Z","created_by":"author<%d","content":"A lamp of its own, number %d."}`, i, i, long[:8000], i, i)
		if err := os.WriteFile(filepath.Join(b.server.Store.Dir(), "global", fmt.Sprintf("mem_own_%d.json", i)), []byte(record), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	defer func() { // "memory check" warns of types that it doesn't know
		own, err := filepath.Glob(filepath.Join(b.server.Store.Dir(), "global", "mem_own_*.json"))
		for _, file := range own {
			err = errors.Join(err, os.Remove(file))
		}
		if err != nil {
			t.Error(err)
		}
		b.put(nil)
	}()
	b.put(nil)
	targets := strings.Fields("/ /plan /review /memories /memories?sort=id /memories?q=long /runs /forecast /links /trends /trends?days=3660 /schedules /api/v1/list /api/v1/list?limit=1 /api/v1/recall?q=long /api/v1/forecast /api/v1/status /api/v1/plan /api/v1/trends")
	for name := range fields {
		targets = append(targets, "/memories/mem_long_"+name, "/links?id=mem_long_"+name, "/api/v1/explain/mem_long_"+name, "/api/v1/links?id=mem_long_"+name)
	}
	for from := range len(put) + 10 {
		targets = append(targets, fmt.Sprintf("/api/v1/list?sort=id&limit=1&from=%d", from))
	}
	cut := 0
	for _, target := range targets {
		w := b.do(b.request("GET", target, nil))
		if w.Code != http.StatusOK || w.Body.Len() > mostBytes {
			t.Errorf("%s: %d, %d bytes", target, w.Code, w.Body.Len())
		}
		if page := w.Body.String(); !strings.HasPrefix(target, "/api/") {
			if n := len(element.FindAllString(page, -1)); n > mostElements {
				t.Errorf("%s has %d elements", target, n)
			}
			continue
		}
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s is no JSON", target)
		}
		var list struct {
			Memories []struct {
				ID        string
				Shortened []string
				Whole     string
			}
		}
		if !strings.Contains(target, "/list?") || json.Unmarshal(w.Body.Bytes(), &list) != nil {
			continue
		}
		if rows := list.Memories; len(rows) == 1 && len(rows[0].Shortened) > 0 {
			cut++
			var is, was map[string]any
			if err := errors.Join(json.Unmarshal([]byte(b.get(rows[0].Whole)), &is), json.Unmarshal([]byte("{"+put[rows[0].ID]+"}"), &was)); err != nil {
				t.Fatal(err)
			}
			if name := rows[0].Shortened[0]; !reflect.DeepEqual(is[name], was[name]) {
				t.Errorf("%s hasn't the whole of %s", rows[0].Whole, name)
			}
		}
	}
	if cut < 3 {
		t.Errorf("%d rows were cut: that proves too little", cut)
	}
}

// What is cut in a heading, a label or a link is there as a whole, or a click away.
func TestLongNames(t *testing.T) {
	b := serve(t, nil)
	title := strings.Repeat("The deadline of the release and the budget of errors. ", 9) + "That is all."
	id := "mem_" + strings.Repeat("id", 100)
	b.put(map[string]string{"mem_titled": `"title":"` + title + `","content":"Short."`, id: `"supersedes":["mem_titled"],"content":"Its id is long."`})
	page := b.get("/memories/mem_titled")
	if !strings.Contains(page, "<dd dir=\"auto\">"+title+"</dd>") || !strings.Contains(page, "The deadline of the release and the budget of errors. The deadline of the release and the…</h1>") {
		t.Errorf("a long title:\n%s", page)
	}
	if links := b.get("/links?id=mem_titled"); !strings.Contains(links, `href="/memories/`+id+`"`) || strings.Contains(links, ">"+id+"<") {
		t.Errorf("a long id:\n%s", links)
	}
	b.get("/memories/" + id)
}

// A picture of few memories is as high as they need: two stand side by side.
func TestDrawingHeight(t *testing.T) {
	two := linksBody{Graph: &document.Graph{}, Focus: "a"}
	two.Nodes = []document.Node{{ID: "a"}, {ID: "b", Distance: 1}}
	two.Edges = []document.Edge{{From: "a", To: "b"}}
	d := two.Drawing()
	if d.Height > 200 || d.Nodes[0].Y != d.Nodes[1].Y || d.Nodes[0].X >= d.Nodes[1].X {
		t.Errorf("%+v", d)
	}
	for i := range 8 {
		id := fmt.Sprint("c", i)
		two.Nodes = append(two.Nodes, document.Node{ID: id, Distance: 1})
		two.Edges = append(two.Edges, document.Edge{From: "a", To: id})
	}
	d = two.Drawing()
	for _, n := range d.Nodes {
		if n.Y-n.R < d.Top || n.LY+8 > d.Top+d.Height || n.X < 0 || n.X > d.Width {
			t.Errorf("%s stands outside: %+v", n.ID, d)
		}
	}
}
