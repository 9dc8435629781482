package jsonedit

import (
	"errors"
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

func TestEditArray(t *testing.T) {
	raw := func(s string) []byte { return []byte(s) }
	lines := "[\n  1,\n  2,\n  3\n]\n"
	tests := []struct {
		name string
		doc  string
		path []string
		edit ArrayEdit
		want string
	}{
		{"nothing", lines, nil, ArrayEdit{Remove: map[int]bool{7: false}}, lines},
		{"remove first", lines, nil, ArrayEdit{Remove: map[int]bool{0: true}}, "[\n  2,\n  3\n]\n"},
		{"remove middle", lines, nil, ArrayEdit{Remove: map[int]bool{1: true}}, "[\n  1,\n  3\n]\n"},
		{"remove last", lines, nil, ArrayEdit{Remove: map[int]bool{2: true}}, "[\n  1,\n  2\n]\n"},
		{"remove both ends", lines, nil, ArrayEdit{Remove: map[int]bool{0: true, 2: true}}, "[\n  2\n]\n"},
		{"remove all", lines, nil, ArrayEdit{Remove: map[int]bool{0: true, 1: true, 2: true}}, "[]\n"},
		{"remove all and insert", lines, nil, ArrayEdit{Remove: map[int]bool{0: true, 1: true, 2: true}, Insert: []Insertion{{1, raw("9")}, {0, raw("8")}}}, "[\n  8,\n  9\n]\n"},
		{"set is verbatim", lines, nil, ArrayEdit{Set: map[int][]byte{1: raw(" {\"a\":\n1} ")}}, "[\n  1,\n  {\"a\":\n1},\n  3\n]\n"},
		{"insert first", lines, nil, ArrayEdit{Insert: []Insertion{{0, raw("0")}}}, "[\n  0,\n  1,\n  2,\n  3\n]\n"},
		{"insert between", lines, nil, ArrayEdit{Insert: []Insertion{{1, raw("1.1")}, {1, raw("1.2")}}}, "[\n  1,\n  1.1,\n  1.2,\n  2,\n  3\n]\n"},
		{"insert at the end", lines, nil, ArrayEdit{Insert: []Insertion{{3, raw("4")}, {99, raw("5")}}}, "[\n  1,\n  2,\n  3,\n  4,\n  5\n]\n"},
		{"all at once", lines, nil, ArrayEdit{Set: map[int][]byte{2: raw("30")}, Remove: map[int]bool{0: true}, Insert: []Insertion{{9, raw("4")}, {0, raw("0")}}},
			"[\n  0,\n  2,\n  30,\n  4\n]\n"},
		{"one line in pretty", "{\n  \"a\": [1, 2]\n}", []string{"a"}, ArrayEdit{Remove: map[int]bool{0: true}, Insert: []Insertion{{2, raw("3")}}}, "{\n  \"a\": [2, 3]\n}"},
		{"nested path", `{"a":[0,{"b":[1]}]}`, []string{"a", "1", "b"}, ArrayEdit{Insert: []Insertion{{0, raw("0")}}}, `{"a":[0,{"b":[0,1]}]}`},
		{"several into empty", "{\n  \"a\": []\n}", []string{"a"}, ArrayEdit{Insert: []Insertion{{0, raw(`{"x":1}`)}, {0, raw(`{}`)}}}, "{\n  \"a\": [\n    {\n      \"x\": 1\n    },\n    {}\n  ]\n}"},
		{"several into empty of compact", `{"a":[]}`, []string{"a"}, ArrayEdit{Insert: []Insertion{{0, raw(`1`)}, {0, raw(`2`)}}}, `{"a":[1,2]}`},
		{"commas first", "[ 1\n, 2\n]", nil, ArrayEdit{Remove: map[int]bool{0: true}, Insert: []Insertion{{2, raw("3")}}}, "[ 2\n, 3\n]"},
		{"element moves between margins", "{\n\t\"a\": [\n\t\t{\n\t\t\t\"x\": 1\n\t\t}\n\t]\n}", []string{"a"},
			ArrayEdit{Insert: []Insertion{{1, raw("{\n    \"y\": [\n\n      2\n    ]\n  }")}}},
			"{\n\t\"a\": [\n\t\t{\n\t\t\t\"x\": 1\n\t\t},\n\t\t{\n\t\t\t\"y\": [\n\n\t\t\t\t2\n\t\t\t]\n\t\t}\n\t]\n}"},
		{"blank lines stay blank", "[\n  1\n]", nil, ArrayEdit{Insert: []Insertion{{1, raw("[\n\n  2\n]")}}}, "[\n  1,\n  [\n\n    2\n  ]\n]"},
		{"seam of the place", "[1, 2,\n 3]", nil, ArrayEdit{Insert: []Insertion{{1, raw("1.5")}, {2, raw("2.5")}, {3, raw("4")}}}, "[1, 1.5, 2,\n 2.5,\n 3,\n 4]"},
		{"margin not shown stays", "[\n  1\n]", nil, ArrayEdit{Insert: []Insertion{{1, raw("{\"a\":\n1,\n \"b\": 2}")}}}, "[\n  1,\n  {\"a\":\n1,\n \"b\": 2}\n]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := EditArray([]byte(tt.doc), tt.path, tt.edit)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestEditArrayRefuses(t *testing.T) {
	one := []byte("1")
	tests := []struct {
		name string
		doc  string
		path []string
		edit ArrayEdit
		is   error // nil: any other
		want string
	}{
		{"broken document", "[1", nil, ArrayEdit{}, nil, "line 1, column 3: document is cut off: it ends inside an array"},
		{"not an array", `{"a":{}}`, []string{"a"}, ArrayEdit{}, ErrWrongType, `edit array "/a": "/a" is of type object, not array: wrong type`},
		{"absent", `{}`, []string{"a"}, ArrayEdit{}, ErrNotFound, `edit array "/a": nothing at "/a": not found`},
		{"duplicate", `{"a":[],"a":[]}`, []string{"a"}, ArrayEdit{}, ErrDuplicateKey, `edit array "/a": the document holds the key "a" more than once: duplicate key`},
		{"set out of range", `[1]`, nil, ArrayEdit{Set: map[int][]byte{1: one}}, ErrNotFound, `edit array the document: nothing at "/1": not found`},
		{"set below zero", `[1]`, nil, ArrayEdit{Set: map[int][]byte{-1: one}}, ErrNotFound, `edit array the document: nothing at "/-1": not found`},
		{"remove out of range", `{"a":[1]}`, []string{"a"}, ArrayEdit{Remove: map[int]bool{5: true, 3: true}}, ErrNotFound, `edit array "/a": nothing at "/a/3": not found`},
		{"insert below zero", `[1]`, nil, ArrayEdit{Insert: []Insertion{{-1, one}}}, ErrNotFound, `edit array the document: nothing at "/-1": not found`},
		{"set and removed", `[1]`, nil, ArrayEdit{Set: map[int][]byte{0: one}, Remove: map[int]bool{0: true}}, nil, `edit array the document: element 0 is both set and removed`},
		{"set broken", `[1]`, nil, ArrayEdit{Set: map[int][]byte{0: []byte("1,2")}}, nil, `edit array the document: element 0: new value: line 1, column 2: found , after the end of the document`},
		{"result too deep", strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), zeros(MaxDepth - 1), ArrayEdit{Insert: []Insertion{{0, []byte("[]")}}}, nil, `edited document: line 1, column 1001: nested more than 1000 deep`},
		{"insert broken", `[1]`, nil, ArrayEdit{Insert: []Insertion{{0, one}, {0, nil}}}, nil, `edit array the document: insertion 1: new value: line 1, column 1: empty document`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := EditArray([]byte(tt.doc), tt.path, tt.edit)
			if err == nil || got != nil {
				t.Fatalf("= %s, %v; want nothing and an error", got, err)
			}
			if tt.is != nil && !errors.Is(err, tt.is) || err.Error() != tt.want {
				t.Errorf("error\n got %s\nwant %s", err, tt.want)
			}
		})
	}
}
