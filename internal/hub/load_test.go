package hub

import (
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/workspace/sqldisk/pgtest"
)

// The full size is -clients 200 -lasting 1m; the figures are printed with -v.
var (
	clients = flag.Int("clients", 4, "how many agents TestLoad has")
	lasting = flag.Duration("lasting", 0, "how long they save and search; 0: three times each")
)

// Many agents save and search at a time: each is answered, and what was saved is there.
func TestLoad(t *testing.T) {
	for engine, address := range map[string]func(testing.TB) string{"sqlite": sqlite, "postgres": pgtest.New} {
		t.Run(engine, func(t *testing.T) {
			db := database(t, address(t))
			_, server := startWith(t, Options{DB: db, Now: time.Now}) // records of runs are as old as they are
			http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = *clients
			token(t, db, "ada", "admin *")
			secret, err := db.NewToken(t.Context(), "acme", "ada", "", at, time.Now().Add(time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			took, saved := map[string][]time.Duration{}, map[string]bool{}
			call := func(tool string, args map[string]any) {
				begun := time.Now()
				text, failed := ask(t, server.URL+"/mcp/acme", secret, tool, args)
				mu.Lock()
				defer mu.Unlock()
				if took[tool] = append(took[tool], time.Since(begun)); failed {
					t.Errorf("%s: %s", tool, text)
				} else if word, ok := args["content"].(string); ok {
					saved[word] = true
				}
			}
			var group sync.WaitGroup
			begun := time.Now()
			for client := range *clients {
				group.Go(func() {
					for n := 0; !t.Failed() && (*lasting == 0 && n < 3 || *lasting > 0 && time.Since(begun) < *lasting); n++ {
						call("save", map[string]any{"type": "factual", "content": fmt.Sprintf("Parcel c%dn%d is in the shed.", client, n), "no_check": true})
						call("search", map[string]any{"query": fmt.Sprintf("c%dn%d", client, n)})
					}
				})
			}
			group.Wait()
			_, docs, err := db.Since(t.Context(), "acme", 0)
			if err != nil {
				t.Fatal(err)
			}
			var all strings.Builder
			for _, d := range docs {
				all.Write(d.Bytes)
			}
			for text := range saved {
				if !strings.Contains(all.String(), text) {
					t.Errorf("%q is lost", text)
				}
			}
			for _, tool := range []string{"save", "search"} {
				slices.Sort(took[tool])
				if n := len(took[tool]); n > 0 {
					t.Logf("%s: %d in %s; p50 %s, p99 %s", tool, n, time.Since(begun).Round(time.Second), took[tool][n/2].Round(time.Millisecond), took[tool][n*99/100].Round(time.Millisecond))
				}
			}
		})
	}
}
