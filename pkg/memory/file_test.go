package memory

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// collectionTexts are files with collections of all kinds, and some that look like it.
var collectionTexts = []string{
	`[]`, `{}`, `{"memories":[]}`, `[{"id":"a","type":"x"}]`, "\ufeff [ {\"id\":\"a\",\"type\":\"x\"} , 7, {\"id\":\"b\",\"content\":{\"x\":[{}]}} ]\n",
	`[7,{"id":"a","type":"x"}]`, `{"memories":[7,{"id":"a","type":"x"}],"entries":[{"id":"b"},{"id":"c","type":"x"}]}`,
	`{"other":[{"id":"a","type":"x"},{"id":"b","content":1}],"more":[{"id":"c","type":"x"},{"id":"d"}],"none":[[{"id":"e","type":"x"}]]}`,
	`{"x":{"y":{"z":[{"id":"a","type":"x"}],"entries":[{"id":"b","type":"x"},7]},"y":1},"entries":[{"id":"c","type":"x"}]}`,
	`{"memories":[{"id":"a","type":"x"}],"memories":[{"id":"b","type":"x"},{"id":"c","type":"x"}]}`,
	`{"m\u0065mories":[{"id":"a","type":"x","type":"y"}],"\ud800":[{"id":"b","type":"x"}],"":[{"id":"c","type":"x"}]}`,
	`{"tags":["a"],"list":[{"a":1}],"id":"","memories":[{"id":"a","type":"x"},{"id":"b","type":"x","content":{"memories":[{"id":"c","type":"x"}]}}]}`,
}

// TestCollections finds in a file, by its outline, what going through its values finds.
func TestCollections(t *testing.T) {
	var p Parser // which is used again
	for _, text := range collectionTexts {
		foundAlike(t, &p, []byte(text))
	}
}

// foundAlike compares what a parser finds in a file with what going through its values
// finds.
func foundAlike(t *testing.T, p *Parser, data []byte) {
	t.Helper()
	file, err := p.File("global/x.json", data)
	got, arrays := file.Memories, file.Arrays
	if err != nil || len(got) == 1 && got[0].Whole() {
		return
	}
	var found []*Memory
	start, end := jsonedit.Span(data)
	want := finder{parser: &parser{take: func(m *Memory) { found = append(found, m) }}, name: "global/x.json"}
	want.value(parse(data[start:end]), nil, "")
	if !reflect.DeepEqual(arrays, want.arrays) || len(got) != len(found) {
		t.Fatalf("%q: %d records in %q, want %d in %q", data, len(got), arrays, len(found), want.arrays)
	}
	for i, m := range got {
		if w := found[i]; !reflect.DeepEqual(m.Ref, w.Ref) || m.ID != w.ID || m.checksum != w.checksum || m.Locked != w.Locked {
			t.Fatalf("%q: record %d is %q at %v, locked %q; want %q at %v, locked %q", data, i, m.ID, m.Ref, m.Locked, w.ID, w.Ref, w.Locked)
		}
	}
}

// FuzzFile reads any bytes as a memory file: nothing panics, and putting a
// record back where it was found gives the same bytes.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		`{"id":"a","type":"semantic","content":"x"}`, "\ufeff{\"id\":\"a\",\"content\":{}}\r\n",
		`{"entries":[{"id":"a","type":"x"},{"id":null}],"x":{"y":[{"id":"b","content":1}]}}`, `[{"id":"a","type":"x"}]`,
		`{"id":"a","id":"b","type":"x"}`, `{"a":[{"id":"x","type":"y"}],"a":[{"id":"z","type":"y"}]}`, `{"agent_id":"x"}`, `{"id":"\ud800","type":"x"}`,
	} {
		f.Add("global/x.json", []byte(seed))
	}
	for _, text := range collectionTexts {
		f.Add("global/x.json", []byte(text))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		foundAlike(t, &Parser{}, data)
		records, err := ParseRecords(name, data)
		if err != nil {
			return
		}
		for _, m := range records {
			m.Fingerprint()
			tells(m)
			Line(m)
			if at, size := m.Place(); size > 0 && !bytes.Equal(data[at:at+size], m.Raw()) {
				t.Fatalf("record %s isn't at %d", m.Ref, at)
			}
			if m.Locked != "" {
				continue
			}
			same, err := ReplaceRecord(data, m, m.Raw())
			if err != nil || !bytes.Equal(same, data) {
				t.Fatalf("replacing %s by itself: %v\n%q\n%q", m.Ref, err, data, same)
			}
		}
	})
}
