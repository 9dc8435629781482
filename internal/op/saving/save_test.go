package saving_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/memdisk"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// open makes a workspace of some files, with its indexes.
func open(t testing.TB, files map[string]string) *workspace.FileStore {
	t.Helper()
	dir := t.TempDir()
	if err := random.Write(dir, files); err != nil {
		t.Fatal(err)
	}
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	store.Now = func() time.Time { return random.At }
	if _, err := store.Reindex(t.Context(), random.At); err != nil {
		t.Fatal(err)
	}
	return store
}

// tree is every file of a workspace but those of the runs.
func tree(t testing.TB, store *workspace.FileStore) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(store.Dir()), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(name, "ops/") && name != memory.ReviewFile {
			return err
		}
		text, err := os.ReadFile(filepath.Join(store.Dir(), name))
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// update brings the indexes up to date, as closing the store does.
func update(t testing.TB, store *workspace.FileStore) {
	t.Helper()
	if err := workspace.UpdateIndexes(context.Background(), store); err != nil {
		t.Fatal(err)
	}
}

func load(t testing.TB, store *workspace.FileStore) *memory.Snapshot {
	t.Helper()
	snap, err := store.Load(random.At)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// faults are the errors that a check finds.
func faults(t rapid.TB, store *workspace.FileStore, snap *memory.Snapshot) []memory.Problem {
	t.Helper()
	problems, err := store.Check(snap.At)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(problems, func(p memory.Problem) bool { return p.Severity != memory.Error })
}

// drafts are memories like those that stand in a workspace: the same again, with a word changed, with a field more.
func drafts(snap *memory.Snapshot, chance *rand.Rand) (out []memory.Draft) {
	for range 4 {
		if len(snap.Memories()) == 0 {
			break
		}
		m := snap.Memories()[chance.IntN(len(snap.Memories()))]
		d := memory.Draft{
			Type: m.Type, Subtype: m.Subtype, Scope: m.Scope, CreatedBy: m.CreatedBy, Priority: []string{"", "low", "high"}[chance.IntN(3)],
			Tags: []string{"again", "x"}[:chance.IntN(3)], Content: []byte(m.Content().Raw),
		}
		if !m.Content().IsObject() && m.Content().Type != gjson.String {
			continue
		}
		switch chance.IntN(5) {
		case 0:
			d.Content = []byte(strings.Replace(string(d.Content), "the", "a", 1))
		case 1:
			if m.Content().IsObject() && !m.Content().Get("lessons").Exists() {
				d.Content = []byte(strings.Replace(string(d.Content), "{", `{"lessons": ["one more"],`, 1))
			}
		case 3:
			d.Content = []byte(fmt.Sprintf(`"Something new, number %d."`, chance.Uint64()))
		case 2:
			d.ID = fmt.Sprint("wished-", chance.IntN(1000))
		}
		if json.Valid(d.Content) {
			out = append(out, d)
		}
	}
	return out
}

// missing are the words of a text that another one doesn't have, but for articles.
func missing(text, in string) (words []string) {
	all := strings.FieldsFunc(strings.ToLower(in), notWord)
	for _, w := range strings.FieldsFunc(strings.ToLower(text), notWord) {
		if w != "a" && w != "the" && !slices.Contains(all, w) {
			words = append(words, w)
		}
	}
	return words
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// kept reports whether a record is among the originals, byte for byte.
func kept(t testing.TB, store *workspace.FileStore, record string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(store.Dir(), memory.OriginalDir, "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(name string) bool {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(bytes.TrimSuffix(raw, []byte("\n"))) == record
	})
}

// sentences are what the texts of a random history are made of. Some differ in one fact, some from each other in nothing that counts.
var sentences = []string{
	"The gateway of the shop listens on port 8443", "The gateway of the shop listens on port 9443", "the gateway of the shop listens on port 8443!",
	"The gateway of the shop doesn't listen on port 8443", "Backups are taken by the night job", "Only backups are taken by the night job",
	"Correction: the gateway of the shop listens on port 9443, not 8443", "The importer writes its report to the folder of the ledger team",
}

// savings draws texts that are saved one after the other. Many are related.
var savings = rapid.Custom(func(t *rapid.T) []string {
	texts := make([]string, rapid.IntRange(2, 8).Draw(t, "saves"))
	for i := range texts {
		texts[i] = strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(sentences), 1, 3, rapid.ID).Draw(t, "text"), ". ") + "."
	}
	return texts
})

