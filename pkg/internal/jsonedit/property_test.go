package jsonedit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func itoa(i int) string { return strconv.Itoa(i) }

// decode reads a value as encoding/json sees it, numbers as written.
func decode(t *rapid.T, value []byte) any {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(value, bom)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("decode %s: %v", value, err)
	}
	return v
}

// change applies f to the decoded value at path and returns the whole.
func change(t *rapid.T, v any, path []string, f func(any) any) any {
	if len(path) == 0 {
		return f(v)
	}
	switch v := v.(type) {
	case map[string]any:
		v[path[0]] = change(t, v[path[0]], path[1:], f)
		return v
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil {
			t.Fatal(err)
		}
		v[i] = change(t, v[i], path[1:], f)
		return v
	}
	t.Fatalf("no way to %q in %v", path, v)
	return nil
}

func same(t *rapid.T, what string, got, want any) {
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}

func apply(t *rapid.T, doc []byte, e Edit) []byte {
	out, err := Apply(doc, e)
	if err != nil {
		t.Fatalf("%s %q in\n%s\n%v", e.op, e.path, doc, err)
	}
	return out
}

func drawValue(t *rapid.T) []byte {
	d := printDocument(t, drawNode(t, 2), "")
	return d.bytes[d.root.start:d.root.end]
}

// Every value of a generated document is found where it was put.
func TestPropertyGet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t, "")
		if err := Check(d.bytes); err != nil {
			t.Fatalf("%s\n%v", d.bytes, err)
		}
		start, end := Span(d.bytes)
		same(t, "span", []int{start, end}, []int{d.root.start, d.root.end})
		for _, n := range d.nodes {
			path, clear := n.path()
			if !clear {
				continue
			}
			r, ok := Get(d.bytes, path...)
			if !ok || r.Index != n.start || r.Index+len(r.Raw) != n.end {
				t.Fatalf("Get %q = %q at %d, %v; want [%d:%d] of\n%s", path, r.Raw, r.Index, ok, n.start, n.end, d.bytes)
			}
			if n.nesting() && n.unique() != (DuplicateKeys([]byte(r.Raw)) == nil) {
				t.Fatalf("DuplicateKeys(%s) = %q", r.Raw, DuplicateKeys([]byte(r.Raw)))
			}
			if strings.HasPrefix(n.literal, `"`) {
				same(t, "text", r.Str, decode(t, []byte(n.literal)))
			}
		}
	})
}

// Replacing a value changes its bytes and no other, or is refused because of
// duplicate keys.
func TestPropertyReplace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t, "")
		n := rapid.SampledFrom(d.nodes).Draw(t, "node")
		raw := drawValue(t)
		path, clear := n.path()
		if !clear {
			out, err := Apply(d.bytes, Set(raw, path...))
			if out != nil || !strings.HasSuffix(err.Error(), ErrDuplicateKey.Error()) {
				t.Fatalf("set %q in\n%s\n= %s, %v; want it refused", path, d.bytes, out, err)
			}
			return
		}
		got := apply(t, d.bytes, Set(raw, path...))
		same(t, "bytes", string(got), string(slices.Concat(d.bytes[:n.start], raw, d.bytes[n.end:])))
		want := change(t, decode(t, d.bytes), path, func(any) any { return decode(t, raw) })
		same(t, "decoded", decode(t, got), want)
	})
}

// editable draws a container whose path and keys are without duplicates.
func editable(t *rapid.T, d document, ok func(*node) bool) (*node, []string) {
	var choice []*node
	for _, n := range d.nodes {
		if _, clear := n.path(); clear && n.nesting() && n.unique() && ok(n) {
			choice = append(choice, n)
		}
	}
	if len(choice) == 0 {
		t.Skip("nothing to edit")
	}
	n := rapid.SampledFrom(choice).Draw(t, "container")
	path, _ := n.path()
	return n, path
}

// What is inserted stands after the last item, and every other byte stays.
func TestPropertyInsertAndDelete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t, "")
		n, path := editable(t, d, func(*node) bool { return true })
		raw := drawValue(t)
		e := Append(raw, path...)
		name := itoa(len(n.children))
		if n.object {
			name = rapid.SampledFrom([]string{"new", "né\"w", ":n", "2"}).Draw(t, "name")
			e = Set(raw, append(path, name)...)
		}
		got := apply(t, d.bytes, e)
		before, after := n.open, n.close // white space in empty brackets may go
		if len(n.children) > 0 {
			before = n.children[len(n.children)-1].end
			after = before
		}
		if !bytes.HasPrefix(got, d.bytes[:before]) || !bytes.HasSuffix(got, d.bytes[after:]) {
			t.Fatalf("%s %q changed other bytes of\n%s\nto\n%s", e.op, e.path, d.bytes, got)
		}
		want := change(t, decode(t, d.bytes), path, func(v any) any {
			if m, ok := v.(map[string]any); ok {
				m[name] = decode(t, raw)
				return m
			}
			return append(v.([]any), decode(t, raw))
		})
		same(t, "decoded", decode(t, got), want)
		back := apply(t, got, Delete(append(path, name)...))
		if len(n.children) > 0 {
			same(t, "deleted again", string(back), string(d.bytes))
		} else {
			same(t, "deleted again", string(back), string(d.bytes[:n.open])+string(d.bytes[n.close:]))
		}
	})
}

