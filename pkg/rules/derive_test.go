package rules

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// drawn is a memory with some content.
func drawn(t *rapid.T) *memory.Memory {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " \n", "Restart THE  queue", "This supersedes adr-7.", "restart the\tqueue", "ÉTÉ é", " a\u00a0\n b\x85 "}))
	var value func(depth int) any
	value = func(depth int) any {
		switch n := rapid.IntRange(0, 7).Draw(t, "kind"); {
		case n == 0:
			return nil
		case n == 1:
			return rapid.IntRange(0, 9).Draw(t, "n")
		case n < 5 || depth == 0:
			return text.Draw(t, "text")
		case n == 5:
			out := []any{}
			for range rapid.IntRange(0, 2).Draw(t, "elements") {
				out = append(out, value(depth-1))
			}
			return out
		}
		out := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "fields") {
			out[rapid.SampledFrom([]string{"title", "details", "summary", "owner"}).Draw(t, "key")] = value(depth - 1)
		}
		return out
	}
	raw, err := json.Marshal(map[string]any{
		"id": "m", "type": rapid.SampledFrom([]string{"procedural", "episodic", "semantic"}).Draw(t, "type"), "content": value(3),
	})
	if err != nil {
		t.Fatal(err)
	}
	ms, err := memory.ParseRecords("m.json", raw)
	if err != nil || len(ms) != 1 {
		t.Fatalf("%s: %d records, %v", raw, len(ms), err)
	}
	return ms[0]
}

// What is derived of a text is what the text says.
func TestDerive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawn(t)
		blank := strings.TrimSpace(m.Text()) == ""
		length := utf8.RuneCountInString(details(m))
		if saysAnything(m) == blank || detailsLength(m) != length {
			t.Fatalf("%q: says %v, details of %d", m.Text(), saysAnything(m), detailsLength(m))
		}
		other := drawn(t)
		if m.Type == other.Type && statement(m) == statement(other) && StatementHash(m) != StatementHash(other) {
			t.Fatalf("%q and %q have different hashes", m.Text(), other.Text())
		}
		was := StatementHash(m)
		m.Derive(Derive)
		if saysAnything(m) == blank || detailsLength(m) != length || StatementHash(m) != was {
			t.Fatalf("%q: derived %x: says %v, details of %d", m.Text(), m.Derived(), saysAnything(m), detailsLength(m))
		}
		if derivedOf(m).plain && len(supersession.Note{Title: title(m)}.Keys()) > 0 {
			t.Fatalf("%q is derived to be no name, and gives %q", title(m), supersession.Note{Title: title(m)}.Keys())
		}
	})
}

// Equal statements are equal after another way of writing them; nothing that stands in
// the cache makes a rule panic.
func TestDerivedIsBroken(t *testing.T) {
	for _, broken := range [][]byte{nil, {}, {DeriveVersion}, {DeriveVersion + 1, 255}, {DeriveVersion, 255}, {DeriveVersion, 4, 255, 255}, {DeriveVersion, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, {DeriveVersion, 0, 12, 1}} {
		ms, err := memory.ParseRecords("m.json", []byte(`{"id":"m","type":"episodic","content":{"details":"twelve chars"}}`))
		if err != nil {
			t.Fatal(err)
		}
		ms[0].Derive(func([]byte, *memory.Memory) []byte { return broken })
		if n := detailsLength(ms[0]); n != 12 {
			t.Errorf("%x: details of %d", broken, n)
		}
		StatementHash(ms[0])
	}
}

func BenchmarkDerive(b *testing.B) {
	for _, kind := range []string{memory.Procedural, memory.Episodic, memory.Semantic} {
		b.Run(kind, func(b *testing.B) {
			ms, err := memory.ParseRecords("m.json", []byte(`{"id":"m","type":"`+kind+`","content":{"title":"Restart the queue","details":"`+strings.Repeat("Drain it first, then restart. ", 30)+`"}}`))
			if err != nil {
				b.Fatal(err)
			}
			var derived []byte
			for b.Loop() {
				derived = Derive(derived[:0], ms[0])
			}
		})
	}
}
