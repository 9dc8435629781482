package accesslog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// The two files, below the workspace.
const (
	File  = memory.OpsDir + "/access.jsonl" // reads that records don't count yet
	Given = memory.OpsDir + "/given.jsonl"  // memories that were given unasked
)

// Line is one line of either file.
type Line struct {
	ID string    `json:"id"`
	At time.Time `json:"at"`
	N  int64     `json:"n,omitempty"` // absent: one
	// From says through what: show, recall, prompt.
	From string `json:"from,omitempty"`
	// Once is what the line counts for: a session, or a day. Of lines with the same, one
	// counts. "": each counts.
	Once string `json:"once,omitempty"`
	// Counted marks what a record counts already, so that it isn't counted again.
	Counted bool `json:"counted,omitempty"`
}

// Log is one of the files at one reading.
type Log struct {
	Doc  []byte
	ByID map[string]memory.Usage // without what is marked as counted
	Bad  []int                   // numbers of lines that can't be read, from 1

	uses map[string]map[string]use // by id, then by what it counts for
	last time.Time                 // the latest time in it
}

// use is what the lines of a memory that count for the same thing say together.
type use struct {
	n           int64 // that isn't marked as counted
	at          time.Time
	counted     bool
	countedLast time.Time
}

// usage is what of a use isn't marked as counted. A session that is counted and goes on
// counts no more, but shows a later read.
func (u use) usage() memory.Usage {
	switch {
	case !u.counted:
		return memory.Usage{N: u.n, At: u.at}
	case u.at.After(u.countedLast):
		return memory.Usage{At: u.at}
	}
	return memory.Usage{}
}

func (u use) latest() time.Time {
	if u.counted && u.countedLast.After(u.at) {
		return u.countedLast
	}
	return u.at
}

// Parse reads a file. Lines that are none, torn ones say, count nothing.
func Parse(doc []byte) Log {
	log := Log{Doc: doc, ByID: map[string]memory.Usage{}, uses: map[string]map[string]use{}}
	number := 0
	for text := range bytes.Lines(doc) {
		number++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var l Line
		if json.Unmarshal(text, &l) != nil || l.ID == "" || l.N < 0 {
			log.Bad = append(log.Bad, number)
			continue
		}
		if !timestamp.Writable(l.At) {
			l.At = time.Time{} // used, who knows when
		}
		log.add(l)
	}
	for id, of := range log.uses {
		total := memory.Usage{}
		for _, u := range of {
			total = total.Plus(u.usage())
		}
		if total != (memory.Usage{}) {
			log.ByID[id] = total
		}
	}
	return log
}

func (log *Log) add(l Line) {
	of := log.uses[l.ID]
	if of == nil {
		of = map[string]use{}
		log.uses[l.ID] = of
	}
	if l.At.After(log.last) {
		log.last = l.At
	}
	u, n := of[l.Once], max(l.N, 1)
	switch {
	case l.Counted:
		u.counted = l.Once != "" // without it, it marks nothing
		if l.At.After(u.countedLast) {
			u.countedLast = l.At
		}
		n = 0
	case l.Once == "":
		n = memory.Usage{N: u.n}.Plus(memory.Usage{N: n}).N
	}
	u.n = max(u.n, n)
	if !l.Counted && l.At.After(u.at) {
		u.at = l.At
	}
	of[l.Once] = u
}

// Known reports whether a line would tell nothing new: what it counts for has been noted for
// this memory on that day.
func (log *Log) Known(l Line) bool {
	u, ok := log.uses[l.ID][l.Once]
	return ok && l.Once != "" && u.latest().UTC().Format(time.DateOnly) == l.At.UTC().Format(time.DateOnly)
}

// Append adds a line to a text. One at a time that RFC 3339 can't tell is not counted.
func Append(text []byte, l Line) []byte {
	line, err := json.Marshal(l)
	if err != nil {
		return text
	}
	return append(append(text, line...), '\n')
}

// How long, and for how many, it is remembered that a session has been counted.
const (
	keepMarks = 48 * time.Hour // before the latest line
	mostMarks = 5000
)

// Left is what is left of a text when some of its reads were counted: those of others, and
// marks of what has been counted lately. Older lines of a memory are made one.
func Left(doc []byte, counted func(id string) bool) (left []byte) {
	log := Parse(doc)
	horizon := log.last.Add(-keepMarks)
	var marks []Line
	for _, id := range slices.Sorted(maps.Keys(log.uses)) {
		old := memory.Usage{}
		var recent []Line
		for _, once := range slices.Sorted(maps.Keys(log.uses[id])) {
			u := log.uses[id][once]
			fresh := once != "" && !u.latest().Before(horizon)
			if fresh && (u.counted || counted(id)) {
				at := u.countedLast
				if counted(id) {
					at = u.latest()
				}
				marks = append(marks, Line{ID: id, At: at, Once: once, Counted: true})
			}
			switch more := u.usage(); {
			case counted(id) || more == (memory.Usage{}):
			case fresh:
				recent = append(recent, Line{ID: id, At: more.At, N: u.n, Once: once})
			default:
				old = old.Plus(more)
			}
		}
		if old.N > 0 {
			left = Append(left, Line{ID: id, At: old.At, N: old.N})
		}
		for _, l := range recent {
			left = Append(left, l)
		}
	}
	if len(marks) > mostMarks {
		slices.SortStableFunc(marks, func(a, b Line) int { return b.At.Compare(a.At) })
		marks = marks[:mostMarks]
	}
	for _, l := range marks {
		left = Append(left, l)
	}
	return left
}

// Merged is a log without marks that counts the same, with one line for each memory. A line names
// only the session of the latest use.
func Merged(doc []byte) (merged []byte) {
	log := Parse(doc)
	for _, id := range slices.Sorted(maps.Keys(log.ByID)) {
		of := log.uses[id]
		last := slices.MaxFunc(slices.Sorted(maps.Keys(of)), func(a, b string) int {
			return cmp.Or(of[a].latest().Compare(of[b].latest()), strings.Compare(a, b))
		})
		merged = Append(merged, Line{ID: id, At: log.ByID[id].At, N: log.ByID[id].N, Once: last})
	}
	return merged
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
