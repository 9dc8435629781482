package accesslog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Reads are those of one memory, as a line of the access log tells them.
type Reads = memory.Reads

// File is the access log.
const File = "ops/access.jsonl"

// Log is the access log at one reading.
type Log struct {
	Doc  []byte
	ByID map[string]Reads
}

// Parse reads the access log. Lines that are none, torn ones say, count
// nothing.
func Parse(doc []byte) Log {
	log := Log{doc, map[string]Reads{}}
	for line := range bytes.Lines(doc) {
		var r Reads
		if json.Unmarshal(line, &r) != nil || r.ID == "" || r.N < 0 {
			continue
		}
		if !timestamp.Writable(r.At) {
			r.At = time.Time{} // read, who knows when
		}
		log.ByID[r.ID] = log.ByID[r.ID].Plus(r)
	}
	return log
}

// Append adds a line to a text. Reads at a time that RFC 3339 can't tell are not counted.
func Append(text []byte, r Reads) []byte {
	line, err := json.Marshal(r)
	if err != nil {
		return text
	}
	return append(append(text, line...), '\n')
}

// Left is what is left of a text when some of its reads were counted: the others, one line
// for each id.
func Left(doc []byte, counted func(id string) bool) (left []byte) {
	log := Parse(doc)
	for _, id := range slices.Sorted(maps.Keys(log.ByID)) {
		if !counted(id) {
			left = Append(left, log.ByID[id])
		}
	}
	return left
}

// Since is what was appended to the text with a digest (SHA-256 in hex); not ok where doc
// does not begin with such lines.
func Since(doc []byte, digest string) (rest []byte, ok bool) {
	hash := sha256.New()
	rest = doc
	for line := range bytes.Lines(doc) {
		hash.Write(line) // never an error
		rest = rest[len(line):]
		if hex.EncodeToString(hash.Sum(nil)) == digest {
			return rest, true
		}
	}
	return nil, false
}
