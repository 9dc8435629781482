package oplog

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidwall/gjson"
)

// Tail is where a log ends.
type Tail struct {
	// Count is how many entries were written, those of the documents that this one
	// follows included.
	Count int
	// Hash is the link that the next entry will carry: the hash of the last one, "" if
	// there is none.
	Hash string
	// Empty is set when the document itself has no entry. Last is the timestamp of the
	// last one; zero, too, for one that can't be read.
	Empty bool
	Last  time.Time
}

// TailOf reads where a log ends. Kept elsewhere, count and hash later show that the tail
// of the log was cut off or replaced, which the chain can't show by itself: the entry with
// that number must still carry that hash. The error is [ErrBroken].
func TailOf(doc []byte) (Tail, error) {
	d, err := Parse(doc)
	if err != nil {
		return Tail{}, fmt.Errorf("read the end of the consolidation log: %w", err)
	}
	return d.Tail(), nil
}

// Tail is [TailOf] of the document.
func (d *Document) Tail() Tail {
	t := Tail{Count: d.before.Entries + len(d.entries), Hash: d.lastLink(), Empty: len(d.entries) == 0}
	if !t.Empty {
		t.Last = timestampOf(d.entries[len(d.entries)-1])
	}
	return t
}

// timestampOf is the timestamp of an entry as [Entry.decode] reads it: of an entry that is
// large for what it defers little else is asked.
func timestampOf(entry gjson.Result) (at time.Time) {
	if entry.IsObject() {
		entry.ForEach(func(key, value gjson.Result) bool {
			if key.Str == "timestamp" {
				_ = json.Unmarshal([]byte(value.Raw), &at) // a time that can't be read is an error of Read
			}
			return true
		})
	}
	return at
}
