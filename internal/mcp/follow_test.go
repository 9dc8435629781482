package mcp

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/internal/live"
	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// Whatever is done to the files, what the server keeps is what it would make of the
// workspace anew: the memories, what is searched, and what a new memory is held against.
func TestFollows(t *testing.T) {
	dir := sample(t)
	r := roomOf(t, dir, false)
	settings, err := r.config()
	if err != nil {
		t.Fatal(err)
	}
	index := saving.NewIndex(settings)
	chance := rand.New(rand.NewPCG(3, 4))
	texts := []string{"The port of the shop is 5432, as everybody knows by now.", "The nightly export has to finish before the morning shift.", "Buttons of the checkout use the accent colour of the brand."}
	for step := range 150 {
		change(t, dir, chance, texts)
		snap, err := r.view(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := workspace.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		want, err := fresh.Load(noon)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(places(want), places(snap)); diff != "" {
			t.Fatalf("step %d: the memories (-there +kept)\n%s", step, diff)
		}
		query := recall.Query{Text: texts[step%3], At: noon, Mode: recall.Exhaustive, Limit: 1000}
		saved, err := search(&r.words, snap, settings, query, nil)
		if err != nil {
			t.Fatal(err)
		}
		made, err := search(&live.Words{}, want, settings, query, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(hits(made), hits(saved)); diff != "" {
			t.Fatalf("step %d: what is found (-anew +kept)\n%s", step, diff)
		}
		draft, err := memory.ParseRecords("global/draft.json", []byte(fmt.Sprintf(`{"id":"draft","type":"factual","created_by":"DEV-001","content":%q}`, texts[step%3])))
		if err != nil {
			t.Fatal(err)
		}
		near, v := index.Check(snap, settings, draft[0])
		same, w := saving.NewIndex(settings).Check(want, settings, draft[0])
		if (near == nil) != (same == nil) || v.Content != w.Content || v.Reason != w.Reason {
			t.Fatalf("step %d: held against %v %+v, anew %v %+v", step, near, v, same, w)
		}
		if near != nil && snap.Live(near.ID) != near && len(snap.Find(near.ID)) == 1 {
			t.Fatalf("step %d: held against one of before", step)
		}
		if err := fresh.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A server begins with the index of words that an earlier process has saved, and finds what
// was changed since; the first one saves it.
func TestSharesTheWords(t *testing.T) {
	dir := t.TempDir()
	put := func(i int, text string) {
		if err := random.Put(filepath.Join(dir, "global", fmt.Sprintf("m%03d.json", i)), fmt.Appendf(nil, `{"id":"m%03d","type":"factual","content":%q}`, i, text)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 * recall.Worthwhile {
		put(i, fmt.Sprintf("The export of shop %d runs at night.", i))
	}
	ask := func() (found, anew string, changed int) {
		r := roomOf(t, dir, false)
		settings, err := r.config()
		if err != nil {
			t.Fatal(err)
		}
		snap, err := r.view(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		query := recall.Query{Text: "which export is of shop 7", At: noon, Mode: recall.Exhaustive, Limit: 3}
		saved, err := search(&r.words, snap, settings, query, nil)
		if err != nil {
			t.Fatal(err)
		}
		made, err := search(&live.Words{}, snap, settings, query, nil)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(hits(saved)), fmt.Sprint(hits(made)), r.words.Changed()
	}
	if found, anew, changed := ask(); found != anew || changed != 0 {
		t.Fatalf("first: %d documents weren't saved\n%s\n%s", changed, found, anew)
	}
	put(9, "The export of shop 7 was replaced.")
	if found, anew, changed := ask(); found != anew || changed != 2 || !strings.Contains(found, "m009") {
		t.Fatalf("then: %d documents were added or removed\n%s\n%s", changed, found, anew)
	}
}

// change does something to some files.
func change(t *testing.T, dir string, chance *rand.Rand, texts []string) {
	t.Helper()
	file := func() string {
		return filepath.Join(dir, []string{"global", "agents/DEV-001", "archive", "projects/new"}[chance.IntN(4)], fmt.Sprintf("own%d.json", chance.IntN(4)))
	}
	for range 1 + chance.IntN(3) {
		name := file()
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		record := fmt.Sprintf(`{"id":"own%d","type":"factual","created_by":"DEV-001","content":%q}`, chance.IntN(5), texts[chance.IntN(3)])
		switch chance.IntN(6) {
		case 0:
			_ = os.Remove(name)
		case 1:
			_ = os.Rename(name, file())
		case 2:
			record = "[" + record + `,{"id":"other","type":"semantic","content":"One of several."}]`
			fallthrough
		default:
			if err == nil {
				err = os.WriteFile(name, []byte(record), 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func places(s *memory.Snapshot) map[string]string {
	all := map[string]string{}
	for _, m := range slices.Concat(s.Memories(), s.Archived()) {
		all[m.Ref.String()] = m.ID + " " + string(m.Digest())
	}
	return all
}

// hits are what was found, by score: equal ones come in any order.
func hits(f found) map[string][]string {
	all := map[string][]string{}
	for _, h := range f.hits {
		score := fmt.Sprintf("%.4f", h.Score)
		all[score] = append(all[score], h.ID+" in "+f.of[h.ID].Ref.String())
	}
	for _, ids := range maps.All(all) {
		slices.Sort(ids)
	}
	return all
}
