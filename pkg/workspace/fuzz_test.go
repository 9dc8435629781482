package workspace

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzReadFile reads any bytes as a memory file: nothing panics, and putting a
// record back where it was found gives the same bytes.
func FuzzReadFile(f *testing.F) {
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
		foundAlike(t, &recordParser{}, data)
		records, err := readRecords(name, data)
		if err != nil {
			return
		}
		told := toldInPassing(t, name, data)
		if len(told) != len(records) {
			t.Fatalf("%d records are told of in passing, of %d", len(told), len(records))
		}
		for i, m := range records {
			if is := tells(m) + lineOf(m).Fields; told[i] != is {
				t.Fatalf("in passing %s tells %q, else %q", m.Ref, told[i], is)
			}
			fingerprint(m)
			if m.Locked != "" {
				continue
			}
			if found, ok := (&file{name: name, was: data}).locate(m.ID, m.Digest()); !ok || found.ID != m.ID {
				t.Fatalf("record %s isn't found again", m.Ref)
			}
			same, err := replaceRecord(data, m, m.Raw())
			if err != nil || !bytes.Equal(same, data) {
				t.Fatalf("replacing %s by itself: %v\n%q\n%q", m.Ref, err, data, same)
			}
		}
	})
}

// toldInPassing is what the records of a file tell while it is read, and no longer.
func toldInPassing(t *testing.T, name string, data []byte) (told []string) {
	sc := newScanner(nil, &room{})
	sc.derive = func(to []byte, m *Memory) []byte {
		told = append(told, strings.Clone(tells(m)+lineOf(m).Fields))
		return to
	}
	if _, err := newRecorder(sc).file(name, bytes.Clone(data)); err != nil {
		t.Fatal(err)
	}
	return told
}
