package hub

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// writer is a principal that tries to write.
type writer struct {
	*testing.T
	url, token string
	browser    *browser
	ids        map[string]string // a memory in each scope
}

func newWriter(t *testing.T, db *sqldisk.DB, server *httptest.Server, name string, ids map[string]string, grants ...string) *writer {
	secret := token(t, db, name, grants...)
	return &writer{t, server.URL + "/mcp/acme", secret, signIn(t, server, "acme", secret), ids}
}

// tool reports whether a tool did what it was asked, and fails the test for an error that isn't a refusal.
func (w *writer) tool(name string, args map[string]any) bool {
	w.Helper()
	text, failed := ask(w.T, w.url, w.token, name, args)
	if failed && !strings.Contains(text, "not granted") {
		w.Errorf("%s %v: %s", name, args, text)
	}
	return !failed
}

// form is tool for a form of the dashboard.
func (w *writer) form(target string, values url.Values) bool {
	w.Helper()
	status, text, _ := w.browser.post(target, values)
	if status != http.StatusSeeOther && status != http.StatusForbidden {
		w.Errorf("%s %v: %d\n%s", target, values, status, text)
	}
	return status == http.StatusSeeOther
}

// edit changes a member of a record by the form that edits it.
func (w *writer) edit(id, member string, value any) bool {
	w.Helper()
	_, page := w.browser.get("/memories/" + id)
	version := regexp.MustCompile(`name="version" value="([^"]+)"`).FindStringSubmatch(page)
	_, text := w.browser.get("/api/v1/show/" + id)
	record := map[string]any{}
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		w.Fatal(err)
	}
	record[member] = value
	raw, err := json.Marshal(record)
	if err != nil {
		w.Fatal(err)
	}
	if version == nil { // the page offers no form: it is sent all the same
		version = []string{"", string(memory.DigestOf([]byte(text)))[:12]}
	}
	return w.form("/memories/"+id+"/content", url.Values{"version": {version[1]}, "record": {string(raw)}})
}

