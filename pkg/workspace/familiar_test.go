package workspace

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Of a collection that has changed only the memories that have are looked at.
func TestFamiliar(t *testing.T) { both(t, testFamiliar) }

func testFamiliar(t *testing.T, disk bool) {
	in := func(head, ids, tail string) string {
		var all []string
		for _, id := range strings.Split(ids, "") {
			all = append(all, record(id, "text"))
		}
		return head + strings.Join(all, ",") + tail
	}
	const head, tail = `{"entries": [`, `]}`
	whole := in(head, "abcdefgh", tail)
	for _, c := range []struct {
		name, from, to string
		looked         int
	}{
		{"one edited", whole, strings.Replace(whole, `"d"`, `"x"`, 1), 1},
		{"two edited, to another length", whole, strings.NewReplacer(`"b"`, `"second"`, `"g"`, `"last but one"`).Replace(whole), 2},
		{"removed", whole, in(head, "aefgh", tail), 0},
		{"removed in two places", whole, in(head, "aefgxyz", tail), 4},
		{"removed in two places, more behind", whole, in(head, "acdeh", tail), 1 /* until it is found where it goes on */},
		{"added in the middle", whole, in(head, "abcxydefgh", tail), 2},
		{"added at the end", whole, in(head, "abcdefghx", tail), 1},
		{"in another order", whole, in(head, "hgfedcba", tail), 7},
		{"all replaced", whole, in(head, "ijklmnop", tail), 8},
		{"laid out otherwise", whole, strings.ReplaceAll(whole, "},{", "} ,\n\t{"), 0},
		{"more around it", whole, in(`{"note": "{\"id\": \"a\"}", "entries": [`, "abcdefgh", `], "of": {"id": "z"}}`), 0},
		{"others among them", whole, in(`{"entries": [{"id": "none"}, 7, `, "abcdefgh", `, [], "text"]}`), 0},
		{"another array", whole, in(`{"memories": [`, "abcdefgh", tail), 0},
		{"two arrays", whole, in(`{"entries": [`, "abcd", "], "+in(`"memories": [`, "efgh", tail)), 0},
		{"one level less", whole, in("[", "abcdefgh", "]"), 8},
		{"one level more", in("[", "abcdefgh", "]"), whole, 8},
		{"deep below", whole, in(`{"a": {"entries": [`, "abcdefgh", `]}}`), 8},
		{"twice the key on the way", whole, in(`{"entries": [`, "abcdefgh", `], "entries": 1}`), 8},
		{"no more twice", in(`{"entries": [`, "abcdefgh", `], "entries": 1}`), whole, 8},
		{"an array of other things", in(`{"list": [`, "abcdefgh", `]}`), in(`{"list": [`, "abcdefgh", `, {"id": "none"}]}`), 0},
		{"what holds them is a memory", whole, in(`{"id": "all", "type": "semantic", "entries": [`, "abcdefgh", tail), 1},
		{"in a text", whole, strings.Replace(whole, `"id": "b"`, `"id": "\"`, 1), 0},
		{"alone in the file", in("[", "a", "]"), in("", "a", ""), 1},
		{"no more alone", in("", "a", ""), in("[", "a", "]"), 1},
		{"cut off", whole, whole[:len(whole)-3], 0},
		{"begins with a mark", whole, "\ufeff" + whole, 0},
		{"empty", whole, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newReusing(t, disk)
			w.write(t, "global/all.json", c.from)
			w.tick(t)
			w.same(t)
			w.tick(t)
			w.write(t, "global/all.json", c.to)
			w.tick(t)
			w.same(t)
			if w.looked != c.looked {
				t.Errorf("%d memories looked at, want %d", w.looked, c.looked)
			}
		})
	}
}

// Of a collection that is too young to be told from its next version, the memories can be told.
func TestFamiliarWhileYoung(t *testing.T) {
	both(t, func(t *testing.T, disk bool) {
		w := newReusing(t, disk)
		w.store.Racy = time.Hour
		w.write(t, "global/all.json", "["+record("a", "text")+","+record("b", "text")+"]")
		for round := range 2 {
			w.same(t)
			if want := 2 - 2*round; w.parsed != 1 || w.looked != want {
				t.Errorf("%d files read and %d memories looked at, want 1 and %d", w.parsed, w.looked, want)
			}
		}
	})
}

