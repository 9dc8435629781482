package hub

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk/pgtest"
)

const (
	startOf  = `{"session_id":"s1","cwd":"/home/ada/shop","source":"startup"}`
	promptOf = `{"session_id":"s1","cwd":"/home/ada/shop","prompt":"When is the staging database copied from production?"}`
)

// A session is given what its principal may read, each memory once, and sessions of the same name of two principals are two.
func TestHooksByGrants(t *testing.T) {
	db := database(t, sqlite(t))
	_, server := start(t, db)
	url := server.URL + "/hook/acme/claude/"
	ada, bob := token(t, db, "ada", "admin *"), token(t, db, "bob", "read agent:bob", "write agent:bob")
	for who, content := range map[string]string{ada: "The staging database is copied from production on Mondays.", bob: "The staging database of bob is copied by hand."} {
		scope := map[string]string{ada: "global", bob: "agent:bob"}[who]
		if text, failed := ask(t, server.URL+"/mcp/acme", who, "save", map[string]any{"type": "factual", "scope": scope, "content": content, "no_check": true}); failed {
			t.Fatal(text)
		}
	}
	tell := func(token, event, body string) string {
		t.Helper()
		status, answer := post(t, url+event+"?project=shop", token, body)
		if status != http.StatusOK {
			t.Errorf("%s: %d %s", event, status, answer)
		}
		return answer
	}
	given := tell(ada, "SessionStart", startOf)
	if !strings.HasPrefix(given, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":`) || !strings.Contains(given, "on Mondays") {
		t.Error(given)
	}
	if again := tell(ada, "SessionStart", startOf); again != "" {
		t.Errorf("a hook that is installed twice is given the memories twice: %s", again)
	}
	if given = tell(ada, "UserPromptSubmit", promptOf); strings.Contains(given, "on Mondays") {
		t.Errorf("given again: %s", given)
	}
	if given = tell(bob, "UserPromptSubmit", promptOf); !strings.Contains(given, "by hand") || strings.Contains(given, "Mondays") {
		t.Errorf("bob, in a session of the same name: %s", given)
	}
	if given = tell(bob, "SessionStart", startOf); !strings.Contains(given, "by hand") || strings.Contains(given, "Mondays") || strings.Contains(given, "customer") {
		t.Errorf("bob: %s", given)
	}
	if given = tell(ada, "Stop", startOf); given != "" {
		t.Error(given)
	}
	// A grant that is taken back counts from the next event on.
	if _, err := db.Revoke(t.Context(), "acme", "bob", sqldisk.Grant{Scope: "agent:bob", Access: sqldisk.Read}); err != nil {
		t.Fatal(err)
	}
	if status, answer := post(t, url+"SessionStart", bob, startOf); status != http.StatusForbidden {
		t.Errorf("%d %s", status, answer)
	}
}

