package accesslog

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var day = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func TestParse(t *testing.T) {
	text := `{"id":"a","at":"2026-03-01T09:00:00Z","from":"recall"}

{"id":"b","n":9223372036854775807}
{"id":"a","at":"2026-02-01T00:00:00Z","n":3}
{"id":"b","at":"9999-12-31T23:59:59-12:00"}
{"id":"c","n":-1}
{"n":2} {"id":"d"}
{"id":"e","at"`
	want := map[string]Reads{"a": {ID: "a", N: 4, At: day}, "b": {ID: "b", N: math.MaxInt64}}
	log := Parse([]byte(text))
	if diff := cmp.Diff(want, log.ByID); diff != "" || string(log.Doc) != text {
		t.Errorf("%s%q", diff, log.Doc)
	}
	if back := Parse(Left(log.Doc, func(string) bool { return false })); !cmp.Equal(back.ByID, want) {
		t.Errorf("what is left of all is %v", back.ByID)
	}
	if left := Left(log.Doc, func(id string) bool { return id == "b" }); string(left) != `{"id":"a","at":"2026-03-01T09:00:00Z","n":4}`+"\n" {
		t.Errorf("without b there is left %q", left)
	}
	if left := Left(log.Doc, func(string) bool { return true }); left != nil {
		t.Errorf("of nothing there is left %q", left)
	}
	if text := Append(nil, Reads{ID: "a", At: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}); text != nil {
		t.Errorf("nobody can read %q again", text)
	}
}

func TestSince(t *testing.T) {
	const a, b, torn = "{\"id\":\"a\"}\n", "{\"id\":\"b\"}\n", "{\"id\":"
	digest := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	if rest, ok := Since([]byte(a+b+torn), digest(a)); !ok || string(rest) != b+torn {
		t.Errorf("%q was appended, %v", rest, ok)
	}
	if rest, ok := Since([]byte(a+b), digest(a+b)); !ok || len(rest) > 0 {
		t.Errorf("%q was appended to the whole, %v", rest, ok)
	}
	for _, known := range []string{b, a[:3], a + b + torn, ""} {
		if rest, ok := Since([]byte(a+b), digest(known)); ok {
			t.Errorf("%q was appended to %q, which is not the beginning", rest, known)
		}
	}
}

// FuzzAccessLog reads any text: what is left of it, read again, counts the same.
func FuzzAccessLog(f *testing.F) {
	f.Add([]byte(`{"id":"a","at":"9999-12-31T23:59:59-12:00","n":9223372036854775807}`+"\n"+`{"id":"a","at":"0000-01-01T00:00:00+12:00","n":3}`), "a")
	f.Add([]byte(`{"id":"a","n":-1}`+"\r\n"+`{"id":"\ud800"}`), "b")
	f.Fuzz(func(t *testing.T, doc []byte, counted string) {
		is := func(id string) bool { return strings.EqualFold(id, counted) }
		was := Parse(doc).ByID
		now := Parse(Left(doc, is)).ByID
		for id, r := range was {
			if got, ok := now[id]; ok == is(id) || ok && (got.N != r.N || !got.At.Equal(r.At)) {
				t.Fatalf("%q: %+v is left of %+v", doc, got, r)
			}
		}
		if rest, ok := Since(doc, "x"); ok || rest != nil {
			t.Fatal("no text has this digest")
		}
	})
}
