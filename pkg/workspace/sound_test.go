package workspace

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/flatfile"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// readNames notes which files are read.
type readNames struct {
	durable.FS
	mu  *sync.Mutex
	all map[string]bool
}

func (r *readNames) note(names ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		r.all[name] = true
	}
}

func (r *readNames) Read(name string, most int64) ([]byte, durable.Info, error) {
	r.note(name)
	return r.FS.Read(name, most)
}

func (r *readNames) ReadFiles(dir string, names []string, max int64, known func(int, durable.Info) bool, f func(int, []byte, durable.Info, error)) error {
	return r.FS.ReadFiles(dir, names, max, known, func(i int, data []byte, info durable.Info, err error) {
		r.note(filepath.ToSlash(filepath.Join(dir, names[i])))
		f(i, data, info, err)
	})
}

// overview is what a new process finds at a glance, and which files it reads for that.
func (w *reusing) overview(t interface{ Fatalf(string, ...any) }) (problems []Problem, read []string) {
	w.store.Close()
	w.open(t)
	w.store.singly = w.singly
	names := &readNames{w.store.root, &sync.Mutex{}, map[string]bool{}}
	w.store.root = names
	snap, err := w.store.Load(day)
	if err == nil {
		problems, err = w.store.Overview(snap)
	}
	if err == nil {
		err = w.store.SaveCache(snap, nil, false)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	return problems, slices.Sorted(maps.Keys(names.all))
}

// An overview sees what a check sees that knows nothing, whatever was done meanwhile, by hand or
// by runs, and the next one need not look at what was in order.
func TestOverviewSeesWhatCheckSees(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the system tells no time of change, so nothing is reused")
	}
	known := 0
	rapid.Check(t, func(r *rapid.T) {
		w := &reusing{dir: t.TempDir(), disk: true, singly: rapid.SampledFrom([]int{0, singly}).Draw(r, "singly")}
		w.open(r)
		defer func() { w.store.Close() }()
		files := random.Workspace(r)
		files["global/odd.json"] = `{"id":"odd","type":"semantic","tags":"x","created_at":"yesterday","content":"a b c","supersedes":["nobody"]}`
		if err := random.Write(w.dir, files); err != nil {
			r.Fatal(err)
		}
		texts := []string{"{}", "[", "", `{"id":"new","type":"factual","content":"n","priority":"urgent"}`, `{"id":"new","type":"factual","content":"n"}`, `{"entries":[{"id":"ghost"}]}`}
		steps := map[string]func() error{
			"nothing": func() error { return nil },
			"edit or add": func() error {
				names := append(slices.Sorted(maps.Keys(files)), "global/more.json", "agents/zoe/one.json", "global/"+IndexFile)
				return random.Put(filepath.Join(w.dir, rapid.SampledFrom(names).Draw(r, "file")), []byte(rapid.SampledFrom(texts).Draw(r, "text")))
			},
			"remove": func() error {
				return os.RemoveAll(filepath.Join(w.dir, rapid.SampledFrom(slices.Sorted(maps.Keys(files))).Draw(r, "file")))
			},
			"demand": func() error {
				return random.Put(filepath.Join(w.dir, SchemasDir, "own.json"), fmt.Appendf(nil, `{"allOf":[{"$ref":"https://github.com/memoryd/memoryd/schemas/memory.schema.json"}],"required":[%q]}`,
					rapid.SampledFrom([]string{"id", "owner"}).Draw(r, "field")))
			},
			"reindex": func() error {
				w.store.Close()
				w.open(r)
				_, err := w.store.Reindex(t.Context(), day)
				if err != nil && strings.Contains(err.Error(), "memory check") {
					return nil // what can't be read is in the way
				}
				return err
			},
			"spoil a record": func() error {
				of, err := filepath.Glob(filepath.Join(w.dir, OpsDir, "runs", "*", "*.json"))
				if err != nil || len(of) == 0 {
					return err
				}
				return os.WriteFile(rapid.SampledFrom(of).Draw(r, "record"), []byte("{"), 0o644)
			},
			"spoil what is known": func() error {
				file := filepath.Join(w.dir, SoundFile)
				data, err := os.ReadFile(file)
				if err != nil || len(data) == 0 {
					return nil //nolint:nilerr // there is none yet
				}
				data[rapid.IntRange(0, len(data)-1).Draw(r, "byte")] ^= 1
				return os.WriteFile(file, data, 0o644)
			},
		}
		for range rapid.IntRange(1, 4).Draw(r, "steps") {
			step := rapid.SampledFrom(slices.Sorted(maps.Keys(steps))).Draw(r, "step")
			if err := steps[step](); err != nil {
				r.Fatal(err)
			}
			w.tick(t)
			got, _ := w.overview(r)
			fresh, err := Open(w.dir)
			if err != nil {
				r.Fatal(err)
			}
			fresh.NoCache, fresh.Derive = true, w.store.Derive
			snap, err := fresh.Load(day)
			var want []Problem
			if err == nil {
				want, err = fresh.Check(snap)
			}
			if err != nil {
				r.Fatal(err)
			}
			fresh.Close()
			if !reflect.DeepEqual(got, want) {
				r.Fatalf("after %s an overview sees\n%+v\na check\n%+v", step, got, want)
			}
			demands, err := w.store.demands()
			if err != nil {
				r.Fatal(err)
			}
			next := w.store.sound(demands) // what the next overview need not look at
			for _, m := range slices.Concat(snap.Memories(), snap.Archived()) {
				if slices.ContainsFunc(want, func(p Problem) bool { return p.File == m.File }) {
					continue
				}
				if known++; !next.knows(soundMemory(m)) {
					r.Fatalf("after %s the next overview looks at %s again", step, m.Ref)
				}
			}
		}
	})
	if known == 0 {
		t.Error("no memory was ever in order")
	}
}