// A host that timed out while its workspace was loading finds it loaded the next time.
func TestHookGivenUp(t *testing.T) {
	db := database(t, sqlite(t))
	h, _ := start(t, db)
	ada := token(t, db, "ada", "admin *")
	who, err := h.identify(t.Context(), "acme", ada)
	if err != nil {
		t.Fatal(err)
	}
	gone, end := context.WithCancel(t.Context())
	end()
	room, err := h.room(gone, "acme")
	if err != nil {
		t.Fatal(err)
	}
	if err := room.refresh(gone); err != nil {
		t.Error(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/hook/acme/claude/SessionStart", nil).WithContext(gone)
	r.SetPathValue("event", "SessionStart")
	// What comes too late is not noted as given.
	answer, err := room.guest(who.who).event(r, hook.Named("claude"), []byte(startOf))
	if receipts, failed := app.Receipts(room.whole); err != nil || failed != nil || answer != "" || len(receipts) > 0 {
		t.Errorf("%q, %v, %v, %v", answer, receipts, err, failed)
	}
}

// Events that must be refused, and with what.
func TestHooksAttacked(t *testing.T) {
	db := database(t, sqlite(t))
	_, server := start(t, db)
	ada := token(t, db, "ada", "admin *")
	for name, x := range map[string]struct {
		path, token, body string
		status            int
	}{
		"no token":           {"/hook/acme/claude/SessionStart", "", startOf, http.StatusUnauthorized},
		"another workspace":  {"/hook/empty/claude/SessionStart", ada, startOf, http.StatusUnauthorized},
		"no host":            {"/hook/acme/nobody/SessionStart", ada, startOf, http.StatusNotFound},
		"no event":           {"/hook/acme/claude/Dance", ada, startOf, http.StatusNotFound},
		"an event of others": {"/hook/acme/claude/BeforeAgent", ada, startOf, http.StatusNotFound},
		"too long":           {"/hook/acme/claude/SessionStart", ada, strings.Repeat(" ", hook.MaxInput+1), http.StatusRequestEntityTooLarge},
		"not JSON":           {"/hook/acme/claude/SessionStart", ada, "{", http.StatusBadRequest},
		"a long session":     {"/hook/acme/claude/SessionStart", ada, `{"session_id":"` + strings.Repeat("s", 300) + `"}`, http.StatusBadRequest},
		"controls":           {"/hook/acme/claude/SessionStart", ada, `{"session_id":"a\u0007"}`, http.StatusBadRequest},
		"a path as session":  {"/hook/acme/claude/SessionStart", ada, `{"session_id":"../../memory.toml"}`, http.StatusOK},
		"another's session":  {"/hook/acme/claude/SessionEnd", ada, `{"session_id":"bob/s1"}`, http.StatusOK},
		"nothing":            {"/hook/acme/claude/SessionStart", ada, "", http.StatusOK},
	} {
		if status, answer := post(t, server.URL+x.path, x.token, x.body); status != x.status || strings.Contains(answer, "memh_") {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	if got := documents(t, db)["memory.toml"]; strings.Contains(got, "session") {
		t.Error(got)
	}
}

// The end of a session settles what its principal wrote in it, in its name, and nothing of others.
func TestHookSettlesSession(t *testing.T) {
	for name, address := range map[string]func(testing.TB) string{"sqlite": sqlite, "postgres": pgtest.New} {
		t.Run(name, func(t *testing.T) {
			db := database(t, address(t))
			h, server := start(t, db)
			noted := func(id, by, priority string) string {
				return fmt.Sprintf(`{"id": %q, "type": "working", "created_by": %q, "created_at": "2026-03-01T08:00:00Z", "content": "About %s.", "priority": %q}`, id, by, id, priority)
			}
			put(t, db, "acme", map[string]string{
				"memory.toml":            "[consolidate]\nmin_memories = 1\n",
				"sessions/s1/drop.json":  noted("drop", "ada", "low"),
				"sessions/s1/keep.json":  noted("keep", "ada", "high"),
				"sessions/s1/other.json": noted("other", "bob", "low"),
				"sessions/s2/open.json":  noted("open", "ada", "low"),
			})
			ada, carl := token(t, db, "ada", "read *", "write session:*", "write global", "write agent:ada"), token(t, db, "carl", "read *")
			for _, x := range []struct{ token, event, session string }{{ada, "SessionStart", "s1"}, {ada, "SessionStart", "s2"}, {carl, "SessionStart", "s1"}, {carl, "SessionEnd", "s1"}} {
				if status, answer := post(t, server.URL+"/hook/acme/claude/"+x.event, x.token, fmt.Sprintf(`{"session_id":%q}`, x.session)); status != http.StatusOK {
					t.Fatalf("%d %s", status, answer)
				}
			}
			h.settling.Wait()
			if docs := documents(t, db); docs["sessions/s1/drop.json"] == "" || docs["sessions/s1/keep.json"] == "" {
				t.Fatal("the end of another's session has settled them")
			}
			if status, answer := post(t, server.URL+"/hook/acme/claude/SessionEnd", ada, `{"session_id":"s1"}`); status != http.StatusOK || answer != "" {
				t.Fatalf("%d %s", status, answer)
			}
			h.settling.Wait()
			docs := documents(t, db)
			if docs["sessions/s1/drop.json"] != "" || docs["archive/drop.json"] == "" || docs["sessions/s1/other.json"] == "" || docs["sessions/s2/open.json"] == "" {
				t.Errorf("not settled, or too much: %v", docs["ops/consolidation-log.json"])
			}
			if log := docs["ops/consolidation-log.json"]; !strings.Contains(log, `"actor": "ada"`) || !strings.Contains(log, `"session_end"`) {
				t.Error(log)
			}
			d, err := db.Disk(t.Context(), "acme")
			if err != nil {
				t.Fatal(err)
			}
			if err := index(t.Context(), d, at); err != nil {
				t.Fatal(err)
			}
			if problems, err := workspace.OpenOn(d).Check(at); err != nil || len(problems) > 0 {
				t.Errorf("%v, %v", problems, err)
			}
		})
	}
}
