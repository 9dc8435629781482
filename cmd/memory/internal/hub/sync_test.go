package hub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/mirror"
	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk/pgtest"
)

// flaky is a transport that fails at one of its requests, which the hub has got: with no answer, or a part of one.
type flaky struct {
	fails int // the number of the request, from 1; 0: none
	how   string
	count int
}

var errCut = errors.New("the connection was cut")

func (f *flaky) RoundTrip(r *http.Request) (*http.Response, error) {
	f.count++
	if f.count != f.fails {
		return http.DefaultTransport.RoundTrip(r)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil || f.how == "after" {
		return nil, errors.Join(errCut, err)
	}
	res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body[:len(body)/2]), broken{}))
	return res, nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errCut }

// folder is a workspace that mirrors one of a hub.
type folder struct {
	*mirror.Mirror
	dir  string
	net  *flaky
	name string

	marks map[string][]string // that it has given memories, by id
}

func folderOf(t *testing.T, server *httptest.Server, ws, token, name string) *folder {
	t.Helper()
	return folderIn(t, t.TempDir(), server, ws, token, name)
}

// folderIn is folderOf in a directory.
func folderIn(t *testing.T, dir string, server *httptest.Server, ws, token, name string) *folder {
	t.Helper()
	store, err := workspace.Open(dir)
	if err == nil {
		t.Cleanup(func() { _ = store.Close() })
		err = store.NameMachine(t.Context(), name)
	}
	if err != nil {
		t.Fatal(err)
	}
	f := &folder{dir: dir, net: &flaky{}, name: name}
	f.Mirror = &mirror.Mirror{
		Store: store, Hub: &mirror.Hub{URL: server.URL, Workspace: ws, Token: token, Client: &http.Client{Transport: f.net}},
		Secrets: func(_ string, text []byte) []string {
			if bytes.Contains(text, []byte("hunter2")) {
				return []string{"a password"}
			}
			return nil
		},
		Settle: func() error { _, err := store.Reindex(t.Context(), at); return err },
		Now:    func() time.Time { return at },
	}
	return f
}

func (f *folder) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func (f *folder) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(name)))
	return string(text)
}