// Whatever related texts are saved one after the other: each is live, or kept among the originals, or a live one says all of it; and the
// one that was saved last is live.
func TestEverySavedTextIsFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { saveAll(rt, savings.Draw(rt, "texts")) })
}

// The histories of the test above reach every kind of answer. These are the same ones each time.
func TestSavingsReachEveryAnswer(t *testing.T) {
	said := map[rules.Saying]int{}
	for seed := range 40 {
		for _, s := range saveAll(t, savings.Example(seed)) {
			said[s]++
		}
	}
	for _, s := range []rules.Saying{rules.SaysOther, rules.SaysSame, rules.SaysLess, rules.SaysMore} {
		if said[s] < 5 {
			t.Errorf("%d said %q: that proves too little", said[s], s)
		}
	}
}

// saveAll saves texts one after the other, demands that none is lost, and returns what was said of each.
func saveAll(t rapid.TB, texts []string) (said []rules.Saying) {
	disk := memdisk.New()
	store := workspace.OpenOn(disk)
	defer store.Close()
	index := saving.NewIndex(config.Default())
	load := func() *memory.Snapshot {
		snap, err := store.Load(random.At)
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	for n, text := range texts {
		out, err := saving.Save(context.Background(), store, config.Default(), draft(text), saving.Options{At: random.At.Add(time.Duration(n) * time.Minute), Index: index})
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, out.Says)
		snap := load()
		stands := snap.Live(out.ID)
		if stands == nil || len(missing(text, says(stands))) > 0 || out.Says == rules.SaysMore && stands.Text() != text {
			t.Fatalf("%+v: %q is not live", out, text)
		}
		if found := faults(t, store, snap); len(found) > 0 {
			t.Fatal(found)
		}
	}
	snap := load()
	for _, text := range texts {
		found := slices.ContainsFunc(snap.Memories(), func(m *memory.Memory) bool {
			return len(missing(text, says(m))) == 0
		})
		for name, record := range disk.Files() {
			found = found || strings.HasPrefix(name, memory.OriginalDir) && gjson.Get(record, "content").Str == text
		}
		if !found {
			t.Fatalf("%q is lost", text)
		}
	}
	return said
}

