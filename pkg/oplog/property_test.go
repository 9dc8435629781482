package oplog

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What Append writes is clean, and no byte before or after it changes.
func TestAppendKeepsTheDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, first := drawLog(t, 1)
		kept := bytes.Clone(before)
		e := runs.Draw(t, "run")
		after, err := Append(before, e)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(before, kept) {
			t.Fatal("Append changed its input")
		}
		if problems := Verify(after); len(problems) > 0 {
			t.Fatalf("%v in %s", problems, after)
		}
		if same := commonPrefix(before, after) + commonSuffix(before, after); same < len(before) {
			t.Fatalf("only %d of %d bytes survived:\n%s\n%s", same, len(before), before, after)
		}
		old, now := rawEntries(t, before), rawEntries(t, after)
		if len(now) != len(old)+1 || !slices.EqualFunc(old, now[:len(old)], func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			t.Fatalf("entries changed:\n%s\n%s", before, after)
		}
		if e.Hash != Hash(now[len(old)]) || e.PrevHash == "" {
			t.Fatalf("Append filled hash %q, prev_hash %q after %d foreign entries", e.Hash, e.PrevHash, first)
		}
	})
}

func commonPrefix(a, b []byte) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b []byte) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// Another layout of the same log is the same log.
func TestIndentingKeepsTheChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, _ := drawLog(t, 1)
		count, head, err := Head(doc)
		if err != nil {
			t.Fatal(err)
		}
		doc = bytes.TrimPrefix(doc, []byte("\ufeff"))
		var compact, indented bytes.Buffer
		indent := rapid.SampledFrom([]string{"", " ", "\t", "      "}).Draw(t, "indent")
		if err := json.Compact(&compact, doc); err != nil {
			t.Fatal(err)
		}
		if err := json.Indent(&indented, doc, "", indent); err != nil {
			t.Fatal(err)
		}
		for _, layout := range [][]byte{compact.Bytes(), indented.Bytes(), bytes.ReplaceAll(indented.Bytes(), []byte("\n"), []byte("\r\n"))} {
			if problems := Verify(layout); len(problems) > 0 {
				t.Fatalf("%v in %s", problems, layout)
			}
			if c, h, err := Head(layout); c != count || h != head || err != nil {
				t.Fatalf("Head = %d, %s, %v; want %d, %s", c, h, err, count, head)
			}
		}
	})
}

// Every single value and every member name of every entry, changed alone, is
// found; also in the entries of other tools, as one of ours stands after them.
func TestEveryChangeIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, _ := drawLog(t, 1)
		entries := rawEntries(t, doc)
		for i, entry := range entries {
			for _, mutant := range mutants(t, entry) {
				changed := slices.Clone(entries)
				changed[i] = mutant
				if len(Verify(logOf(changed))) == 0 {
					t.Fatalf("entry %d: the change went unseen\nfrom %s\nto   %s", i, entry, mutant)
				}
			}
		}
	})
}

// mutants returns raw once for every scalar and key in it, with that one
// changed.
func mutants(t tb, raw []byte) [][]byte {
	t.Helper()
	var out [][]byte
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		end := int(dec.InputOffset())
		replace := func(length int, with string) {
			out = append(out, slices.Concat(raw[:end-length], []byte(with), raw[end:]))
		}
		switch v := token.(type) {
		case string:
			replace(1, `~"`)
			if v == "" {
				continue
			}
			if quoted := strings.LastIndex(string(raw[:end]), `"`+v+`"`); quoted == end-len(v)-2 {
				replace(len(v)+2, `""`)
			}
		case json.Number:
			replace(len(v), "1"+strings.TrimPrefix(v.String(), "-"))
			replace(len(v), `"`+v.String()+`"`)
		case bool:
			replace(len(strconv.FormatBool(v)), strconv.FormatBool(!v))
		case nil:
			replace(len("null"), "0")
		}
	}
}

// Taking an entry out, putting one in, and changing the order is found, other
// than at the end, where only the kept head shows it.
func TestEveryRearrangementIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, _ := drawLog(t, 3)
		entries := rawEntries(t, doc)
		n := len(entries)
		rearranged := slices.Clone(entries)
		switch rapid.SampledFrom([]string{"remove", "repeat", "swap", "insert"}).Draw(t, "how") {
		case "remove":
			from := rapid.IntRange(0, n-2).Draw(t, "from")
			rearranged = slices.Delete(rearranged, from, rapid.IntRange(from+1, n-1).Draw(t, "to"))
		case "repeat":
			which := rapid.IntRange(0, n-1).Draw(t, "which")
			rearranged = slices.Insert(rearranged, rapid.IntRange(0, n).Draw(t, "at"), entries[which])
		case "swap":
			i := rapid.IntRange(0, n-2).Draw(t, "i")
			j := rapid.IntRange(i+1, n-1).Draw(t, "j")
			rearranged[i], rearranged[j] = rearranged[j], rearranged[i]
		case "insert":
			at := rapid.IntRange(0, n).Draw(t, "at")
			rearranged = slices.Insert(rearranged, at, json.RawMessage(`{"trigger":"stranger"}`))
		}
		if len(Verify(logOf(rearranged))) == 0 {
			t.Fatalf("unseen:\n%s\n%s", doc, logOf(rearranged))
		}
	})
}

// A tail that was cut off leaves a clean chain: the head tells.
func TestHeadShowsACutTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, first := drawLog(t, 2)
		count, head, err := Head(doc)
		if err != nil {
			t.Fatal(err)
		}
		keep := rapid.IntRange(first, count-1).Draw(t, "keep")
		cut := logOf(rawEntries(t, doc)[:keep])
		if problems := Verify(cut); len(problems) > 0 {
			t.Fatalf("the documented limit is none: %v", problems)
		}
		if c, h, err := Head(cut); c == count || h == head || err != nil {
			t.Fatalf("Head = %d, %s, %v after the cut, and %d, %s before", c, h, err, count, head)
		}
	})
}
