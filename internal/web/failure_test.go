package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/workspace"
)

var runOfPlan = regexp.MustCompile(`action="/plan/(run_[^"]+)"`)

// Where somebody else writes, the answer says who.
func TestLocked(t *testing.T) {
	b := serve(t, nil)
	held := b.server.answer(route{reads, func(*Server, *http.Request) (*reply, error) {
		return nil, fmt.Errorf("%w: pid 4711 on shop", workspace.ErrLocked)
	}})
	w := httptest.NewRecorder()
	held.ServeHTTP(w, b.request("POST", "/memories/mem_c/tags", nil))
	if w.Code != http.StatusLocked || !strings.Contains(w.Body.String(), "pid 4711 on shop") || !strings.Contains(w.Body.String(), "Nothing was written") {
		t.Errorf("%d\n%s", w.Code, w.Body)
	}
}

// Where the folder of the workspace is moved away, or another takes its place, nothing is shown and nothing is written.
func TestFolderGone(t *testing.T) {
	b := serve(t, nil)
	page := b.get("/plan")
	run, token := runOfPlan.FindStringSubmatch(page)[1], tokenField.FindStringSubmatch(page)[1]
	dir := b.server.Store.Dir()
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	refused := func(words string) {
		t.Helper()
		for _, w := range []*httptest.ResponseRecorder{b.do(b.request("GET", "/memories", nil)), b.do(b.request("GET", "/api/v1/list", nil)), b.do(b.request("POST", "/plan/"+run, url.Values{"all": {"1"}, formField: {token}}))} {
			if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), words) || !strings.Contains(w.Body.String(), "Nothing was written") {
				t.Errorf("%d\n%s", w.Code, w.Body)
			}
		}
	}
	refused("removed or moved")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	refused("another folder stands")
	if err := errors.Join(os.Remove(dir), os.Rename(dir+".away", dir)); err != nil {
		t.Fatal(err)
	}
	b.get("/memories")
}

// A plan of which nothing holds any more is a conflict, with a new plan beside it.
func TestStalePlan(t *testing.T) {
	b := serve(t, nil)
	page := b.get("/plan")
	run := runOfPlan.FindStringSubmatch(page)[1]
	n := regexp.MustCompile(`name="n" value="(\d+)" aria-label="archive mem_e`).FindStringSubmatch(page)[1]
	file := filepath.Join(b.server.Store.Dir(), "global", "mem_e.json")
	if err := os.WriteFile(file, []byte(`{"id":"mem_e","type":"episodic","content":"The new office was painted."}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := b.post("/plan/"+run, "/plan/"+run, url.Values{"n": {n}})
	fresh := regexp.MustCompile(`href="/plan/(run_[^"]+)">The plan as it is now`).FindStringSubmatch(w.Body.String())
	if w.Code != http.StatusConflict || fresh == nil || fresh[1] == run {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	b.get("/plan/" + fresh[1])
	var told document.Error
	if w := b.do(b.request("GET", "/api/v1/plan/"+run, nil)); w.Code != http.StatusConflict || json.Unmarshal(w.Body.Bytes(), &told) != nil || told.Plan == "" || told.Code != "conflict" {
		t.Errorf("a program is told %d\n%s", w.Code, w.Body)
	}
	b.get("/plan/" + told.Plan)
	if _, err := b.server.Store.Reindex(t.Context(), noon); err != nil {
		t.Error(err)
	}
}

// A mistake of ours costs the request that meets it.
func TestPanicCostsItsRequest(t *testing.T) {
	b := serve(t, nil)
	handler := b.server.recovered(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a mistake") }))
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, b.request("GET", "/", nil))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "a mistake\n") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	b.get("/")
}

// Characters that change how a page is displayed stand in none of its parts, but in the field in which a record is edited.
func TestVisible(t *testing.T) {
	b := serve(t, nil)
	b.put(map[string]string{"mem_rtl": `"created_by":"A` + "\u202e" + `B","tags":["x` + "\u2066" + `y"],"content":"Plain."`})
	for _, target := range []string{"/memories", "/memories?author=A%E2%80%AEB", "/links?id=mem_rtl"} {
		if page := b.get(target); strings.ContainsAny(page, "\u202e\u2066") {
			t.Errorf("%s has such a character", target)
		}
	}
	page := b.get("/memories/mem_rtl")
	before, rest, _ := strings.Cut(page, "<textarea")
	field, after, found := strings.Cut(rest, "</textarea>")
	if !found || strings.ContainsAny(before+after, "\u202e\u2066") || !strings.Contains(field, "A\u202eB") {
		t.Error(page)
	}
}

// A server that is told to end finishes the run that has begun, and answers it.
func TestEndFinishesTheRun(t *testing.T) {
	b := serve(t, nil)
	begun, goOn := make(chan struct{}), make(chan struct{})
	o := b.server.Options
	o.Address = "127.0.0.1:0"
	once := sync.OnceFunc(func() { close(begun); <-goOn })
	o.Now = func() time.Time { once(); return noon }
	s, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended, answered := make(chan error, 1), make(chan int, 1)
	go func() { ended <- s.Run(ctx) }()
	go func() {
		r, err := http.NewRequest("POST", s.Origin()+"/memories/mem_c/tags", strings.NewReader("add=one"))
		if err != nil {
			t.Error(err)
		}
		r.Header.Set("Authorization", "Bearer a token of a program")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer, err := (&http.Transport{}).RoundTrip(r)
		if err != nil {
			t.Error(err)
			answered <- 0
			return
		}
		answered <- answer.StatusCode
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
	}()
	<-begun
	end()
	close(goOn)
	if code := <-answered; code != http.StatusSeeOther {
		t.Errorf("%d", code)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if m := mustLoad(t, b.server.Store).Live("mem_c"); !m.HasTag("one") {
		t.Error("the run wasn't finished")
	}
}