// On random workspaces: with an index or without comes to the same; nothing of a draft is lost; what is excluded stays, byte for
// byte; the workspace stays as sound as it was; and undo puts it back.
func TestNothingIsLost(t *testing.T) {
	status := map[string]int{}
	for seed := range 20 {
		files := rapid.Custom(random.Workspace).Example(seed)
		store, twin := open(t, files), open(t, files)
		conf, err := config.Parse("memory.toml", nil)
		if err != nil {
			t.Fatal(err)
		}
		chance := rand.New(rand.NewPCG(uint64(seed), 5))
		index := saving.NewIndex(conf.Settings)
		for _, d := range drafts(load(t, store), chance) {
			update(t, store)
			snap, before := load(t, store), tree(t, store)
			texts, raws := map[string]string{}, map[string]string{}
			for _, m := range snap.Memories() {
				texts[m.ID], raws[m.ID] = m.Text(), string(m.Raw())
			}
			unsound := faults(t, store, snap)
			out, err := saving.Save(t.Context(), store, conf.Settings, d, saving.Options{At: random.At, Index: index})
			if err != nil {
				if strings.Contains(err.Error(), "is taken by") {
					continue
				}
				t.Fatalf("seed %d: %+v: %v", seed, d, err)
			}
			same, err := saving.Save(t.Context(), twin, conf.Settings, d, saving.Options{At: random.At})
			if err != nil || same.Status != out.Status || out.Status == saving.Flagged && *same.ContentSimilarity != *out.ContentSimilarity {
				t.Fatalf("seed %d: with an index %+v, without %+v, %v", seed, out, same, err)
			}
			status[out.Status]++
			after := load(t, store)
			stands := after.Live(out.ID)
			if stands == nil {
				t.Fatalf("seed %d: %+v: nothing stands there", seed, out)
			}
			// What it says is found, and of what stood there each text is there, or in the originals.
			draft, err := memory.ParseRecords("x.json", []byte(fmt.Sprintf(`{"id":"x","type":"t","content":%s}`, d.Content)))
			if err != nil {
				t.Fatal(err)
			}
			if missing := missing(draft[0].Text(), stands.Text()); len(missing) > 0 && out.Status == saving.Merged {
				t.Fatalf("seed %d: %+v: %q is lost", seed, out, missing)
			} else if out.Status != saving.Merged && draft[0].Text() != stands.Text() {
				t.Fatalf("seed %d: %+v: its text is %q", seed, out, stands.Text())
			}
			if was, stood := texts[out.ID]; out.Says == rules.SaysMore && !kept(t, store, raws[out.ID]) {
				t.Fatalf("seed %d: %+v: %s is lost", seed, out, raws[out.ID])
			} else if stood && out.Says != rules.SaysMore && was != stands.Text() {
				t.Fatalf("seed %d: %+v: the text of %s changed", seed, out, out.ID)
			}
			for _, tag := range d.Tags {
				if !stands.HasTag(tag) {
					t.Fatalf("seed %d: %+v: the tag %s is lost", seed, out, tag)
				}
			}
			// What is excluded stays.
			for _, m := range snap.Memories() {
				now := after.Live(m.ID)
				if now == nil || len(snap.Find(m.ID)) > 1 {
					continue
				}
				reason, _ := rules.Untouchable(m, conf.Exclude)
				if changed := now.Digest() != m.Digest(); changed && (reason != "" || out.Status != saving.Merged || m.ID != out.ID) {
					t.Fatalf("seed %d: %+v changed %s (%s)", seed, out, m.ID, reason)
				}
			}
			if now := faults(t, store, after); len(now) > len(unsound) {
				t.Fatalf("seed %d: %+v: %+v", seed, out, now)
			}
			if out.RunID == "" {
				continue // saved, or there was nothing to change
			}
			// And all of it can be taken back, and be done again.
			update(t, store)
			done := tree(t, store)
			for _, want := range []map[string]string{before, done} {
				log, err := store.Log().Read()
				if err != nil {
					t.Fatal(err)
				}
				if _, err := store.Undo(t.Context(), log.Entries[len(log.Entries)-1].RunID, nil, random.At); err != nil {
					t.Fatalf("seed %d: %+v: undo: %v", seed, out, err)
				}
				if diff := cmp.Diff(want, tree(t, store)); diff != "" {
					t.Fatalf("seed %d: %+v: undone (-want +got)\n%s", seed, out, diff)
				}
			}
		}
	}
	t.Log(status)
	for _, s := range []string{saving.Saved, saving.Merged, saving.Flagged} {
		if status[s] < 5 {
			t.Errorf("%d %s: the drafts prove too little", status[s], s)
		}
	}
}

var text = "The nightly export has to finish before the morning shift begins, since the first report is made of it."

func factual(id, extra string) string {
	return fmt.Sprintf(`{"id":%q,"type":"semantic","created_by":"DEV-001","scope":"global","created_at":"2026-02-01T09:00:00Z"%s,"content":%q}`, id, extra, text)
}

func draft(content string) memory.Draft {
	raw, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	return memory.Draft{Type: "semantic", CreatedBy: "DEV-001", Scope: memory.Global, Content: raw}
}

// rival is a store in which somebody else changes a memory before each of the first commits.
type rival struct {
	*workspace.FileStore
	edits int
	file  string
}

