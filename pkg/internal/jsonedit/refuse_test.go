package jsonedit

import (
	"errors"
	"strings"
	"testing"
)

func TestApplyRefuses(t *testing.T) {
	one := []byte("1")
	tests := []struct {
		name string
		doc  string
		edit Edit
		is   error  // sentinel, or nil for an *Error
		want string // message
	}{
		{"garbage", "garbage", Set(one, "a"), nil, "line 1, column 1: unknown word garbage; a string needs double quotes"},
		{"empty document", "", Set(one, "a"), nil, "line 1, column 1: empty document"},
		{"cut off", `{"a":1`, Set(one, "b"), nil, "line 1, column 7: document is cut off: it ends inside an object"},
		{"trailing garbage", `{"a":1}garbage`, Set(one, "b"), nil, "line 1, column 8: a second document after the first; a file must hold exactly one"},
		{"two documents", `{"a":1}{"b":2}`, Set(one, "c"), nil, "line 1, column 8: a second document after the first; a file must hold exactly one"},
		{"injected sibling", `{"a":1}`, Set([]byte(`1,"evil":2`), "a"), nil, `set "/a": new value: line 1, column 2: found , after the end of the document`},
		{"empty value", `{"a":1}`, Set(nil, "a"), nil, `set "/a": new value: line 1, column 1: empty document`},
		{"NaN", `{"a":1}`, Set([]byte("NaN"), "a"), nil, `set "/a": new value: line 1, column 1: NaN is not JSON; use null`},
		{"infinity", `[1]`, Append([]byte("+Inf")), nil, `append the document: new value: line 1, column 1: number with a leading +`},
		{"result too deep", strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), Append([]byte("[]"), zeros(MaxDepth-1)...), nil, "edited document: line 1, column 1001: nested more than 1000 deep"},

		{"null has no members", `null`, Set(one, "a"), ErrWrongType, `set "/a": the document is of type null, not object or array: wrong type`},
		{"string has no members", `"str"`, Set(one, "a"), ErrWrongType, `set "/a": the document is of type string, not object or array: wrong type`},
		{"path through a scalar", `{"a":5}`, Set(one, "a", "b", "c"), ErrWrongType, `set "/a/b/c": "/a" is of type number, not object or array: wrong type`},
		{"delete through a scalar", `{"a":true}`, Delete("a", "b"), ErrWrongType, `delete "/a/b": "/a" is of type true, not object or array: wrong type`},
		{"element of a scalar", `[[1]]`, Set(one, "0", "0", "x"), ErrWrongType, `set "/0/0/x": "/0/0" is of type number, not object or array: wrong type`},
		{"delete all", `{}`, Delete(), ErrWrongType, `delete the document: the whole document cannot be deleted: wrong type`},
		{"append to object", `{"a":{}}`, Append(one, "a"), ErrWrongType, `append "/a": "/a" is of type object, not array: wrong type`},
		{"append to absent", `{}`, Append(one, "a"), ErrNotFound, `append "/a": nothing at "/a": not found`},
		{"missing parent", `{}`, Set(one, "a", "b"), ErrNotFound, `set "/a/b": nothing at "/a": not found`},
		{"missing container with a number", `{}`, Set(one, "a", "999999999"), ErrNotFound, `set "/a/999999999": nothing at "/a": not found`},
		{"index out of range", `[1]`, Set(one, "1"), ErrNotFound, `set "/1": nothing at "/1": not found`},
		{"huge index", `[1]`, Set(one, "99999999999999999999"), ErrNotFound, `set "/99999999999999999999": nothing at "/99999999999999999999": not found`},
		{"index that wraps to 0", `[1]`, Set(one, "18446744073709551616"), ErrNotFound, `set "/18446744073709551616": nothing at "/18446744073709551616": not found`},
		{"index with a leading zero", `[1,2]`, Set(one, "01"), ErrNotFound, `set "/01": nothing at "/01": not found`},
		{"negative index", `[1]`, Set(one, "-1"), ErrNotFound, `set "/-1": nothing at "/-1": not found`},
		{"empty index", `[1]`, Set(one, ""), ErrNotFound, `set "/": nothing at "/": not found`},
		{"error shows keys quoted", `{}`, Set(one, "a/~\x1b", "b"), ErrNotFound, `set "/a~1~0\x1b/b": nothing at "/a~1~0\x1b": not found`},

		{"duplicate edited", `{"a":1,"a":2}`, Set(one, "a"), ErrDuplicateKey, `set "/a": the document holds the key "a" more than once: duplicate key`},
		{"duplicate beside", `{"a":1,"b":2,"b":3}`, Set(one, "a"), ErrDuplicateKey, `set "/a": the document holds the key "b" more than once: duplicate key`},
		{"duplicate on insert", `{"b":2,"b":3}`, Set(one, "a"), ErrDuplicateKey, `set "/a": the document holds the key "b" more than once: duplicate key`},
		{"duplicate on delete", `{"a":1,"a":2}`, Delete("a"), ErrDuplicateKey, `delete "/a": the document holds the key "a" more than once: duplicate key`},
		{"duplicate by escape", `{"a":1,"\u0061":2}`, Set(one, "a"), ErrDuplicateKey, `set "/a": the document holds the key "a" more than once: duplicate key`},
		{"duplicate above", `{"x":{"y":[]},"x":0}`, Append(one, "x", "y"), ErrDuplicateKey, `append "/x/y": the document holds the key "x" more than once: duplicate key`},
		{"duplicate inside an element", `[{"x":0,"x":0}]`, Set(one, "0", "y"), ErrDuplicateKey, `set "/0/y": "/0" holds the key "x" more than once: duplicate key`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Apply([]byte(tt.doc), tt.edit)
			if err == nil || got != nil {
				t.Fatalf("= %s, %v; want nothing and an error", got, err)
			}
			var e *Error
			if tt.is == nil && !errors.As(err, &e) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %v is of the wrong kind", err)
			}
			if err.Error() != tt.want {
				t.Errorf("error\n got %s\nwant %s", err, tt.want)
			}
		})
	}
	if _, err := Apply([]byte("{}"), Edit{}); err == nil {
		t.Error("the zero Edit was applied")
	}
	if out, err := Apply([]byte(`{"\ufffd":1}`), Set([]byte("2"), "\xff")); err == nil {
		t.Errorf("a key that is not UTF-8 was written: %s", out)
	}
}

// zeros is the path of n steps into first elements.
func zeros(n int) []string {
	path := make([]string, n)
	for i := range path {
		path[i] = "0"
	}
	return path
}
