package gitsync_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/gitsync"
	"github.com/memoryd/memoryd/internal/op/sharing"
	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/merge"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// TestMain lets the test program be git's merge driver: base, ours, theirs and the name follow "merge-file --quiet".
func TestMain(m *testing.M) {
	if len(os.Args) == 7 && os.Args[1] == "merge-file" {
		os.Exit(drive(os.Args[3:]))
	}
	os.Exit(m.Run())
}

func drive(args []string) int {
	var docs [3][]byte
	for i := range docs {
		docs[i], _ = os.ReadFile(args[i])
	}
	if len(docs[0]) == 0 {
		docs[0] = nil
	}
	result, err := merge.Documents(args[3], docs[0], docs[1], docs[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if len(result.Others) > 0 {
		repo, err := gitsync.Open(context.Background(), ".", "")
		if err == nil {
			err = repo.KeepLater(context.Background(), args[3], docs[1], docs[2], result.Others)
		}
		if err != nil {
			return 1
		}
	}
	if err := os.WriteFile(args[1], result.Doc, 0o600); err != nil {
		return 1
	}
	return 0
}

// needGit skips a test loudly where there is no git, and keeps git from anybody's settings.
func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: git is not installed")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("HOME", t.TempDir())
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "t")
		t.Setenv("GIT_"+who+"_EMAIL", "t@localhost")
	}
	// What git does for later and for a loss of power is most of its work here.
	quick := []string{"gc.auto=0", "maintenance.auto=false", "receive.autogc=false", "core.fsync=none", "fetch.showForcedUpdates=false"}
	t.Setenv("GIT_CONFIG_COUNT", strconv.Itoa(len(quick)))
	for i, setting := range quick {
		key, value, _ := strings.Cut(setting, "=")
		t.Setenv(fmt.Sprintf("GIT_CONFIG_KEY_%d", i), key)
		t.Setenv(fmt.Sprintf("GIT_CONFIG_VALUE_%d", i), value)
	}
}

// clone is a workspace in a clone.
type clone struct {
	t     *testing.T
	name  string
	dir   string
	store *workspace.FileStore
	repo  *gitsync.Repo
	at    *time.Time
}