func (r *rival) Commit(ctx context.Context, tx *workspace.Tx) (*workspace.Result, error) {
	if r.edits > 0 {
		r.edits--
		name := filepath.Join(r.Dir(), r.file)
		was, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, []byte(strings.Replace(string(was), `"id"`, fmt.Sprintf(`"edit%d":1,"id"`, r.edits), 1)), 0o644); err != nil {
			return nil, err
		}
	}
	return r.FileStore.Commit(ctx, tx)
}

// Who is overtaken tries once more, then says so.
func TestChangedMeanwhile(t *testing.T) {
	for edits, want := range []error{nil, nil, saving.ErrChanged} {
		store := &rival{open(t, map[string]string{"global/a.json": factual("a", "")}), edits, "global/a.json"}
		d := draft(text)
		d.Tags = []string{"gained"}
		out, err := saving.Save(t.Context(), store, config.Default(), d, saving.Options{At: random.At})
		if !errors.Is(err, want) || err == nil && (out.Status != saving.Merged || out.ID != "a") {
			t.Errorf("%d edits: %+v, %v", edits, out, err)
		}
	}
}

// An old snapshot and an index that goes on do as well as fresh ones, and what was saved is known at once.
func TestServer(t *testing.T) {
	store := open(t, map[string]string{"global/a.json": factual("a", "")})
	store.Reuse = true
	settings := config.Default()
	index, snap := saving.NewIndex(settings), load(t, store)
	save := func(content string) document.Saved {
		t.Helper()
		out, err := saving.Save(t.Context(), store, settings, draft(content), saving.Options{At: random.At.Add(time.Hour), Snapshot: snap, Index: index})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := save(text); out.Status != saving.Merged || out.ID != "a" {
		t.Fatalf("%+v", out)
	}
	other := save("The cache is warmed up by the job of six o'clock, and by nothing else.")
	if again := save("The cache is warmed up by the job of six o'clock, and by nothing else."); other.Status != saving.Saved || again.Status != saving.Merged || again.ID != other.ID {
		t.Fatalf("%+v, then %+v", other, again)
	}
	snap = load(t, store)
	if out := save(strings.Replace(text, "morning", "evening", 1)); out.Status != saving.Flagged || out.With != "a" {
		t.Fatalf("%+v", out)
	}
	if out := save(text + " It failed 3 times."); out.Says != rules.SaysMore || out.ID != "a" {
		t.Fatalf("%+v", out)
	}
	if m := load(t, store).Live(other.ID); m == nil || !m.CreatedAt.Equal(random.At.Add(time.Hour)) {
		t.Fatalf("saved %+v", m)
	}
	// What goes is forgotten.
	if err := os.Remove(filepath.Join(store.Dir(), "global/a.json")); err != nil {
		t.Fatal(err)
	}
	snap = load(t, store)
	if out := save(text); out.Status == saving.Merged {
		t.Fatalf("%+v", out)
	}
}

// Settings name a file of rules; what is wrong with it is told.
func TestRules(t *testing.T) {
	store := open(t, map[string]string{
		"global/a.json": factual("a", ""), "good.toml": "[[rules]]\nid = \"badge\"\nregex = \"badge [0-9]{6}\"\n", "bad.toml": "[[rules]]\nid = \"badge\"\nregex = \"(\"\n",
	})
	for name, want := range map[string]string{
		"good.toml": `refused, nothing was written: secret by the rule badge in content (badge, …)`,
		"bad.toml":  "bad.toml: rule \"badge\": regex: error parsing regexp: missing closing ): `(`",
		"none.toml": "secrets.rules: there is no file none.toml in the workspace",
	} {
		settings := config.Default()
		settings.Secrets.Rules = name
		before := tree(t, store)
		_, err := saving.Save(t.Context(), store, settings, draft("my badge 123456"), saving.Options{At: random.At})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		if !maps.Equal(before, tree(t, store)) {
			t.Errorf("%s: something was written", name)
		}
	}
}

// says is what a memory says, in its content and its variants.
func says(m *memory.Memory) string {
	text := m.Text()
	for _, v := range memory.Variants(m) {
		text += "\n" + v.Words()
	}
	return text
}
