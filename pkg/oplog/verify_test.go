package oplog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// What Verify says about each kind of damage to a log of four runs.
func TestVerifyMessages(t *testing.T) {
	sound := soundLog(t, 4)
	entries := rawEntries(t, sound)
	for i, e := range entries {
		var compact bytes.Buffer
		if err := json.Compact(&compact, e); err != nil {
			t.Fatal(err)
		}
		entries[i] = compact.Bytes()
	}
	hash := func(i int) string { return hashIn(t, entries[i]) }
	edit := func(i int, old, new string) []byte {
		e := slices.Clone(entries)
		if !bytes.Contains(e[i], []byte(old)) {
			t.Fatalf("no %s in entry %d", old, i)
		}
		e[i] = bytes.Replace(e[i], []byte(old), []byte(new), 1)
		return logOf(e)
	}
	reseal := func(i int, old, new string) []byte {
		e := rawEntries(t, edit(i, old, new))
		e[i] = bytes.Replace(e[i], []byte(hash(i)), []byte(Hash(e[i])), 1)
		return logOf(e)
	}
	order := func(indexes ...int) []byte {
		e := []json.RawMessage{}
		for _, i := range indexes {
			e = append(e, entries[i])
		}
		return logOf(e)
	}
	stranger := json.RawMessage(`{"trigger":"other tool"}`)
	changed := func(i int, doc []byte) string {
		return "it was changed after it was written: it carries the hash " + hash(i)[:12] + "…, and what it says now has the hash " +
			Hash(rawEntries(t, doc)[i])[:12] + "…"
	}
	const noHash = "it was not written by memoryd: it has no hash, so nothing shows who wrote it or whether it is as it was"
	value := edit(1, `"stale"`, `"boring"`)
	for _, test := range []struct {
		name string
		doc  []byte
		want []string
	}{
		{"sound", sound, nil},
		{"empty", nil, nil},
		{"white space", []byte(" \n"), nil},
		{"only strangers", logOf([]json.RawMessage{stranger, stranger}), nil},
		{"cut tail, which a chain can't show", order(0, 1, 2), nil},
		{"value changed", value, []string{"entry 2 (run_b): " + changed(1, value)}},
		{"hash changed", edit(1, hash(1), "0000"), []string{
			`entry 2 (run_b): it was changed after it was written: it carries the hash "0000", and what it says now has the hash ` + hash(1)[:12] + "…"}},
		{"hash emptied", edit(3, hash(3), ""), []string{
			`entry 4 (run_d): it was changed after it was written: it carries the hash "", and what it says now has the hash ` + hash(3)[:12] + "…"}},
		{"hash null", edit(3, `"`+hash(3)+`"`, "null"), []string{
			`entry 4 (run_d): it was changed after it was written: it carries the hash "null", and what it says now has the hash ` + hash(3)[:12] + "…"}},
		{"hash too short", edit(3, hash(3), hash(3)[:62]), []string{
			`entry 4 (run_d): it was changed after it was written: it carries the hash "` + hash(3)[:62] +
				`", and what it says now has the hash ` + hash(3)[:12] + "…"}},
		{"hash taken out", edit(1, `,"hash":"`+hash(1)+`"`, ""), []string{
			"entry 2 (run_b): its hash was taken out, so it can't be seen whether it is as memoryd wrote it"}},
		{"hash renamed", edit(1, `"hash"`, `"hush"`), []string{
			"entry 2 (run_b): its hash was taken out, so it can't be seen whether it is as memoryd wrote it",
			"entry 3 (run_c): it was written after an entry with the hash " + hash(1)[:12] + "…, which is gone: what stood before it was removed, moved or rewritten"}},
		{"hash twice", edit(1, `"run_id"`, `"hash":"`+hash(1)+`","run_id"`), []string{
			`entry 2 (run_b): it has more than one member "hash", so programs disagree about which counts: take out those that were added`}},
		{"sealed anew", reseal(1, `"stale"`, `"boring"`), []string{
			"entry 3 (run_c): it was written after an entry with the hash " + hash(1)[:12] + "…, which is gone: what stood before it was removed, moved or rewritten"}},
		{"first removed", order(1, 2, 3), []string{
			"entry 1 (run_b): it was written after an entry with the hash " + hash(0)[:12] + "…, and nothing stands before it now: the entries before it were removed"}},
		{"one removed", order(0, 2, 3), []string{
			"entry 2 (run_c): it was written after an entry with the hash " + hash(1)[:12] + "…, which is gone: what stood before it was removed, moved or rewritten"}},
		{"two exchanged", order(0, 2, 1, 3), []string{
			"entry 2 (run_c): it was written after entry 3 (run_b), but another entry precedes it now: entries were moved, inserted or removed",
			"entry 3 (run_b): it was written after entry 1 (run_a), but another entry precedes it now: entries were moved, inserted or removed",
			"entry 4 (run_d): it was written after entry 2 (run_c), but another entry precedes it now: entries were moved, inserted or removed"}},
		{"one repeated", order(0, 0, 1, 2, 3), []string{
			"entry 2 (run_a): it was written as the first entry of a log, and now others stand before it: they were inserted, or it was moved"}},
		{"one repeated, one moved behind", order(0, 0, 2, 1), []string{
			"entry 2 (run_a): it was written as the first entry of a log, and now others stand before it: they were inserted, or it was moved",
			"entry 3 (run_c): it was written after entry 4 (run_b), but another entry precedes it now: entries were moved, inserted or removed",
			"entry 4 (run_b): it was written after entry 1 (run_a), but another entry precedes it now: entries were moved, inserted or removed"}},
		{"hash emptied, first repeated", withEntry(edit(1, hash(1), ""), entries[0]), []string{
			`entry 2 (run_b): it was changed after it was written: it carries the hash "", and what it says now has the hash ` + hash(1)[:12] + "…",
			"entry 5 (run_a): it was written as the first entry of a log, and now others stand before it: they were inserted, or it was moved"}},
		{"hash taken out, one before it removed", logOf(rawEntries(t, edit(2, `,"hash":"`+hash(2)+`"`, ""))[2:3]), []string{
			"entry 1 (run_c): its hash was taken out, so it can't be seen whether it is as memoryd wrote it",
			"entry 1 (run_c): it was written after an entry with the hash " + hash(1)[:12] + "…, and nothing stands before it now: the entries before it were removed"}},
		{"two strangers at the end", withEntry(withEntry(sound, stranger), stranger), []string{"entry 5: " + noHash, "entry 6: " + noHash}},
		{"stranger inserted", logOf(slices.Insert(slices.Clone(entries), 2, stranger)), []string{
			"entry 3: " + noHash,
			"entry 4 (run_c): it was written after entry 2 (run_b), but another entry precedes it now: entries were moved, inserted or removed"}},
		{"stranger at the end", withEntry(sound, stranger), []string{"entry 5: " + noHash}},
		{"stranger that escapes", edit(1, `"run_b"`, `"\u001b[2J\""`), []string{
			`entry 2 (\x1b[2J\"): ` + changed(1, edit(1, `"run_b"`, `"\u001b[2J\""`))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, p := range Verify(test.doc) {
				got = append(got, p.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// withEntry adds one raw entry.
func withEntry(doc []byte, entry json.RawMessage) []byte {
	end := bytes.LastIndexByte(doc, ']')
	return slices.Concat(doc[:end], []byte(","), entry, doc[end:])
}

func hashIn(t tb, entry []byte) string {
	t.Helper()
	var e struct{ Hash string }
	if err := json.Unmarshal(entry, &e); err != nil {
		t.Fatal(err)
	}
	return e.Hash
}

// A stranger's entry that a later entry of ours vouches for stays reported, and
// can't be changed any more without breaking the chain as well.
func TestStrangerAfterOurs(t *testing.T) {
	entries := append(rawEntries(t, soundLog(t, 2)), json.RawMessage(`{"note":1}`))
	doc, err := Append(logOf(entries), &Entry{RunID: "run_z", Timestamp: day(9)})
	if err != nil {
		t.Fatal(err)
	}
	if got := Verify(doc); len(got) != 1 || got[0].Index != 2 {
		t.Errorf("Verify = %v, want one problem at the stranger's entry", got)
	}
	if got := Verify(bytes.Replace(doc, []byte(`{"note":1}`), []byte(`{"note":2}`), 1)); len(got) != 2 || got[1].Index != 3 {
		t.Errorf("Verify after a change = %v, want a second problem, at the entry after it", got)
	}
}

// Of an entry with two hashes neither counts as its link.
func TestHeadOfTwoHashes(t *testing.T) {
	entry := `{"run_id":"run_a","hash":"0","prev_hash":"","hash":"1"}`
	count, hash, err := Head([]byte(`{"entries":[` + entry + `]}`))
	if want := sha(`{"run_id":"run_a","prev_hash":""}`); count != 1 || hash != want || err != nil {
		t.Errorf("Head = %d, %s, %v; want %s", count, hash, err, want)
	}
}

// The chain that Append writes is the documented one, computed here with the
// standard library alone.
func TestChainAsDocumented(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, first := drawLog(t, 1)
		link := ""
		for i, raw := range rawEntries(t, doc) {
			var compact bytes.Buffer
			if err := json.Compact(&compact, raw); err != nil {
				t.Fatal(err)
			}
			body := compact.String()
			if i < first {
				if link != "" {
					body = link + "\n" + body
				}
				link = sha(body)
				continue
			}
			cut := strings.LastIndex(body, `,"hash":"`)
			var e struct {
				PrevHash string `json:"prev_hash"`
				Hash     string `json:"hash"`
			}
			if err := json.Unmarshal(raw, &e); err != nil {
				t.Fatal(err)
			}
			if e.PrevHash != link || e.Hash != sha(body[:cut]+"}") {
				t.Fatalf("entry %d: prev_hash %s, hash %s; want %s, %s", i, e.PrevHash, e.Hash, link, sha(body[:cut]+"}"))
			}
			link = e.Hash
		}
		count, head, err := Head(doc)
		if want := len(rawEntries(t, doc)); count != want || head != link || err != nil {
			t.Fatalf("Head = %d, %s, %v; want %d, %s", count, head, err, want, link)
		}
	})
}

func sha(s string) string {
	digest := sha256.Sum256([]byte(s))
	return hex.EncodeToString(digest[:])
}

// told is all that an entry tells.
type told struct {
	Timestamp time.Time
	Actions   []Action
	Rules     []string
	Entry     Entry
}

// An entry tells what its entry does, but for the actions that nobody asked for, of which it has the
// rules.
func TestPartialEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, _ := drawLog(t, 0)
		d, err := Parse(doc)
		if err != nil {
			t.Fatal(err)
		}
		types := rapid.SliceOf(rapid.SampledFrom([]string{Restore, Undo, Merge})).Draw(t, "types")
		got, want := toldBy(d.PartialEntries(types...)), toldOf(d.Log(), types)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s\n%s", doc, diff)
		}
	})
}

func toldBy(entries []PartialEntry) (all []told) {
	for _, g := range entries {
		all = append(all, told{g.Timestamp, g.Actions, g.Rules(), g.Entry()})
	}
	return all
}

func toldOf(log *Log, types []string) (all []told) {
	for _, e := range log.Entries {
		g := told{Timestamp: e.Timestamp, Entry: e}
		g.Entry.Actions = nil
		for _, a := range e.Actions {
			if !slices.Contains(g.Rules, a.Rule) {
				g.Rules = append(g.Rules, a.Rule)
			}
			if slices.Contains(types, a.Type) {
				g.Actions = append(g.Actions, a)
			}
		}
		all = append(all, g)
	}
	return all
}