// The second overview reads no memory; later ones read those that have changed, and those that
// stand in one index with them.
func TestOverviewReadsWhatHasChanged(t *testing.T) {
	w := newReusing(t, true)
	for _, dir := range []string{"agents/a", "agents/b"} {
		for name, text := range memories(dir, 3) {
			w.write(t, name, text)
		}
	}
	if _, err := w.store.Reindex(t.Context(), day); err != nil {
		t.Fatal(err)
	}
	w.tick(t)
	records := func(read []string) []string {
		return slices.DeleteFunc(read, func(name string) bool {
			return !strings.HasPrefix(name, "agents/") || filepath.Base(name) == IndexFile
		})
	}
	if _, read := w.overview(t); len(records(read)) != 6 {
		t.Fatalf("at first %v were read", read)
	}
	if problems, read := w.overview(t); len(records(read)) > 0 || slices.ContainsFunc(read, func(name string) bool { return strings.HasSuffix(name, journalFile) }) {
		t.Errorf("%v, and %v were read though nothing has changed", problems, read)
	}
	w.write(t, "agents/b/b-1.json", record("b-1", "another text"))
	w.tick(t)
	problems, read := w.overview(t)
	if slices.ContainsFunc(records(read), func(name string) bool { return strings.HasPrefix(name, "agents/a/") }) {
		t.Errorf("%v were read though one of b has changed", read)
	}
	if len(problems) != 1 || problems[0].File != "agents/b/"+IndexFile {
		t.Errorf("problems are %v, not that the index disagrees", problems)
	}
	w.store.NoCache = true
	snap, err := w.store.Load(day)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(w.dir, SoundFile))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.store.Overview(snap); err != nil || !reflect.DeepEqual(again, problems) {
		t.Errorf("without a cache: %v, %v", again, err)
	}
	if after, err := os.ReadFile(filepath.Join(w.dir, SoundFile)); err != nil || !bytes.Equal(before, after) {
		t.Errorf("without a cache what is known was written: %v", err)
	}
}

// A check looks at what is known to be in order all the same, and says when it isn't.
func TestCheckDoubtsWhatIsKnown(t *testing.T) {
	w := newReusing(t, true)
	w.write(t, "global/a.json", `{"id":"a","type":"semantic","content":"x","priority":"urgent"}`)
	w.tick(t)
	before, _ := w.overview(t)
	check := func() []Problem {
		t.Helper()
		snap, err := w.store.LoadExamined(day)
		if err != nil {
			t.Fatal(err)
		}
		problems, err := w.store.Check(snap)
		if err != nil {
			t.Fatal(err)
		}
		return problems
	}
	if got := check(); !reflect.DeepEqual(got, before) || len(got) == 0 {
		t.Fatalf("found is %v, before %v", got, before)
	}
	snap, err := w.store.Load(day)
	if err != nil {
		t.Fatal(err)
	}
	d, err := w.store.demands()
	if err != nil {
		t.Fatal(err)
	}
	known := w.store.sound(d)
	known.found = append(slices.Clone(known.known), soundMemory(snap.Memories()[0])) // a lie
	if err := w.store.keepSound(known); err != nil {
		t.Fatal(err)
	}
	wrong := func(p Problem) bool { return p.File == SoundFile && p.Severity == Error }
	if got := check(); len(got) != len(before)+1 || !slices.ContainsFunc(got, wrong) {
		t.Errorf("with a lie found is %v, before %v", got, before)
	}
	if _, err := w.store.Fix(t.Context(), day); err != nil {
		t.Fatal(err)
	}
	if got := check(); slices.ContainsFunc(got, wrong) {
		t.Errorf("mended, found is %v", got)
	}
}

// What another build found in order, or for another workspace, says nothing.
func TestSoundOfAnotherKey(t *testing.T) {
	w := newReusing(t, true)
	w.write(t, "global/a.json", `{"id":"a","type":"semantic","content":"x"}`)
	w.tick(t)
	w.overview(t)
	known := func() []uint64 {
		t.Helper()
		d, err := w.store.demands()
		if err != nil {
			t.Fatal(err)
		}
		return w.store.sound(d).known
	}
	if len(known()) == 0 {
		t.Fatal("nothing is known")
	}
	if all := w.store.knownSound(flatfile.Key{1}); all != nil {
		t.Errorf("known are %v by another key", all)
	}
	defer func(was func() string) { program = was }(program)
	program = func() string { return "another build" }
	if all := known(); all != nil {
		t.Errorf("known are %v by another build", all)
	}
	w.overview(t)
	if len(known()) == 0 {
		t.Fatal("nothing is known to the other build")
	}
	w.write(t, SchemasDir+"/own.json", `{}`)
	if all := known(); all != nil {
		t.Errorf("known are %v by other schemas of the workspace", all)
	}
}
