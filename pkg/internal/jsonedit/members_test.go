package jsonedit

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Members are those of the document, and changes to several are each what it would be
// alone; nothing between them moves.
func TestPropertyMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := &node{object: true}
		for i, n := 0, rapid.IntRange(1, 5).Draw(t, "members"); i < n; i++ {
			c := drawNode(t, 3)
			c.key, c.keyRaw, c.parent = itoa(i), `"`+itoa(i)+`"`, root
			root.children = append(root.children, c)
		}
		d := printDocument(t, root, "")
		m, ok := MembersOf(d.bytes)
		if !ok || m.Repeated() != nil {
			t.Fatalf("members of\n%s: %v, %q", d.bytes, ok, m.Repeated())
		}
		e, want, from := m.Edit(), []byte(nil), 0
		for _, c := range root.children {
			r, ok := m.Get(c.key)
			if g, _ := Get(d.bytes, c.key); !ok || r.Raw != g.Raw || r.Index != g.Index || r.Str != g.Str {
				t.Fatalf("%q is %q at %d, %v", c.key, r.Raw, r.Index, ok)
			}
			with := d.bytes[c.start:c.end]
			switch what := rapid.IntRange(0, 2).Draw(t, "what"); {
			case what == 1:
				with = drawValue(t)
				if err := e.Set(c.key, with); err != nil {
					t.Fatal(err)
				}
			case what == 2 && c.nesting() && !c.object:
				a := ArrayEdit{Remove: map[int]bool{}, Insert: []Insertion{{rapid.IntRange(0, 3).Draw(t, "before"), drawValue(t)}}}
				for i := range c.children {
					a.Remove[i] = rapid.Bool().Draw(t, "remove")
				}
				span := func(i int) (start, end int) { return c.children[i].start, c.children[i].end }
				if rapid.Bool().Draw(t, "unknown") {
					span = nil
				}
				if err := e.EditArray(c.key, len(c.children), span, a); err != nil {
					t.Fatal(err)
				}
				alone, err := EditArray(d.bytes, []string{c.key}, a)
				if err != nil {
					t.Fatal(err)
				}
				with = alone[c.start : len(alone)-(len(d.bytes)-c.end)]
			}
			want, from = append(append(want, d.bytes[from:c.start]...), with...), c.end
		}
		got, kept, err := e.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		old, new := 0, 0
		for _, k := range kept {
			if k.Old < old || k.New < new || k.Len <= 0 || string(d.bytes[k.Old:][:k.Len]) != string(got[k.New:][:k.Len]) {
				t.Fatalf("%q is not kept as %+v in %q", d.bytes, k, got)
			}
			old, new = k.Old+k.Len, k.New+k.Len
		}
		same(t, "bytes", string(got), string(append(want, d.bytes[from:]...)))
		if err := Check(got); err != nil {
			t.Fatalf("%s\n%v", got, err)
		}
	})
}

// What would nest too deep at its place, has no place or has two of them is refused.
func TestMembersRefuse(t *testing.T) {
	deep := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	doc := []byte(`{"a": 1, "l": [1]}`)
	m, _ := MembersOf(doc)
	e := m.Edit()
	insert := func(n int) error {
		return e.EditArray("l", 0, nil, ArrayEdit{Insert: []Insertion{{0, deep(n)}}})
	}
	for what, err := range map[string]error{
		"no member": e.Set("b", []byte("1")), "no value": e.Set("a", []byte("1 2")), "deep": e.Set("a", deep(MaxDepth)),
		"no array": e.EditArray("a", 0, nil, ArrayEdit{}), "deep element": insert(MaxDepth - 1),
	} {
		if err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	if e.Any() {
		t.Error("what was refused counts")
	}
	for what, err := range map[string]error{"deep": e.Set("a", deep(MaxDepth-1)), "deep element": insert(MaxDepth - 2)} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if out, _, err := e.Bytes(); err != nil || Check(out) != nil {
		t.Errorf("as deep as may be: %v, %v", err, Check(out))
	}
	if twice, ok := MembersOf([]byte(`{"a": 1, "a": 2}`)); !ok || twice.Edit().Set("a", []byte("3")) == nil || len(twice.Repeated()) != 1 {
		t.Error("a repeated key is accepted")
	}
	if _, ok := MembersOf([]byte(`[{}]`)); ok {
		t.Error("an array has members")
	}
}
