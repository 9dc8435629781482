package mdedit

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const note = "\xef\xbb\xbf---\r\nname: alpha # the name\r\ndescription: \"Fix: the queue\"\r\nmetadata:\r\n  type: feedback\r\n  modified: 2026-01-10T10:00:00Z\r\ntags: [a, 'b, c']\r\n---\r\n\r\n# Alpha\r\nSee [the [old] one](beta.md#x), [[Gamma|g]] and `delta.md`.\r\n```\n[no](code.md)\n```\r\nA single ``` and [yes](e%20f.md).\r\n\r\n## More\r\n- one\r\n  two\r\n- three"

func TestNote(t *testing.T) {
	text := []byte(note)
	f := FrontOf(text)
	if f == nil || f.Wrong != nil {
		t.Fatalf("front matter: %+v", f)
	}
	if got := f.Value("name"); got != "alpha" {
		t.Errorf("name %q", got)
	}
	if got := f.Value("description"); got != "Fix: the queue" {
		t.Errorf("description %q", got)
	}
	if got := f.Value("modified"); got != "2026-01-10T10:00:00Z" {
		t.Errorf("modified %q", got)
	}
	if got := f.Key("", "tags").List; !slices.Equal(got, []string{"a", "b, c"}) {
		t.Errorf("tags %q", got)
	}
	var names []string
	for _, l := range Links(text) {
		names = append(names, l.Name)
	}
	if want := []string{"beta.md", "Gamma", "delta.md", "e f.md"}; !slices.Equal(names, want) {
		t.Errorf("links %q, want %q", names, want)
	}
	items := Items(text)
	if len(items) != 2 || items[0].Of(text) != "- one\r\n  two\r\n" || items[1].Of(text) != "- three" {
		t.Errorf("items %+v", items)
	}
	heads := Headings(text)
	if len(heads) != 2 || heads[1].Title != "More" || Section(text, heads[0]).End != len(text) {
		t.Errorf("headings %+v", heads)
	}
}