func (f *folder) sync(t *testing.T) *mirror.Outcome {
	t.Helper()
	out, err := f.Sync(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	return out
}

// shared are the documents that mirrors have.
func (f *folder) shared(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	if err := f.Store.Documents().Each(mirror.Shared, func(name string, data []byte) {
		if !strings.HasPrefix(name, workspace.RunsDir+"/") || !strings.Contains(f.read(path.Dir(name)+"/done.json"), `"count":0`) {
			all[name] = string(data)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func (f *folder) check(t *testing.T) {
	t.Helper()
	if _, err := f.Store.Reindex(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	if problems, err := f.Store.Check(at); err != nil || len(problems) > 0 {
		t.Errorf("%s: %v, %v", f.name, problems, err)
	}
}

func note(id, content string, reads int) string {
	return fmt.Sprintf(`{"id": %q, "type": "semantic", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "content": %q, "access_count": %d}`+"\n", id, content, reads)
}

// equal tells where two folders differ.
func equal(t *testing.T, a, b *folder) {
	t.Helper()
	one, two := a.shared(t), b.shared(t)
	for _, name := range slices.Sorted(maps.Keys(one)) {
		if one[name] != two[name] {
			t.Errorf("%s of %s:\n%.400s\n%s has\n%.400s", name, a.name, one[name], b.name, two[name])
		}
	}
	for name := range two {
		if _, ok := one[name]; !ok {
			t.Errorf("%s has no %s", a.name, name)
		}
	}
}

func TestMirrors(t *testing.T) {
	for engine, address := range map[string]func(testing.TB) string{"sqlite": sqlite, "postgres": pgtest.New} {
		t.Run(engine, func(t *testing.T) {
			db := database(t, address(t))
			h, server := start(t, db)
			secret := token(t, db, "ada", "admin *")
			one, two := folderOf(t, server, "acme", secret, "one"), folderOf(t, server, "acme", secret, "two")
			one.sync(t)
			if n := len(one.shared(t)); n < 20 {
				t.Errorf("%d documents came", n)
			}
			two.sync(t)
			equal(t, one, two)
			// What is changed here and there comes together, and so does what agents save at the hub.
			one.write(t, "global/x.json", note("mem_x", "The lift is red.", 1))
			one.write(t, "global/secret.json", note("mem_s", "The password is hunter2.", 0))
			if out := one.sync(t); !slices.Contains(out.Sent, "global/x.json") || !slices.Equal(out.Withheld, []string{"global/secret.json"}) {
				t.Errorf("%+v", out)
			}
			if text, failed := ask(t, server.URL+"/mcp/acme", secret, "save", map[string]any{"type": "factual", "content": "The gate is green.", "no_check": true}); failed {
				t.Error(text)
			}
			two.sync(t)
			one.write(t, "global/x.json", note("mem_x", "The lift is red.", 4))
			two.write(t, "global/x.json", strings.Replace(note("mem_x", "The lift is red.", 3), "}", `, "tags": ["lift"]}`, 1))
			one.sync(t)
			two.sync(t)
			one.sync(t)
			if err := os.Remove(filepath.Join(one.dir, "global/secret.json")); err != nil {
				t.Fatal(err)
			}
			equal(t, one, two)
			if text := two.read("global/x.json"); !strings.Contains(text, `"access_count": 6`) || !strings.Contains(text, "lift\"]") {
				t.Error(text)
			}
			if text, _ := ask(t, server.URL+"/mcp/acme", secret, "search", map[string]any{"query": "lift"}); !strings.Contains(text, "mem_x") {
				t.Error(text)
			}
			// So does what one archives and the other has changed, whoever is first: in the archive, unless the log has that a rule did it.
			for i, first := range []*folder{one, two} {
				name := fmt.Sprintf("m%d.json", i)
				one.write(t, "global/"+name, note("mem_m"+name, "The roof is flat.", 1))
				one.sync(t)
				two.sync(t)
				two.write(t, "archive/"+name, note("mem_m"+name, "The roof is flat.", 2))
				if err := os.Remove(filepath.Join(two.dir, "global", name)); err != nil {
					t.Fatal(err)
				}
				one.write(t, "global/"+name, note("mem_m"+name, "The roof is flat.", 5))
				first.sync(t)
				one.sync(t)
				two.sync(t)
				one.sync(t)
				if text := two.read("archive/" + name); !strings.Contains(text, `"access_count": 6}`) || two.read("global/"+name) != "" {
					t.Errorf("archived and read: %q, %q", text, two.read("global/"+name))
				}
				equal(t, one, two)
			}
			// A run of the hub comes with its record, and nothing is taken for unfinished.
			if text, failed := ask(t, server.URL+"/mcp/acme", secret, "consolidate", map[string]any{}); failed {
				t.Error(text)
			}
			one.sync(t)
			two.sync(t)
			equal(t, one, two)
			records, err := filepath.Glob(filepath.Join(two.dir, workspace.RunsDir, "*", "done.json"))
			if err != nil || !slices.ContainsFunc(records, func(name string) bool { text, err := os.ReadFile(name); return err == nil && workspace.Logged(text) }) {
				t.Errorf("no record of a run has come: %v, %v", records, err)
			}
			one.check(t)
			two.check(t)
			// A database that was restored from a backup takes nothing away.
			h.rooms = map[string]*room{}
			if out := one.sync(t); len(out.Received)+len(out.Sent) > 0 {
				t.Errorf("%+v", out)
			}
		})
	}
}

// What a rule archived on one mirror while another one edited it comes back at the next run of the hub, where no mirror may read the logs.
func TestHubRestores(t *testing.T) {
	db := database(t, sqlite(t))
	h, server := start(t, db)
	one, two := folderOf(t, server, "acme", token(t, db, "ada", "admin *"), "one"), folderOf(t, server, "acme", token(t, db, "bob", "read global", "write global"), "two")
	one.write(t, "global/mem_m.json", note("mem_m", "The roof is flat.", 1))
	one.sync(t)
	two.sync(t)
	snap, err := one.Store.Load(at)
	if err != nil {
		t.Fatal(err)
	}
	actions, err := archive.Archive(snap, "stale", "mem_m")
	if err != nil {
		t.Fatal(err)
	}
	actions[0].Rule = memory.RuleArchive
	if _, err := one.Store.Commit(t.Context(), &workspace.Tx{Plan: memory.Command(snap, one.Store.Log().Head(), actions...)}); err != nil {
		t.Fatal(err)
	}
	two.write(t, "global/mem_m.json", note("mem_m", "The roof is steep.", 1))
	one.sync(t)
	two.sync(t)
	if text := two.read("archive/mem_m.json"); !strings.Contains(text, "steep") || two.read("global/mem_m.json") != "" {
		t.Errorf("not one memory with both changes: %q, %q", text, two.read("global/mem_m.json"))
	}
	if err := db.Plan(t.Context(), "acme", key(trigger.Clocks(config.Default())[0]), sqldisk.Next{Slot: "now", At: at}); err != nil {
		t.Fatal(err)
	}
	if found, err := h.once(t.Context(), t.Context()); !found || err != nil {
		t.Fatalf("%v, %v", found, err)
	}
	two.sync(t)
	if text := two.read("global/mem_m.json"); !strings.Contains(text, "steep") || two.read("archive/mem_m.json") != "" {
		t.Errorf("not restored: %q, %q", text, two.read("archive/mem_m.json"))
	}
	one.sync(t)
	one.check(t)
}

// What is not granted is in no mirror, and goes from one when it is no longer. What may not be written is told.
func TestMirrorByGrants(t *testing.T) {
	db := database(t, sqlite(t))
	_, server := start(t, db)
	all := folderOf(t, server, "acme", token(t, db, "ada", "admin *"), "all")
	all.sync(t)
	bob := folderOf(t, server, "acme", token(t, db, "bob", "read team:security", "write agent:bob", "read agent:bob"), "bob-laptop")
	bob.sync(t)
	for name := range bob.shared(t) {
		if !strings.HasPrefix(name, "teams/security/") && name != "memory.toml" && !strings.HasPrefix(name, "schemas/") && !strings.HasPrefix(name, "archive/") && !strings.HasPrefix(name, "ops/originals/") {
			t.Errorf("%s may not be read", name)
		}
	}
	own := note("mem_bob", "The lift is red.", 0)
	bob.write(t, "agents/bob/mem_bob.json", strings.Replace(own, "{", `{"created_by": "ada", `, 1))
	bob.write(t, "global/mem_all.json", note("mem_all", "Of everybody.", 0))
	out := bob.sync(t)
	if out.Refused["global/mem_all.json"] == "" || !slices.Contains(out.Sent, "agents/bob/mem_bob.json") {
		t.Errorf("%+v", out)
	}
	if text := bob.read("agents/bob/mem_bob.json"); !strings.Contains(text, `"created_by": "bob"`) {
		t.Errorf("whose memory it is, is the client's word: %s", text)
	}
	all.sync(t)
	if all.read("agents/bob/mem_bob.json") == "" || all.read("global/mem_all.json") != "" {
		t.Error("what bob may write has not come, or what he may not has")
	}
	if _, err := db.Revoke(t.Context(), "acme", "bob", sqldisk.Grant{Scope: "team:security", Access: sqldisk.Read}); err != nil {
		t.Fatal(err)
	}
	bob.sync(t)
	for name := range bob.shared(t) {
		if strings.HasPrefix(name, "teams/") {
			t.Errorf("%s may not be read any more", name)
		}
	}
	if bob.read("agents/bob/mem_bob.json") == "" {
		t.Error("what bob may read has gone")
	}
	// A machine belongs to who pushed under its name first; the hub's own files are its own.
	all.write(t, "global/all.json", note("mem_a", "The roof is flat.", 0))
	all.sync(t)
	eve := folderOf(t, server, "acme", token(t, db, "eve", "admin *"), "all")
	eve.write(t, "global/eve.json", note("mem_eve", "Of eve.", 0))
	if _, err := eve.Sync(t.Context()); !errors.Is(err, mirror.ErrRefused) || !strings.Contains(err.Error(), "machine of that name") {
		t.Error(err)
	}
	for _, path := range []string{"ops/logs/hub.json", "ops/consolidation-log.json", "../x.json", "ops/cache/x", "ops/machine.json", "global/_index.json"} {
		status, answer := post(t, server.URL+mirror.Path+"acme", eve.Hub.Token, fmt.Sprintf(`{"id": "x", "machine": "e", "changes": [{"path": %q, "bytes": "e30="}]}`, path))
		if status != http.StatusForbidden {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
}

// Whatever request fails, and however, the next sync goes on: nothing is lost, and nothing counts twice.
func TestMirrorsFail(t *testing.T) {
	db := database(t, sqlite(t))
	for _, how := range []string{"after", "within"} { // that one which never came is the same is seen where a mirror dies before it sends
		for n := 1; ; n++ {
			if !mirrored(t, db, fmt.Sprintf("%s request %d", how, n), func(f *folder) { f.net.count, f.net.fails, f.net.how = 0, n, how }) {
				break
			}
		}
	}
}

// Wherever a mirror dies, likewise.
func TestMirrorsDie(t *testing.T) {
	db, died := database(t, sqlite(t)), errors.New("killed")
	for n := 1; ; n++ {
		count := 0
		if !mirrored(t, db, fmt.Sprintf("killed at step %d", n), func(f *folder) {
			f.Mirror.Fail(func(string) error {
				if count++; count == n {
					return died
				}
				return nil
			})
		}) {
			break
		}
	}
}

// Four mirrors work at the same time, a hub that dies and comes back at any request: all come in step, and no mark and no read is lost.
// MEMORYD_HARNESS=full has forty rounds of it.
func TestFourMirrors(t *testing.T) {
	rounds := 3
	if os.Getenv("MEMORYD_HARNESS") == "full" && !testing.Short() {
		rounds = 40
	}
	db, random := database(t, sqlite(t)), rand.New(rand.NewPCG(43, 8))
	_, server := start(t, db)
	secret := empty(t, db, "four")
	var all []*folder
	for _, name := range []string{"a", "b", "c", "d"} {
		f := folderOf(t, server, "four", secret, name)
		f.marks = map[string][]string{}
		all = append(all, f)
	}
	for i := range 6 {
		all[0].write(t, fmt.Sprintf("global/m%d.json", i), note(fmt.Sprintf("mem_%d", i), "The lift is red.", 0))
	}
	for _, f := range all {
		f.sync(t)
	}
	reads := map[string]int{}
	for round := range rounds {
		for _, f := range all {
			for n := range 1 + random.IntN(2) {
				f.use(t, fmt.Sprintf("mem_%d", random.IntN(6)), fmt.Sprintf("%s-%d-%d", f.name, round, n), reads)
			}
			if random.IntN(4) == 0 {
				f.put(t, fmt.Sprintf("mem_%d", random.IntN(6)), []string{"archive", "global"}[random.IntN(2)])
			}
			f.net.count, f.net.fails, f.net.how = 0, 1+random.IntN(4), []string{"after", "within"}[random.IntN(2)]
			if _, err := f.Sync(t.Context()); err != nil && !errors.Is(err, errCut) {
				t.Fatal(err)
			}
			if f.net.fails = 0; random.IntN(3) == 0 { // the hub is another process by now
				_, next := start(t, db)
				for _, f := range all {
					f.Hub.URL = next.URL
				}
			}
		}
		for range 2 {
			for _, f := range all {
				f.sync(t)
			}
		}
	}
	for _, f := range all {
		f.sync(t)
	}
	for _, f := range all[1:] {
		equal(t, all[0], f)
	}
	for id, n := range reads {
		text := all[0].read(all[0].find(id))
		if !strings.Contains(text, fmt.Sprintf(`"access_count": %d`, n)) {
			t.Errorf("%s was read %d times: %s", id, n, text)
		}
	}
	for _, f := range all {
		for id, marks := range f.marks {
			for _, mark := range marks {
				if text := all[0].read(all[0].find(id)); !strings.Contains(text, `"`+mark+`"`) {
					t.Errorf("%s has lost %s: %s", id, mark, text)
				}
			}
		}
		f.check(t)
	}
}

// find is where a memory is.
func (f *folder) find(id string) string {
	name := "m" + strings.TrimPrefix(id, "mem_") + ".json"
	if f.read("archive/"+name) != "" {
		return "archive/" + name
	}
	return "global/" + name
}

// use counts a read of a memory, and gives it a mark.
func (f *folder) use(t *testing.T, id, mark string, reads map[string]int) {
	t.Helper()
	name := f.find(id)
	text := f.read(name)
	var m struct {
		Count int      `json:"access_count"`
		Tags  []string `json:"tags"`
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%s: %v: %s", name, err, text)
	}
	tags, err := json.Marshal(append(m.Tags, mark))
	if err != nil {
		t.Fatal(err)
	}
	for member, value := range map[string]string{"access_count": fmt.Sprint(m.Count + 1), "tags": string(tags)} {
		edited, err := memory.SetField([]byte(text), []byte(value), member)
		if err != nil {
			t.Fatal(err)
		}
		text = string(edited)
	}
	reads[id]++
	f.marks[id] = append(f.marks[id], mark)
	f.write(t, name, text)
}

// put moves a memory to a directory.
func (f *folder) put(t *testing.T, id, dir string) {
	t.Helper()
	from := f.find(id)
	to := path.Join(dir, path.Base(from))
	if from == to {
		return
	}
	f.write(t, to, f.read(from))
	if err := os.Remove(filepath.Join(f.dir, from)); err != nil {
		t.Fatal(err)
	}
}

// mirrored has two mirrors count reads of one memory and add others, the first with something that fails. It reports whether that failed.
func mirrored(t *testing.T, db *sqldisk.DB, name string, breaks func(*folder)) (failed bool) {
	t.Run(name, func(t *testing.T) {
		_, server := start(t, db)
		ws := strings.ReplaceAll(name, " ", "-")
		secret := empty(t, db, ws)
		one, two := folderOf(t, server, ws, secret, "one"), folderOf(t, server, ws, secret, "two")
		one.write(t, "global/x.json", note("mem_x", "The lift is red.", 1))
		one.write(t, "global/m.json", note("mem_m", "The roof is flat.", 1))
		one.sync(t)
		two.sync(t)
		two.write(t, "global/m.json", note("mem_m", "The roof is flat.", 5))
		one.write(t, "archive/m.json", note("mem_m", "The roof is flat.", 2))
		if err := os.Remove(filepath.Join(one.dir, "global/m.json")); err != nil {
			t.Fatal(err)
		}
		two.write(t, "global/x.json", note("mem_x", "The lift is red.", 11))
		two.write(t, "global/two.json", note("mem_two", "The gate is green.", 0))
		two.sync(t)
		one.write(t, "global/x.json", note("mem_x", "The lift is red.", 101))
		one.write(t, "global/one.json", note("mem_one", "The door is blue.", 0))
		breaks(one)
		_, err := one.Sync(t.Context())
		failed = err != nil
		one.net.fails = 0
		one.Mirror.Fail(nil)
		two.write(t, "global/x.json", note("mem_x", "The lift is red.", 1011)) // and goes on while it is away
		two.sync(t)
		one.sync(t)
		two.sync(t)
		equal(t, one, two)
		// Two has 11 or 111 when it writes 1011: by what it had, it has read 1000 or 900 times more.
		want := map[bool]string{true: `"access_count": 1111}`, false: `"access_count": 1011}`}
		if text := one.read("global/x.json"); !strings.Contains(text, want[true]) && !strings.Contains(text, want[false]) {
			t.Error(text)
		}
		if text := one.read("archive/m.json"); !strings.Contains(text, `"access_count": 6}`) || one.read("global/m.json") != "" {
			t.Errorf("archived here and read there: %q, %q", text, one.read("global/m.json"))
		}
		for _, other := range []string{"global/one.json", "global/two.json"} {
			if one.read(other) == "" {
				t.Errorf("%s is lost", other)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(one.dir, "ops/conflicts/*")); len(left) > 0 {
			t.Errorf("set aside: %v", left)
		}
		one.check(t)
	})
	return failed && !t.Failed()
}

// empty makes a workspace, and a token for it.
func empty(t *testing.T, db *sqldisk.DB, ws string) (text string) {
	t.Helper()
	err := db.Create(t.Context(), ws, "", at)
	if err == nil {
		err = db.Grant(t.Context(), ws, "ada", at, sqldisk.Grant{Scope: "*", Access: sqldisk.Admin})
	}
	if err == nil {
		text, err = db.NewToken(t.Context(), ws, "ada", "", at, at.Add(time.Hour))
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A hub promotes directly, whatever the settings of a workspace say: it has no git on whose branches somebody would find proposals.
func TestPromotesDirectly(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "memory.toml"), []byte("[promote]\nvia = \"branch\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if conf, err := settings(store); err != nil || conf.Promote.Via != config.ViaDirect {
		t.Error(conf.Promote.Via, err)
	}
}
