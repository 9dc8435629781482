package hub

import (
	"fmt"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk/pgtest"
)

// A workspace that goes over a limit has one run for it, whichever hub sees it first, and the next one only when it is over it again.
func TestRunsByCount(t *testing.T) {
	for name, address := range map[string]func(testing.TB) string{"sqlite": sqlite, "postgres": pgtest.New} {
		t.Run(name, func(t *testing.T) {
			db := database(t, address(t))
			h, server := start(t, db)
			other, _ := start(t, db)
			if err := db.Create(t.Context(), "many", "", at); err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{"memory.toml": []byte("[consolidate]\nmin_memories = 1\n[triggers]\nindex_overflow = 4\nindex_overflow_step = 3\n")}
			for i := range 4 {
				files[fmt.Sprintf("global/mem_%d.json", i)] = fmt.Appendf(nil, `{"id": "mem_%d", "type": "semantic", "created_at": "2026-01-0%dT00:00:00Z", "content": "The port of the shop is 5432."}`, i, i+1)
			}
			if err := db.Import(t.Context(), "many", files); err != nil {
				t.Fatal(err)
			}
			if err := db.Grant(t.Context(), "many", "ada", at, sqldisk.Grant{Access: sqldisk.Admin, Scope: "*"}); err != nil {
				t.Fatal(err)
			}
			secret, err := db.NewToken(t.Context(), "many", "ada", "", at, at.Add(time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			save := func(text string) {
				if answer, failed := ask(t, server.URL+"/mcp/many", secret, "save", map[string]any{"type": "semantic", "scope": "global", "content": text, "no_check": true}); failed {
					t.Fatal(answer)
				}
			}
			// ran offers and does what is due, and counts it.
			ran := func() (n int) {
				for _, hub := range []*Hub{h, other, h} {
					room, err := hub.room(t.Context(), "many")
					if err == nil {
						err = room.disk.Refresh(t.Context())
					}
					if err == nil {
						err = hub.offerRuns(t.Context(), room)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				for {
					found, err := other.once(t.Context(), t.Context())
					if err != nil {
						t.Fatal(err)
					}
					if !found {
						return n
					}
					n++
				}
			}
			if n := ran(); n != 0 {
				t.Errorf("%d runs below the limit", n)
			}
			save("The lighthouse is white.")
			if n := ran(); n != 1 {
				t.Errorf("%d runs over the limit", n)
			}
			if n := ran(); n != 0 {
				t.Errorf("%d runs for what was seen to", n)
			}
			d, err := db.Disk(t.Context(), "many")
			if err != nil {
				t.Fatal(err)
			}
			s := workspace.OpenOn(d)
			if err := index(t.Context(), d, at); err != nil {
				t.Fatal(err)
			}
			log, err := s.Log().Read()
			if err != nil {
				t.Fatal(err)
			}
			merged := 0
			for _, e := range log.Entries {
				if e.Trigger == rules.IndexOverflow {
					merged += e.Stats.MemoriesMerged
				}
			}
			if merged != 3 {
				t.Errorf("%d memories were merged away: %+v", merged, log.Entries)
			}
			if problems, err := s.Check(at); err != nil || len(problems) > 0 {
				t.Errorf("%v, %v", problems, err)
			}
			for _, text := range []string{"The ferry leaves at seven.", "The heron nests in March.", "The tide is high at noon."} {
				save(text)
			}
			if n := ran(); n != 1 {
				t.Errorf("%d runs when it was over the limit again", n)
			}
		})
	}
}