func TestSetValue(t *testing.T) {
	for _, c := range []struct{ within, name, value, was, is string }{
		{"", "name", "beta", "name: alpha # the name", "name: beta # the name"},
		{"", "description", "no: \"x\"", `description: "Fix: the queue"`, `description: "no: \"x\""`},
		{"metadata", "modified", "2026-02-01", "modified: 2026-01-10T10:00:00Z", "modified: 2026-02-01"},
		{"metadata", "new", "yes", "10:00:00Z\r\n", "10:00:00Z\r\n  new: yes\r\n"},
		{"", "new", "- x", "'b, c']\r\n", "'b, c']\r\nnew: \"- x\"\r\n"},
	} {
		got, err := SetValue([]byte(note), c.within, c.name, c.value)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if want := strings.Replace(note, c.was, c.is, 1); string(got) != want {
			t.Errorf("%s:\n%q\nwant\n%q", c.name, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		text string
		err  error
	}{
		{"---\nname: |\n  x\n---\n", ErrFront},
		{"---\nname: {a: b}\n---\n", ErrFront},
		{"---\nname: &x y\n---\n", ErrFront},
		{"---\nname: x\nname: y\n---\n", ErrFront},
		{"---\nname: x\nno key\n---\n", ErrFront},
		{"---\nname: \xff\n---\n", ErrEncoding},
		{"---\nname: x\n---\n<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n", ErrConflict},
		{"---\nname: x\npad: " + strings.Repeat("x", MaxFront) + "\n---\n", ErrFront},
		{"no front matter", ErrNoSuch},
	} {
		if got, err := SetValue([]byte(c.text), "", "name", "z"); !errors.Is(err, c.err) {
			t.Errorf("%.40q: %q, %v, want %v", c.text, got, err, c.err)
		}
	}
}

func TestEntries(t *testing.T) {
	text := []byte("one\ntwo\n§\n\n§\nthree §\n")
	all := Entries(text)
	if len(all) != 2 || all[0].Of(text) != "one\ntwo\n" || all[1].Of(text) != "three §\n" {
		t.Errorf("%+v", all)
	}
}

// anyNote draws a text with what notes are made of.
func anyNote(t *rapid.T) []byte {
	end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
	var b strings.Builder
	if rapid.Bool().Draw(t, "bom") {
		b.WriteString(bom)
	}
	value := rapid.SampledFrom([]string{"x", "'it''s'", `"a: b"`, "plain text # c", "2026-01-01", "Ü", `"q\"q"`})
	if rapid.Bool().Draw(t, "front") {
		b.WriteString("---" + end)
		for i, n := 0, rapid.IntRange(1, 4).Draw(t, "keys"); i < n; i++ {
			b.WriteString(string(rune('a'+i)) + ": " + value.Draw(t, "value") + end)
		}
		if rapid.Bool().Draw(t, "nested") {
			b.WriteString("metadata:" + end + "  type: " + value.Draw(t, "type") + end)
		}
		b.WriteString("---" + end)
	}
	piece := rapid.SampledFrom([]string{"# Head", "- [a](b.md) — c", "[x [y]](z.md)", "[[w|v]]", "`u.md`", "```", "~~~", "text ``` text", "", "  indented", "§", "[r]: s.md"})
	for i, n := 0, rapid.IntRange(0, 8).Draw(t, "lines"); i < n; i++ {
		b.WriteString(piece.Draw(t, "line") + rapid.SampledFrom([]string{end, "\n"}).Draw(t, "line end"))
	}
	return []byte(b.String())
}

// An edit and its inverse are the identity, and the edited text reads as the edit says.
func TestInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyNote(t)
		f := FrontOf(text)
		if f == nil {
			return
		}
		for _, k := range f.Keys {
			if !k.Scalar {
				continue
			}
			value := rapid.SampledFrom([]string{"new", "it's", `a "b": c`, "#", "- x", " y ", ""}).Draw(t, "new")
			out, err := SetValue(text, k.Within, k.Name, value)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			now := FrontOf(out).Key(k.Within, k.Name)
			if now.Text != value {
				t.Fatalf("reads %q, want %q", now.Text, value)
			}
			at := Span{k.Val.Start, k.Val.Start + len(out) - len(text) + k.Val.End - k.Val.Start}
			back, err := Splice(out, at, k.Val.Of(text))
			if err != nil || !bytes.Equal(back, text) {
				t.Fatalf("back %q, %v", back, err)
			}
		}
		added, err := SetValue(text, "", "zz", "1")
		if err != nil {
			t.Fatal(err)
		}
		if back, err := RemoveKey(added, "", "zz"); err != nil || !bytes.Equal(back, text) {
			t.Fatalf("back %q, %v", back, err)
		}
	})
}

// Links that are led elsewhere and back are as they were, and nothing else of a text changes.
func TestRetarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyNote(t)
		was := map[int]string{}
		n := 0
		out, err := Retarget(text, func(l Link) (string, bool) {
			was[n] = l.Target.Of(text)
			n++
			return "elsewhere.md", true
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := Links(out); len(got) != n {
			t.Fatalf("%d links of %d in %q", len(got), n, out)
		}
		i := 0
		back, err := Retarget(out, func(l Link) (string, bool) { i++; return was[i-1], true })
		if err != nil || !bytes.Equal(back, text) {
			t.Fatalf("back %q, %v; was %q", back, err, text)
		}
	})
}

// FuzzNote: every text is read without a panic, its parts lie in it, and an edit changes only its span.
func FuzzNote(f *testing.F) {
	f.Add([]byte(note))
	f.Add([]byte("---\na: 'b\n---\n[[x]] [[ `\n§\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		end := 0
		for _, l := range Links(text) {
			if l.Start < end || l.Target.Start < l.Start || l.Target.End > l.End || l.End > len(text) {
				t.Fatalf("link %+v of %q", l, text)
			}
			end = l.Start
		}
		for _, i := range Items(text) {
			_, _ = i.Of(text), i.Text.Of(text)
		}
		for _, h := range Headings(text) {
			_ = Section(text, h).Of(text)
		}
		for _, e := range Entries(text) {
			_ = e.Of(text)
		}
		if out, err := SetValue(text, "", "name", "v"); err == nil && FrontOf(out).Value("name") != "v" {
			t.Fatalf("%q", out)
		}
	})
}
