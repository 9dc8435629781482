package workspace

import (
	"bytes"
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
		for _, m := range records {
			m.Text()
			m.Summary()
			fingerprint(m)
			if m.Locked != "" {
				continue
			}
			if found, ok := locate(name, data, m.ID, func(r *Memory) bool { return r.Digest() == m.Digest() }); !ok || found.ID != m.ID {
				t.Fatalf("record %s isn't found again", m.Ref)
			}
			same, err := replaceRecord(data, m, m.Raw())
			if err != nil || !bytes.Equal(same, data) {
				t.Fatalf("replacing %s by itself: %v\n%q\n%q", m.Ref, err, data, same)
			}
		}
	})
}
