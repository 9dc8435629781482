package jsonedit

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

func TestGet(t *testing.T) {
	const doc = "\ufeff\r\n" + `{"a":{"":[10,{"b":1e400}]},"caf\u00e9":"\/","d":1,"d":2,"0":"zero","n":null} `
	tests := []struct {
		path []string
		raw  string
		ok   bool
	}{
		{nil, doc[5 : len(doc)-1], true},
		{[]string{"a", ""}, `[10,{"b":1e400}]`, true},
		{[]string{"a", "", "1", "b"}, `1e400`, true},
		{[]string{"café"}, `"\/"`, true},
		{[]string{"caf\\u00e9"}, ``, false},
		{[]string{"d"}, `1`, true}, // the first of duplicates
		{[]string{"0"}, `"zero"`, true},
		{[]string{"n"}, `null`, true},
		{[]string{"A"}, ``, false},
		{[]string{"a", "", "2"}, ``, false},
		{[]string{"a", "", "00"}, ``, false},
		{[]string{"a", "", "-1"}, ``, false},
		{[]string{"a", "", "b"}, ``, false},
		{[]string{"a", "", "#"}, ``, false},
		{[]string{"d", "x"}, ``, false},
		{[]string{"d", "0"}, ``, false},
		{[]string{"@this"}, ``, false},
		{[]string{"*"}, ``, false},
	}
	for _, tt := range tests {
		r, ok := Get([]byte(doc), tt.path...)
		if ok != tt.ok || r.Raw != tt.raw {
			t.Errorf("Get %q = %q, %v; want %q, %v", tt.path, r.Raw, ok, tt.raw, tt.ok)
		}
		if ok && doc[r.Index:r.Index+len(r.Raw)] != r.Raw {
			t.Errorf("Get %q: Index %d is not where %q stands", tt.path, r.Index, r.Raw)
		}
	}
	if _, ok := Get(nil); ok {
		t.Error("found something in an empty document")
	}
}

func TestGetSharesMemory(t *testing.T) {
	doc := []byte(`{"a":"xyz"}`)
	r, _ := Get(doc, "a")
	if doc[6] = 'X'; r.Raw != `"Xyz"` {
		t.Errorf("Raw = %s, want it to show the document", r.Raw)
	}
}

func TestElements(t *testing.T) {
	doc := []byte(` {"a": [1, {"b":[2]} ,"x",[ ]], "e": [], "s": "no"}`)
	got, ok := Elements(doc, "a")
	var raws []string
	for _, r := range got {
		raws = append(raws, r.Raw)
		if string(doc[r.Index:r.Index+len(r.Raw)]) != r.Raw {
			t.Errorf("Index %d is not where %q stands", r.Index, r.Raw)
		}
	}
	if want := []string{`1`, `{"b":[2]}`, `"x"`, `[ ]`}; !ok || !reflect.DeepEqual(raws, want) {
		t.Errorf("Elements = %q, %v; want %q", raws, ok, want)
	}
	if got, ok := Elements(doc, "e"); !ok || len(got) != 0 {
		t.Errorf("Elements of [] = %v, %v", got, ok)
	}
	for _, path := range []string{"s", "absent"} {
		if got, ok := Elements(doc, path); ok || got != nil {
			t.Errorf("Elements of %s = %v, %v", path, got, ok)
		}
	}
	if _, ok := Elements([]byte(`{"a":1}`)); ok {
		t.Error("an object has elements")
	}
}

func TestTexts(t *testing.T) {
	for doc, want := range map[string][]string{
		`["a",1,null,["b"],{"c":"d"}," ","","\u0065"," f "]`: {"a", "e", " f "}, `"a"`: {"a"}, `" "`: nil, `{"a":"b"}`: nil, `1`: nil, ``: nil,
	} {
		if diff := cmp.Diff(want, Texts(gjson.Parse(doc))); diff != "" {
			t.Errorf("%s: %s", doc, diff)
		}
	}
}

func TestDuplicateKeys(t *testing.T) {
	tests := []struct {
		value string
		want  []string
	}{
		{`{}`, nil},
		{`{"a":1,"b":1,"A":1}`, nil},
		{`{"b":1,"a":1,"x":{"c":1,"c":1},"a":2,"\u0062":2,"a":3}`, []string{"b", "a"}},
		{`{"":1,"":2}`, []string{""}},
		{`{"é":1,"e\u0301":2}`, nil}, // not the same without normalising
		{`{"\ud800a":1,"\ud800b":2}`, nil},
		{`{"\ud800\u0061":1,"\ud800\u0062":2}`, nil}, // gjson decodes both alike
		{`{"\ud800":1,"\udfff":2}`, []string{"\ufffd"}},
		{"\ufeff {\"a\":1,\"a\":1} ", []string{"a"}},
		{`[{"a":1,"a":2}]`, nil},
		{`"a"`, nil},
	}
	for _, tt := range tests {
		if got := DuplicateKeys([]byte(tt.value)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("DuplicateKeys(%s) = %q, want %q", tt.value, got, tt.want)
		}
	}
}

func TestText(t *testing.T) {
	const value = `"\ud800\u0041\ud83d\ude39\\ud800"`
	const want = "\ufffdA\U0001f639\\ud800"
	if got := Text(gjson.Parse(value)); got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
	if r, _ := Get([]byte(value)); r.Str != want {
		t.Errorf("Get: Str = %q, want %q", r.Str, want)
	}
	if r, _ := Elements([]byte("[" + value + "]")); len(r) != 1 || r[0].Str != want {
		t.Errorf("Elements = %v, want %q", r, want)
	}
	if got := Text(gjson.Parse(`[1, 2]`)); got != "[1, 2]" {
		t.Errorf("Text of an array = %q", got)
	}
}

// Few keys are compared with each other, many counted in a map: the answer is the same.
func TestRepeatedKeys(t *testing.T) {
	for n := range 60 {
		for _, twice := range []int{-1, 0, n / 2, n - 1} {
			var doc strings.Builder
			doc.WriteString("{")
			var want []string
			for i := range n {
				fmt.Fprintf(&doc, `"k%d":1,`, i)
			}
			if twice >= 0 && twice < n {
				want = []string{fmt.Sprintf("k%d", twice)}
				fmt.Fprintf(&doc, `"k%d":2,"\u006b%d":3,`, twice, twice)
			}
			doc.WriteString(`"last":0}`)
			if got := DuplicateKeys([]byte(doc.String())); !slices.Equal(got, want) {
				t.Errorf("%d keys, %d twice: %q, want %q", n, twice, got, want)
			}
		}
	}
}