// Deleting an item takes one span: the item, one comma and white space.
func TestPropertyDelete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t, "")
		n, path := editable(t, d, func(n *node) bool { return len(n.children) > 0 })
		i := rapid.IntRange(0, len(n.children)-1).Draw(t, "item")
		item := n.children[i]
		from, to := item.from, item.end
		switch {
		case len(n.children) == 1:
			from, to = n.open, n.close
		case i == 0:
			to = n.children[1].from
		default:
			from = n.children[i-1].end
		}
		itemPath, _ := item.path()
		got := apply(t, d.bytes, Delete(itemPath...))
		same(t, "bytes", string(got), string(d.bytes[:from])+string(d.bytes[to:]))
		want := change(t, decode(t, d.bytes), path, func(v any) any {
			if m, ok := v.(map[string]any); ok {
				delete(m, item.key)
				return m
			}
			return slices.Delete(v.([]any), i, i+1)
		})
		same(t, "decoded", decode(t, got), want)
	})
}

// EditArray against the same changes made to a list of strings.
func TestPropertyEditArray(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t, "")
		n, path := editable(t, d, func(n *node) bool { return !n.object })
		e := ArrayEdit{Set: map[int][]byte{}, Remove: map[int]bool{}}
		for i := range n.children {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				e.Set[i] = drawValue(t)
			case 1:
				e.Remove[i] = true
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "insertions") {
			e.Insert = append(e.Insert, Insertion{rapid.IntRange(0, len(n.children)+1).Draw(t, "before"), drawValue(t)})
		}
		var want []string // kept and set elements verbatim, inserted ones compact
		for i := 0; i <= len(n.children); i++ {
			for _, in := range e.Insert {
				if in.Before == i || i == len(n.children) && in.Before > i {
					want = append(want, "+"+string(Compact(in.Raw)))
				}
			}
			if i < len(n.children) && !e.Remove[i] {
				raw := d.bytes[n.children[i].start:n.children[i].end]
				if set, ok := e.Set[i]; ok {
					raw = set
				}
				want = append(want, string(raw))
			}
		}
		got, err := EditArray(d.bytes, path, e)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(got, d.bytes[:n.open]) || !bytes.HasSuffix(got, d.bytes[n.close:]) {
			t.Fatalf("bytes outside the array changed from\n%s\nto\n%s", d.bytes, got)
		}
		elements, ok := Elements(got, path...)
		if !ok || len(elements) != len(want) {
			t.Fatalf("%d elements, want %d in\n%s", len(elements), len(want), got)
		}
		for i, r := range elements {
			raw := r.Raw
			if strings.HasPrefix(want[i], "+") {
				raw = "+" + string(Compact([]byte(raw)))
			}
			same(t, "element", raw, want[i])
		}
	})
}

// Elements removed and inserted again at their places give back the document
// byte for byte, wherever all elements are laid out alike.
func TestPropertyRemoveInsertRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		style := rapid.SampledFrom([]string{"compact", "spaced", "pretty", "mixed"}).Draw(t, "style")
		root := &node{object: true}
		version := &node{key: "v", keyRaw: `"v"`, literal: "1", parent: root}
		elements := &node{key: "entries", keyRaw: `"entries"`, parent: root}
		root.children = []*node{version, elements}
		for range rapid.IntRange(1, 6).Draw(t, "elements") {
			c := drawNode(t, 2)
			if style == "mixed" {
				c.object = c.nesting() // mixed in what they hold, alike themselves
			}
			c.parent = elements
			elements.children = append(elements.children, c)
		}
		d := printDocument(t, root, style)
		n := len(elements.children)
		remove := ArrayEdit{Remove: map[int]bool{}}
		var restore ArrayEdit
		for i, c := range elements.children {
			if rapid.Bool().Draw(t, "remove") {
				restore.Insert = append(restore.Insert, Insertion{i - len(remove.Remove), d.bytes[c.start:c.end]})
				remove.Remove[i] = true
			}
		}
		removed, err := EditArray(d.bytes, []string{"entries"}, remove)
		if err != nil {
			t.Fatal(err)
		}
		restored, err := EditArray(removed, []string{"entries"}, restore)
		if err != nil {
			t.Fatal(err)
		}
		if len(remove.Remove) < n || style == "compact" || style == "spaced" {
			same(t, "restored", string(restored), string(d.bytes))
			return
		}
		same(t, "emptied", string(removed), string(d.bytes[:elements.open])+string(d.bytes[elements.close:]))
		same(t, "restored, compact", string(Compact(restored)), string(Compact(d.bytes)))
	})
}
