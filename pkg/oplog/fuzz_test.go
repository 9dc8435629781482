package oplog

import (
	"bytes"
	"encoding/json"
	"testing"
)

func addSeeds(f *testing.F) {
	f.Add(soundLog(f, 3))
	for _, shape := range shapes {
		f.Add([]byte(shape))
	}
	for _, entry := range foreign {
		f.Add([]byte(`{"entries":[` + entry + `],"x":` + entry + `}`))
		f.Add([]byte(`{"log":[{"hash":"","prev_hash":null},` + entry + `,{"hash":1,"hash":2},{"prev_hash":[]}]}`))
	}
	f.Add([]byte(`{"entries":[]`))
	f.Add([]byte("\xff\xfe{"))
}

// Whatever Read accepts is JSON, is counted alike by all readers, and the
// findings point at entries that exist.
func FuzzRead(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		kept := bytes.Clone(doc)
		l, err := Read(doc)
		count, _, headErr := Head(doc)
		problems := Verify(doc)
		if !bytes.Equal(doc, kept) {
			t.Fatal("a reader changed its input")
		}
		if (err == nil) != (headErr == nil) {
			t.Fatalf("Read: %v, Head: %v", err, headErr)
		}
		if err != nil {
			if len(problems) != 1 || problems[0].Index != -1 {
				t.Fatalf("Read: %v, Verify: %v", err, problems)
			}
			return
		}
		if len(l.Entries) != count {
			t.Fatalf("Read has %d entries, Head %d", len(l.Entries), count)
		}
		for _, p := range append(problems, l.Undecoded...) {
			if p.Index < 0 || p.Index >= count || p.Message == "" {
				t.Fatalf("%+v in a log of %d", p, count)
			}
		}
		Hash(doc)
	})
}

// Append extends every log that can be read by one sound entry, adds no problem
// and hides none.
func FuzzAppend(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		before := Verify(doc)
		count, link, headErr := Head(doc)
		e := &Entry{RunID: "run_fuzz", Timestamp: day(1)}
		out, err := Append(doc, e)
		if err != nil {
			if headErr == nil {
				t.Fatalf("a log that can be read can't be appended to: %v", err)
			}
			return
		}
		if !json.Valid(bytes.TrimPrefix(out, []byte("\ufeff"))) {
			t.Fatalf("invalid: %q", out)
		}
		after, head, err := Head(out)
		if err != nil || after != count+1 || head != e.Hash || e.PrevHash != link {
			t.Fatalf("Head = %d, %s, %v after %d, %s; the entry has %s", after, head, err, count, link, e.Hash)
		}
		if now := Verify(out); len(now) != len(before) {
			t.Fatalf("problems before %v, after %v", before, now)
		}
		if l, err := Read(out); err != nil || l.Last().RunID != "run_fuzz" || l.Last().Hash != e.Hash {
			t.Fatalf("Read: %+v, %v", l, err)
		}
	})
}
