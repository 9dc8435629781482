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
			if found, ok := locate(name, data, m.ID, m.Digest()); !ok || found.ID != m.ID {
				t.Fatalf("record %s isn't found again", m.Ref)
			}
			same, err := replaceRecord(data, m, m.Raw())
			if err != nil || !bytes.Equal(same, data) {
				t.Fatalf("replacing %s by itself: %v\n%q\n%q", m.Ref, err, data, same)
			}
		}
	})
}

// FuzzIndex reads any bytes as an index: nothing panics, bringing it up to date
// twice changes nothing the second time, and no path leads out.
func FuzzIndex(f *testing.F) {
	for _, seed := range []string{
		`{"entries":[]}`, `{"version":"1.0","memories":[{"id":"a","file":"../x"}],"memory_count":3}`,
		`{"entries":[{"id":"a","path":"/abs"},{"id":"a"}],"tag_index":{"A":["a"]},"type_index":{}}`, `{"projects":[]}`, `[]`,
	} {
		f.Add([]byte(seed), "a.json")
	}
	f.Fuzz(func(t *testing.T, data []byte, filePath string) {
		if p := resolve("global", filePath); p != "" && p != "global" && !bytes.HasPrefix([]byte(p), []byte("global/")) {
			t.Fatalf("%q leads out to %q", filePath, p)
		}
		x, err := parseIndex("global/_index.json", data)
		if err != nil || x.Foreign {
			return
		}
		owned, err := readRecords("global/a.json", []byte(`{"id":"a","type":"semantic","tags":["T"],"content":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		once, _, err := x.reconcile(owned, nil, nil, x.now())
		if err != nil {
			return // refused, which is fine
		}
		y, err := parseIndex("global/_index.json", once)
		if err != nil {
			t.Fatalf("the result doesn't parse: %v", err)
		}
		twice, drifts, err := y.reconcile(owned, nil, nil, y.now())
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("not settled: %v %v\n%s\n%s", err, drifts, once, twice)
		}
	})
}