// clones makes a bare repository, and clones of it. Without the driver they know nothing of memoryd.
func clones(t *testing.T, n int, driver bool) []*clone {
	t.Helper()
	needGit(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	bare := filepath.Join(root, "bare.git")
	command(t, root, "init", "--quiet", "--bare", "--initial-branch=main", bare)
	at := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	var all []*clone
	for i := range n {
		name := string(rune('a' + i))
		c := &clone{t: t, name: name, dir: filepath.Join(root, name), at: &at}
		command(t, root, "clone", "--quiet", bare, c.dir)
		if c.store, err = workspace.Open(c.dir); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.store.Close() })
		if c.repo, err = gitsync.Open(t.Context(), c.dir, self); err != nil {
			t.Fatal(err)
		}
		if err := c.store.NameMachine(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			command(t, c.dir, "checkout", "--quiet", "-B", "main")
			write(t, c.dir, "memory.toml", "")
			if _, err := c.repo.Install(t.Context(), gitsync.InstallOptions{}); err != nil {
				t.Fatal(err)
			}
			if !driver {
				write(t, c.dir, ".gitattributes", "")
			}
			for k := range 6 {
				c.add(fmt.Sprintf("mem_first_%d", k))
			}
			c.sync()
		} else if _, err := c.repo.Install(t.Context(), gitsync.InstallOptions{}); err != nil {
			t.Fatal(err)
		}
		if !driver {
			write(t, c.dir, ".gitattributes", "")
			command(t, c.dir, "config", "--unset", "merge.memory.driver")
		}
		all = append(all, c)
	}
	return all
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// command runs git, which must succeed.
func command(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := attempt(dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func attempt(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// tick is a new time, the next for everybody.
func (c *clone) tick() time.Time {
	*c.at = c.at.Add(time.Second)
	return *c.at
}

func (c *clone) add(id string) {
	at := timestamp.Format(c.tick())
	write(c.t, c.dir, "agents/DEV-001/"+id+".json", fmt.Sprintf(`{
  "id": %q,
  "type": "factual",
  "created_by": "DEV-001",
  "created_at": %q,
  "updated_at": %q,
  "access_count": 0,
  "tags": [],
  "content": {
    "title": "What %s is about",
    "summary": "A sentence that stands for all that is known of it",
    "details": "More words, so that git sees that it is the same file when it is moved to the archive and edited elsewhere."
  }
}
`, id, at, at, id))
}

func (c *clone) load() *memory.Snapshot {
	c.t.Helper()
	snap, err := c.store.Load(*c.at)
	if err != nil {
		c.t.Fatal(err)
	}
	return snap
}

// edit gives a memory a mark, which must never be lost, and changes members that others may change too.
func (c *clone) edit(m *memory.Memory, mark, field string) {
	c.t.Helper()
	raw := string(m.Raw())
	set := func(member, value string) {
		at := regexp.MustCompile(`"` + member + `": ("[^"]*"|\[[^\]]*\]|[0-9]+)`).FindStringIndex(raw)
		if at == nil { // a member of the content that nobody has written yet
			raw = strings.Replace(raw, `"content": {`, `"content": {"`+member+`": `+value+`,`, 1)
			return
		}
		raw = raw[:at[0]] + `"` + member + `": ` + value + raw[at[1]:]
	}
	set("tags", `["`+strings.Join(append(slices.Clone(m.Tags), mark), `", "`)+`"]`)
	set("updated_at", `"`+timestamp.Format(c.tick())+`"`)
	if field == "access_count" {
		set(field, fmt.Sprint(m.AccessCount-m.Unfolded+1))
	} else {
		set(field, `"by `+mark+`"`)
	}
	c.commit(memory.Action{Ops: []memory.Op{{Kind: memory.Put, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: []byte(raw)}}})
}

func (c *clone) commit(actions ...memory.Action) {
	c.t.Helper()
	for i := range actions {
		if actions[i].Type == "" {
			actions[i].Type, actions[i].MemoryID = "edit", actions[i].Ops[0].ID
		}
	}
	snap := c.load()
	if _, err := c.store.Commit(c.t.Context(), &workspace.Tx{Plan: memory.Command(snap, c.store.Log().Head(), actions...)}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *clone) archive(id, rule string) {
	c.t.Helper()
	actions, err := archive.Archive(c.load(), "by hand", id)
	if err != nil {
		c.t.Fatal(err)
	}
	actions[0].Rule = rule
	c.commit(actions...)
}

func (c *clone) options() gitsync.Options {
	c.t.Helper()
	log, err := c.store.Log().Read()
	if err != nil {
		c.t.Fatal(err)
	}
	return gitsync.Options{
		Machine: c.name, Root: true, Log: func(*gitsync.Outcome) error { return nil }, Settle: c.settle,
		Guard: sharing.NewGuard(secrets.Default(), c.load(), log, false),
	}
}

// settle does what the command does once something has come in.
func (c *clone) settle() error {
	ctx := context.Background()
	if _, err := c.repo.TakeLater(ctx, *c.at); err != nil {
		return err
	}
	_, err := app.SettleIncoming(ctx, c.store, *c.at, *c.at, func(s *memory.Snapshot) []memory.Action { return c.repo.Accepted(ctx, s, promotion) })
	if err == nil {
		_, err = c.repo.ProposeAll(ctx, c.store, *c.at, promotion)
	}
	return err
}

func (c *clone) editedMeanwhile() []memory.Action {
	c.t.Helper()
	log, err := c.store.Log().Read()
	if err != nil {
		c.t.Fatal(err)
	}
	return archive.EditedMeanwhile(c.load(), log)
}

// promotion is by what memories are promoted.
var promotion = rules.Request{Settings: config.Default()}

// promote copies a memory to a wider scope, or proposes that, where it may rise.
func (c *clone) promote(id string, to memory.Scope, propose bool) {
	c.t.Helper()
	c.tick()
	if a, err := rules.PromoteTo(c.load(), promotion, id, to, propose); err == nil {
		c.commit(a)
	}
}

// demote takes the copies of a memory back, where there are any.
func (c *clone) demote(id string) {
	c.t.Helper()
	c.tick()
	if actions, _, err := archive.Demote(c.load(), id); err == nil {
		c.commit(actions...)
	}
}

// judge does with the pull requests what people do: it accepts, or refuses.
func (c *clone) judge(accept func() bool) (accepted int) {
	c.t.Helper()
	command(c.t, c.dir, "fetch", "--quiet", "--prune", "origin")
	for _, branch := range strings.Fields(command(c.t, c.dir, "for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes/origin/memory/promote-*")) {
		if accept() {
			accepted++
			command(c.t, c.dir, "merge", "--quiet", "--no-ff", "-m", "accepted", "origin/"+branch)
		}
		command(c.t, c.dir, "push", "--quiet", "origin", "--delete", branch)
	}
	return accepted
}

// head is the commit that is checked out, read without git.
func (c *clone) head() string {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, ".git", "refs", "heads", "main"))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

func (c *clone) sync() *gitsync.Outcome {
	c.t.Helper()
	out, err := c.repo.Sync(c.t.Context(), c.options())
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", c.name, err, command(c.t, c.dir, "status"))
	}
	return out
}

// commitAll commits as a person does.
func (c *clone) commitAll() {
	c.t.Helper()
	command(c.t, c.dir, "add", "--all")
	if _, err := attempt(c.dir, "diff", "--cached", "--quiet"); err != nil {
		command(c.t, c.dir, "commit", "--quiet", "-m", "by hand")
	}
}

// Three clones add, edit, archive, promote and take back, and bring it together in every way that git has, pull requests included: nobody ever
// sees a conflict, every file stays valid, a check is clean, no mark is lost, and what was accepted is known.
func TestClones(t *testing.T) {
	rounds, seed := 4, uint64(1)
	if os.Getenv("MEMORYD_HARNESS") == "full" && !testing.Short() {
		rounds = 100
	}
	all := clones(t, 3, true)
	random := rand.New(rand.NewPCG(seed, 0))
	marks, accepted := map[string][]string{}, 0
	wider := []memory.Scope{{Kind: "team", ID: "dev"}, memory.Global}
	for round := range rounds {
		for _, c := range all {
			if random.IntN(3) == 0 {
				c.add(fmt.Sprintf("mem_%s_%d", c.name, round))
			}
			for n := range 1 + random.IntN(3) {
				live := c.load().Memories()
				m := live[random.IntN(len(live))]
				mark := fmt.Sprintf("%s-%d-%d", c.name, round, n)
				c.edit(m, mark, []string{"title", "summary", "access_count", "own_" + c.name}[random.IntN(4)])
				marks[m.ID] = append(marks[m.ID], mark)
			}
			if live := c.load().Memories(); random.IntN(3) == 0 && len(live) > 4 {
				c.archive(live[random.IntN(len(live))].ID, []string{"archive", memory.RuleManual}[random.IntN(2)])
			}
			if live := c.load().Memories(); random.IntN(4) > 0 {
				c.promote(live[random.IntN(len(live))].ID, wider[random.IntN(len(wider))], random.IntN(3) > 0)
			} else if random.IntN(2) == 0 {
				c.demote(live[random.IntN(len(live))].ID)
			}
			switch random.IntN(4) {
			case 0:
				c.sync()
			case 1: // as a person, who merges
				c.commitAll()
				command(t, c.dir, "pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main")
			case 2: // or rebases
				c.commitAll()
				command(t, c.dir, "pull", "--quiet", "--rebase", "origin", "main")
			case 3: // or from each other, so that there are two bases
				other := all[random.IntN(len(all))]
				c.commitAll()
				other.commitAll()
				command(t, c.dir, "pull", "--quiet", "--no-rebase", "--no-edit", other.dir, "main")
			}
		}
		inStep(t, all)
		accepted += all[random.IntN(len(all))].judge(func() bool { return random.IntN(4) > 0 })
		inStep(t, all)
		if round == rounds-1 || round%20 == 0 {
			t.Logf("round %d: %d memories with marks, %d pull requests accepted", round, len(marks), accepted)
			agree(t, all, marks)
			for _, c := range all {
				command(t, c.dir, "repack", "-adq") // as git does now and then
			}
		}
	}
	if rounds == 100 && accepted < 10 {
		t.Errorf("that proves too little: %d pull requests were accepted", accepted)
	}
}

// inStep syncs until all clones stand at one commit: the second time brings the others', a third what came back in the second.
func inStep(t *testing.T, all []*clone) {
	t.Helper()
	for range 4 {
		for _, c := range all {
			c.sync()
			if !slices.ContainsFunc(all, func(other *clone) bool { return other.head() != c.head() }) {
				return
			}
		}
	}
	t.Fatal("the clones don't come in step")
}

// agree holds that all clones have the same, and all marks.
func agree(t *testing.T, all []*clone, marks map[string][]string) {
	t.Helper()
	tree := command(t, all[0].dir, "rev-parse", "HEAD^{tree}")
	for _, c := range all {
		if got := command(t, c.dir, "rev-parse", "HEAD^{tree}"); got != tree {
			t.Fatalf("%s differs from %s:\n%s", c.name, all[0].name, command(t, c.dir, "diff", "--stat", tree, got))
		}
		if _, err := c.store.Reindex(t.Context(), *c.at); err != nil {
			t.Fatal(err)
		}
		problems, err := c.store.Check(*c.at)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			if !strings.Contains(p.Message, "two machines changed it") {
				t.Errorf("%s: %+v", c.name, p)
			}
		}
		if left := rules.Accepted(c.load(), promotion); len(left) > 0 {
			t.Errorf("%s: %s doesn't point to the copy that people have accepted: %+v", c.name, left[0].MemoryID, left[0].Action)
		}
		if left := c.editedMeanwhile(); len(left) > 0 {
			t.Errorf("%s: %s is archived as it was edited elsewhere: %+v", c.name, left[0].MemoryID, left[0].Action)
		}
		snap := c.load()
		for id, want := range marks {
			found := snap.Find(id)
			if len(found) != 1 {
				t.Fatalf("%s: %s is there %d times", c.name, id, len(found))
			}
			for _, mark := range want {
				if !found[0].HasTag(mark) {
					t.Errorf("%s: %s has lost %s", c.name, id, mark)
				}
			}
		}
	}
}

// Without the driver git reports a conflict, but only where both edited one memory.
func TestWithoutDriver(t *testing.T) {
	all := clones(t, 2, false)
	a, b := all[0], all[1]
	a.edit(a.load().Live("mem_first_0"), "a", "title")
	b.edit(b.load().Live("mem_first_1"), "b", "title")
	for _, c := range all {
		c.commitAll()
	}
	command(t, a.dir, "pull", "--quiet", "--no-rebase", "--no-edit", b.dir, "main")
	command(t, b.dir, "pull", "--quiet", "--no-rebase", "--no-edit", a.dir, "main")
	a.edit(a.load().Live("mem_first_2"), "a", "title")
	b.edit(b.load().Live("mem_first_2"), "b", "title")
	for _, c := range all {
		c.commitAll()
	}
	if out, err := attempt(a.dir, "pull", "--quiet", "--no-rebase", "--no-edit", b.dir, "main"); err == nil || !strings.Contains(out, "mem_first_2.json") {
		t.Errorf("no conflict: %v %s", err, out)
	}
	if _, err := a.repo.Sync(t.Context(), a.options()); err == nil || !strings.Contains(err.Error(), "a merge is under way") {
		t.Errorf("sync goes on: %v", err)
	}
}