// Saving, updating, forgetting, tagging, editing, archiving, restoring, decisions, hooks, schedules, summaries of clusters, a run and its undo, by eight kinds of grants, against a model: who may write where, and who may do what to whose memory. What is
// refused changes no document.
func TestWritesByGrants(t *testing.T) {
	db := database(t, sqlite(t))
	h, server := start(t, db)
	put(t, db, "acme", map[string]string{"memory.toml": "[consolidate]\nmin_memories = 1\n"})
	scopes := []string{"agent:bob", "team:security", "global"}
	ids := map[string]string{}
	admin := token(t, db, "ada", "admin *")
	for i, scope := range scopes {
		text, failed := ask(t, server.URL+"/mcp/acme", admin, "save", map[string]any{
			"type": "factual", "scope": scope, "content": []string{"The heron nests behind the boathouse.", "Ferries leave at seven.", "Bread is baked on Mondays."}[i],
		})
		id := regexp.MustCompile(`mem_[a-z0-9]{12}`).FindString(text)
		if failed || id == "" {
			t.Fatal(text)
		}
		ids[scope] = id
	}

	type way struct {
		name    string
		access  sqldisk.Access
		scopes  []string // in each of which the access is needed; none: nobody may do it
		do      func(w *writer) bool
		prepare func(who string) // what it is about, nil for nothing
	}
	var ways []way
	n := 0
	fresh := func(what string) string { n++; return fmt.Sprintf("%s number %d is written down here.", what, n) }
	for _, scope := range scopes {
		kind, owner, _ := strings.Cut(scope, ":")
		moved := map[string]json.RawMessage{"scope": json.RawMessage(`"` + kind + `"`), "scope_id": json.RawMessage(`"` + owner + `"`)}
		tag := func() []string { return []string{fmt.Sprintf("tag%d", n)} }
		ways = append(ways,
			way{"save into " + scope, sqldisk.Write, []string{scope}, func(w *writer) bool {
				return w.tool("save", map[string]any{"type": "factual", "scope": scope, "content": fresh("Heron"), "no_check": true})
			}, nil},
			way{"update of " + scope, sqldisk.Write, []string{scope}, func(w *writer) bool {
				n++
				return w.tool("update", map[string]any{"id": w.ids[scope], "add_tags": tag()})
			}, nil},
			way{"update from agent:bob into " + scope, sqldisk.Write, []string{"agent:bob", scope}, func(w *writer) bool {
				ok := w.tool("update", map[string]any{"id": w.ids["agent:bob"], "fields": moved})
				if ok {
					w.tool("update", map[string]any{"id": w.ids["agent:bob"], "fields": map[string]any{"scope": "agent", "scope_id": "bob"}})
				}
				return ok
			}, nil},
			way{"edit from agent:bob into " + scope, sqldisk.Write, []string{"agent:bob", scope}, func(w *writer) bool {
				ok := w.edit(w.ids["agent:bob"], "scope", kind)
				if ok {
					w.edit(w.ids["agent:bob"], "scope", "agent")
				}
				return ok
			}, nil},
			way{"tags in " + scope, sqldisk.Write, []string{scope}, func(w *writer) bool {
				n++
				return w.form("/memories/"+w.ids[scope]+"/tags", url.Values{"add": tag()})
			}, nil},
			way{"edit in " + scope, sqldisk.Write, []string{scope}, func(w *writer) bool {
				n++
				return w.edit(w.ids[scope], "importance", float64(n%10)/10)
			}, nil},
			way{"archive and restore in " + scope, sqldisk.Write, []string{scope}, func(w *writer) bool {
				ok := w.form("/memories/"+w.ids[scope]+"/archive", url.Values{"reason": {"x"}})
				return ok && w.form("/memories/"+w.ids[scope]+"/restore", url.Values{})
			}, nil},
			way{"forget in " + scope, sqldisk.Write, []string{scope}, func(w *writer) bool {
				ok := w.tool("forget", map[string]any{"ids": []string{w.ids[scope]}})
				if ok {
					w.form("/memories/"+w.ids[scope]+"/restore", url.Values{})
				}
				return ok
			}, nil},
		)
	}
	for member, value := range map[string]any{"created_by": "USER", "access_count": 500} {
		if member != "created_by" { // which an agent changes with no grant at all: script origin
			ways = append(ways, way{"update of " + member, sqldisk.Write, nil, func(w *writer) bool {
				return w.tool("update", map[string]any{"id": w.ids["agent:bob"], "fields": map[string]any{member: value}})
			}, nil})
		}
		ways = append(ways,
			way{"edit of " + member, sqldisk.Write, nil, func(w *writer) bool { return w.edit(w.ids["agent:bob"], member, value) }, nil},
		)
	}
	// Decisions about pairs that wait, one in each scope at a time.
	pair := ""
	flag := func(scope string) func(string) {
		return func(string) {
			n++
			for floor := range 2 {
				text, failed := ask(t, server.URL+"/mcp/acme", admin, "save", map[string]any{
					"type": "procedural", "scope": scope, "content": fmt.Sprintf("Goods lift %d%d stops on floor %d for the cleaning crew of the eastern wing every single evening.", n, n, 10*n+floor),
				})
				if pair = regexp.MustCompile(`rev_[a-z0-9]+`).FindString(text); failed || floor == 1 && pair == "" {
					t.Fatal(text)
				}
			}
		}
	}
	for _, scope := range scopes {
		ways = append(ways,
			way{"review of " + scope, sqldisk.Review, []string{scope}, func(w *writer) bool {
				return w.tool("review", map[string]any{"pair": pair, "decision": "keep_newer"})
			}, flag(scope)},
			way{"decision in " + scope, sqldisk.Review, []string{scope}, func(w *writer) bool {
				return w.form("/review", url.Values{"pair": {pair}, "verdict": {"keep_both"}})
			}, flag(scope)},
		)
	}
	// Hooks: the end of a session settles what its principal wrote, and nothing of others; its start changes nothing.
	session := ""
	noted := func(by string) func(string) {
		return func(who string) {
			n++
			session = fmt.Sprintf("s%d", n)
			if by != "" {
				who = by
			}
			put(t, db, "acme", map[string]string{"sessions/" + session + "/" + session + ".json": fmt.Sprintf(
				`{"id": %q, "type": "working", "created_by": %q, "created_at": "2026-03-01T08:00:00Z", "content": "A note.", "priority": "low"}`, session, who)})
		}
	}
	event := func(name string) func(w *writer) bool {
		return func(w *writer) bool {
			if status, answer := post(w.T, server.URL+"/hook/acme/claude/"+name, w.token, fmt.Sprintf(`{"session_id":%q}`, session)); status != http.StatusOK {
				w.Errorf("%s: %d %s", name, status, answer)
			}
			h.settling.Wait()
			return documents(w.T, db)["archive/"+session+".json"] != ""
		}
	}
	ways = append(ways,
		way{"end of a session", sqldisk.Write, []string{"session:*"}, event("SessionEnd"), noted("")},
		way{"end of a session of others", sqldisk.Write, nil, event("SessionEnd"), noted("ada")},
		way{"start of a session", sqldisk.Write, nil, event("SessionStart"), noted("")},
		way{"schedule", sqldisk.Admin, []string{"*"}, func(w *writer) bool {
			n++
			key, when := "schedules.nightly", fmt.Sprintf("daily 02:%02d", n%60)
			_, page := w.browser.get("/schedules?" + url.Values{"key": {key}, "when": {when}}.Encode())
			diff := regexp.MustCompile(`name="diff" value="([^"]*)"`).FindStringSubmatch(page)
			if diff == nil { // the page offers no form: it is sent all the same
				diff = []string{"", ""}
			}
			return w.form("/schedules", url.Values{"key": {key}, "when": {when}, "diff": {html.UnescapeString(diff[1])}})
		}, nil},
	)
	ways = append(ways, way{"enrich", sqldisk.Run, []string{"team:security"}, func(w *writer) bool {
		text, failed := ask(w.T, w.url, w.token, "enrich", map[string]any{"scope": "team:security"})
		if failed {
			return false
		}
		plan := regexp.MustCompile(`plan_[0-9TZ]+_[0-9a-f]+`).FindString(text)
		if plan == "" {
			w.Error(text)
		}
		return w.tool("enrich", map[string]any{"scope": "team:security", "apply": plan})
	}, func(string) {
		n++
		for i, text := range []string{"pipeline takes ten minutes", "pipeline needs a rollback step", "pipeline runs the tests of the deploy"} {
			id := fmt.Sprintf("cluster%d_%d", n, i)
			put(t, db, "acme", map[string]string{"teams/security/" + id + ".json": fmt.Sprintf(
				`{"id": %q, "type": "factual", "created_by": "ada", "created_at": "2026-02-2%dT08:00:00Z", "tags": ["deploy%d"], "content": "The deploy%d %s."}`, id, i, n, n, text)})
		}
	}})
	// A run of the whole fixture promotes from agents to teams, and merges and archives in many scopes.
	ways = append(ways, way{"consolidate, then undo", sqldisk.Run, []string{"*"}, func(w *writer) bool {
		text, failed := ask(w.T, w.url, w.token, "consolidate", map[string]any{})
		if failed {
			return false
		}
		plan := regexp.MustCompile(`plan_[0-9TZ]+_[0-9a-f]+`).FindString(text)
		if text, failed = ask(w.T, w.url, w.token, "consolidate", map[string]any{"apply": plan}); failed {
			return false
		}
		run := regexp.MustCompile(`run_[0-9TZ]+_[0-9a-f]+`).FindString(text)
		return w.tool("undo", map[string]any{"run": run})
	}, nil})

	for who, grants := range map[string][]string{
		"reader":   {"read *"},
		"bob":      {"read *", "write agent:bob"},
		"guard":    {"read *", "write team:*", "write agent:bob"},
		"scribe":   {"read *", "write *"},
		"judge":    {"read *", "review *"},
		"runner":   {"read *", "run agent:bob"},
		"operator": {"read *", "run *"},
		"root":     {"admin *"},
	} {
		w := newWriter(t, db, server, who, ids, grants...)
		principal := sqldisk.Principal{Name: who}
		for _, g := range grants {
			access, scope, _ := strings.Cut(g, " ")
			principal.Grants = append(principal.Grants, sqldisk.Grant{Access: sqldisk.Access(access), Scope: scope})
		}
		for _, way := range ways {
			may := len(way.scopes) > 0
			for _, name := range way.scopes {
				if name == "*" {
					may = may && principal.Everywhere(way.access)
					continue
				}
				name = strings.Replace(name, ":*", ":x", 1)
				scope, err := memory.ParseScope(name)
				if err != nil {
					t.Fatal(err)
				}
				may = may && principal.May(way.access, scope)
			}
			if way.prepare != nil {
				way.prepare(who)
			}
			before := shared(documents(t, db))
			if did := way.do(w); did != may {
				t.Errorf("%s by %s (%s): done %v, want %v", way.name, who, strings.Join(grants, ", "), did, may)
			}
			if after := shared(documents(t, db)); !may && !maps.Equal(before, after) {
				t.Errorf("%s by %s was refused, and documents changed", way.name, who)
			}
		}
	}
	// Whoever saves, the author is the principal.
	bob := newWriter(t, db, server, "bob", ids)
	bob.tool("save", map[string]any{"type": "factual", "scope": "agent:bob", "by": "USER", "content": "The lift is out of order."})
	if text, _ := ask(t, server.URL+"/mcp/acme", admin, "search", map[string]any{"query": "lift out of order"}); !strings.Contains(text, "by bob") {
		t.Error(text)
	}
}

// shared leaves out what reading changes: counts of reads and derived documents.
func shared(documents map[string]string) map[string]string {
	maps.DeleteFunc(documents, func(name, _ string) bool {
		return strings.HasPrefix(name, "ops/") && name != memory.LogFile && name != memory.ReviewFile
	})
	return documents
}
