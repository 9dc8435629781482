package jsonedit

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

// outlined checks that an outline refuses what [Check] refuses, with the same error, and
// else finds the members and elements that going through the document finds.
func outlined(t rapid.TB, o *Outline, doc []byte) {
	t.Helper()
	if got, want := o.Check(doc), Check(doc); !reflect.DeepEqual(got, want) {
		t.Fatalf("outline of %q: %v, want %v", doc, got, want)
	} else if want != nil {
		if len(o.Members) > 0 || len(o.Elements) > 0 {
			t.Fatalf("members or elements of %q, which is refused", doc)
		}
		return
	}
	got := spans(t, doc, o.Members, root(doc), 2)
	if !root(doc).IsObject() && len(o.Members) > 0 || got != len(o.Members) {
		t.Fatalf("outline of %q has %d members, want %d", doc, len(o.Members), got)
	}
	if got, want := Twice(doc, o.Members), DuplicateKeys(doc); !reflect.DeepEqual(got, want) {
		t.Fatalf("keys more than once in %q: %q, want %q", doc, got, want)
	}
	if root(doc).IsArray() {
		listed(t, doc, o, o.Elements, root(doc))
		return
	}
	n := 0
	for i := 0; i < len(o.Members); i += 1 + int(o.Members[i].Inner) {
		v, elements := o.Members[i], o.Array(o.Members[i])
		value := gjson.ParseBytes(doc[v.Val:v.End])
		value.Index = int(v.Val)
		listed(t, doc, o, elements, value)
		n += len(elements)
	}
	if n != len(o.Elements) {
		t.Fatalf("outline of %q has %d elements, %d of them in members", doc, len(o.Elements), n)
	}
}

// listed compares the elements of a value, which are noted if it is an array that begins
// with an object, and their members.
func listed(t rapid.TB, doc []byte, o *Outline, elements []Element, value gjson.Result) {
	t.Helper()
	var want []gjson.Result
	if value.IsArray() {
		value.ForEach(func(_, v gjson.Result) bool {
			want = append(want, v)
			return true
		})
		if len(want) > 0 && !want[0].IsObject() {
			want = nil
		}
	}
	if len(elements) != len(want) {
		t.Fatalf("%d elements of %s in %q, want %d", len(elements), value.Raw, doc, len(want))
	}
	for i, e := range elements {
		if string(doc[e.Val:e.End]) != want[i].Raw || int(e.Val) != want[i].Index {
			t.Fatalf("element %d of %s is said to be %q", i, value.Raw, doc[e.Val:e.End])
		}
		if got := spans(t, doc, o.MembersOf(e), want[i], 2); got != len(o.MembersOf(e)) {
			t.Fatalf("element %d of %s has %d members, want %d", i, value.Raw, len(o.MembersOf(e)), got)
		}
	}
}

// spans compares the members of an object, and returns how many there are.
func spans(t rapid.TB, doc []byte, members []Member, object gjson.Result, depth int) (n int) {
	t.Helper()
	if !object.IsObject() || depth == 0 {
		return 0
	}
	object.ForEach(func(key, value gjson.Result) bool {
		if n >= len(members) {
			t.Fatalf("members of %q end before %s", doc, key.Raw)
		}
		m := members[n]
		if string(doc[m.Key-1:m.KeyEnd+1]) != key.Raw || string(doc[m.Val:m.End]) != value.Raw || int(m.Val) != value.Index {
			t.Fatalf("member %s of %q is said to be %q: %q", key.Raw, doc, doc[m.Key:m.KeyEnd], doc[m.Val:m.End])
		}
		inner := spans(t, doc, members[n+1:], value, depth-1)
		if inner != int(m.Inner) {
			t.Fatalf("member %s of %q has %d of its own, want %d", key.Raw, doc, m.Inner, inner)
		}
		if depth == 2 && value.IsObject() {
			if got, want := Twice(doc, members[n+1:n+1+inner]), DuplicateKeys([]byte(value.Raw)); !reflect.DeepEqual(got, want) {
				t.Fatalf("keys more than once in %s: %q, want %q", value.Raw, got, want)
			}
		}
		n += 1 + inner
		return true
	})
	return n
}

func TestOutline(t *testing.T) {
	var o Outline
	for _, doc := range append(fuzzSeeds(), `{"a":{"b":{"c":1},"b":2},"a":[{"d":1}],"":{},"\u0061":{"\u0062":1,"b":2}}`, `{"a":{"b":{`, `{"a":{"b":1,}}`, `{"a":1 x`,
		`[{"a":[{}]},2,[{}] , {} ]`, ` {"a":[ {"b":[{}]} , 3],"b":[1,{}],"c":{"d":[{}]},"e":[{}] } `, `[{},`, `[{},]`, `[{} {}]`, `[{}`, `{"a":[{}] 1`, `{"a":[{},]}`, `[{}]]`) {
		outlined(t, &o, []byte(doc))
	}
	rapid.Check(t, func(t *rapid.T) {
		doc := drawDocument(t, "").bytes
		outlined(t, &o, doc)
		outlined(t, &o, doc[:rapid.IntRange(0, len(doc)).Draw(t, "cut")])
	})
}

// TestTwiceAmongMany has more keys than are compared one by one.
func TestTwiceAmongMany(t *testing.T) {
	var o Outline
	for _, n := range []int{30, 63, 64, 65, 66, 300, 3000} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"key %d":{"x":%d},`, i, i)
		}
		outlined(t, &o, []byte("{"+b.String()+`"y":1}`))
		outlined(t, &o, []byte("{"+b.String()+fmt.Sprintf(`"key %d":1,"key %d":2,"key 3":3}`, n/2, n-1)))
	}
}