// As long as the cache stays as it is, a collection of which most is familiar counts for little: it isn't made anew.
func TestFamiliarCostsLittle(t *testing.T) {
	w := newReusing(t, true)
	w.lazy = true
	long := strings.Repeat("a long text ", 1000)
	collection := func(edit string) {
		var all []string
		for i := range 40 {
			all = append(all, record(fmt.Sprint("m", i), long))
		}
		all[20] = record("m20", edit)
		w.write(t, "global/all.json", "["+strings.Join(all, ",")+"]")
		w.tick(t)
	}
	written := func() string {
		w.same(t)
		data, err := os.ReadFile(w.file(CacheFile))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	collection("as it was")
	first := written()
	collection("as it is now")
	if written() != first {
		t.Error("the cache is made anew for one memory in forty")
	}
	w.write(t, "global/all.json", "["+record("m1", long)+"]")
	w.tick(t)
	if written() == first {
		t.Error("the cache stays though what it knows has gone")
	}
}

// Whatever is done to the bytes of collections, a load that finds some of them familiar equals a fresh one.
func TestFamiliarProperty(t *testing.T) { both(t, testFamiliarProperty) }

func testFamiliarProperty(t *testing.T, disk bool) {
	checks(t, 1500, func(r *rapid.T) {
		w := newReusing(t, disk)
		w.large, w.lazy = rapid.Bool().Draw(r, "large"), rapid.Bool().Draw(r, "lazy")
		doc := anyCollection(r)
		for range rapid.IntRange(2, 5).Draw(r, "rounds") {
			for _, name := range []string{"global/all.json", "archive/all.json"} {
				w.write(t, name, doc)
				if err := os.Chtimes(w.file(name), loadedAt, loadedAt); err != nil { // else it might be half saved: nobody waits
					t.Fatal(err)
				}
			}
			w.tick(t)
			w.same(r)
			if rapid.IntRange(0, 3).Draw(r, "anew") == 0 {
				doc = anyCollection(r)
			}
			for range rapid.IntRange(0, 2).Draw(r, "edits") {
				doc = scrambled(r, doc)
			}
		}
	})
}

// anyCollection is a document that holds memories, or nearly.
func anyCollection(r *rapid.T) string {
	var all []string
	for range rapid.IntRange(0, 7).Draw(r, "n") {
		id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(r, "id")
		all = append(all, rapid.SampledFrom([]string{
			record(id, "text"), fmt.Sprintf(`{"id":%q,"type":"semantic"}`, id), fmt.Sprintf(`{"id":%q,"content":{"x":1},"tags":["t","u"],"superseded_by":"a"}`, id),
			fmt.Sprintf(`{"id":%q,"type":"semantic","id":"twice"}`, id), `{"id":"none"}`, `7`, `[{"id":"inner","type":"x"}]`,
		}).Draw(r, "element"))
	}
	list := "[" + strings.Join(all, rapid.SampledFrom([]string{",", " , ", ",\n"}).Draw(r, "between")) + "]"
	return fmt.Sprintf(rapid.SampledFrom([]string{
		`%s`, `{"entries":%s}`, `{"memories":%s}`, `{"list": %s }`, `{"a":{"entries":%s}}`, `{"entries":%[1]s,"memories":%[1]s}`, `{"entries":%[1]s,"entries":%[1]s}`,
		`{"id":"all","type":"semantic","list":%s}`, `[%s]`,
	}).Draw(r, "around"), list)
}

// scrambled is a document with some bytes exchanged, taken out, put in or repeated.
func scrambled(r *rapid.T, doc string) string {
	bytes := []byte(doc)
	at := rapid.IntRange(0, len(bytes)).Draw(r, "at")
	to := rapid.IntRange(at, min(at+rapid.SampledFrom([]int{0, 1, 3, 60}).Draw(r, "most"), len(bytes))).Draw(r, "to")
	with := rapid.SampledFrom([]string{"", " ", ",", "x", `"`, `\`, "{", "}", "[", "]", `{"id":"e","type":"x"},`, string(bytes[at:to]) + string(bytes[at:to])}).Draw(r, "with")
	return string(slices.Replace(bytes, at, to, []byte(with)...))
}
