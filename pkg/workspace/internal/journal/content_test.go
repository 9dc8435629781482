package journal

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// Whatever files hold is in a record, however large; and an edited one takes the room of one that
// is packed.
func TestLargeFilesAreKept(t *testing.T) {
	prose := strings.Repeat("{\"id\": \"mem\", \"content\": \"some words that are said again\"},\n", 2000)
	rapid.Check(t, func(t *rapid.T) {
		content := func(label string) Content {
			switch rapid.IntRange(0, 5).Draw(t, label) {
			case 0:
				return nil
			case 5: // text, with what JSON escapes
				return []byte(rapid.StringMatching("[a-zé<&\\x00\"\u2028\\\\]*").Draw(t, label+" text"))
			case 1:
				return rapid.SliceOfN(rapid.Byte(), 1, 50).Draw(t, label+" bytes")
			case 2:
				return bytes.Repeat([]byte{'x'}, rapid.SampledFrom([]int{Large - 1, Large, Large + 1}).Draw(t, label+" size"))
			case 3: // noise, which can't be packed
				noise := make([]byte, Large+rapid.IntRange(0, 99).Draw(t, label+" more"))
				for i, seed := 0, rapid.Uint64().Draw(t, label+" seed"); i < len(noise); i++ {
					seed = seed*6364136223846793005 + 1442695040888963407
					noise[i] = byte(seed >> 56)
				}
				return noise
			}
			at := rapid.IntRange(0, len(prose)).Draw(t, label+" at")
			return []byte(prose[:at] + rapid.String().Draw(t, label+" edit") + prose[at:])
		}
		run := &Run{
			Files: []Change{{Path: "a", Base: "b", Next: "n", Before: content("before"), After: content("after")}, {Path: "c", Before: content("other"), Group: 1}},
			Exact: []Exact{{Path: "e", Before: content("exact")}},
		}
		doc, err := Seal(run)
		if err != nil {
			t.Fatal(err)
		}
		read := &Run{}
		if err := Unseal("x", doc, read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(run, read, cmp.Comparer(func(a, b Content) bool { return bytes.Equal(a, b) })); diff != "" {
			t.Fatal(diff)
		}
	})
	edited := strings.Replace(prose, "words", "other words", 1)
	doc, err := Seal(&Run{Files: []Change{{Before: []byte(prose), After: []byte(edited)}}})
	if err != nil || len(doc) > len(prose)/8 {
		t.Errorf("%v: a record of %d bytes for a file of %d", err, len(doc), len(prose))
	}
}

// What doesn't fit is an error, not a file that holds something else.
func TestPackedIsWrong(t *testing.T) {
	for _, file := range []string{
		`{"path":"a","before":"bm90IG11Y2g=","after_delta":[{"at":5,"copy":100}]}`, `{"path":"a","before":{"deflated":"AAAA"}}`, `{"path":"a","before":{"deflated":"not base64"}}`,
		`{"path":"a","before":{"deflated":""}}`, `{"path":"a","before":7}`, `{"path":"a","before":{"deflated":7}}`, `{"path":"a","after":[]x}`,
	} {
		body := `{"files":[` + file + `]}`
		if err := Unseal("x", []byte(durable.Sum([]byte(body))+"\n"+body), &Run{}); err == nil {
			t.Errorf("%s was read", file)
		}
	}
}
