package simulate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// Access is a number of reads of a memory at a time.
type Access struct {
	ID string
	At time.Time
	N  int
}

// mostReads bounds the reads of one line.
const mostReads = 100_000

// ReadTrace reads accesses, a JSON object to a line: those of ops/access.jsonl ("id",
// "at", and "n" where it is not one), or with "day", counted from the start of the
// simulation, for "at". They come in the order of their times.
func ReadTrace(r io.Reader, start time.Time) ([]Access, error) {
	var all []Access
	told := map[[2]string]bool{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		text := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\xef\xbb\xbf")))
		if len(text) == 0 {
			continue
		}
		var line struct {
			ID  string     `json:"id"`
			At  *time.Time `json:"at"`
			Day *float64   `json:"day"`
			N   *int       `json:"n"`

			Once    string `json:"once"`
			Counted bool   `json:"counted"`
		}
		if err := json.Unmarshal(text, &line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		once := [2]string{line.ID, line.Once}
		if line.Counted || line.Once != "" && told[once] {
			continue // as the access log counts
		}
		told[once] = true
		a := Access{ID: line.ID, N: 1}
		if line.N != nil {
			a.N = *line.N
		}
		switch {
		case a.ID == "":
			return nil, fmt.Errorf("line %d: it names no memory (id)", n)
		case a.N < 1 || a.N > mostReads:
			return nil, fmt.Errorf("line %d: n is %d: write a number from 1 to %d", n, a.N, mostReads)
		case line.At != nil && line.Day == nil:
			a.At = line.At.UTC()
		case line.Day != nil && line.At == nil && *line.Day >= 0 && *line.Day <= MaxDays:
			a.At = start.Add(time.Duration(*line.Day * float64(day)))
		default:
			return nil, fmt.Errorf("line %d: say when, as \"at\": a time, or \"day\": a number from 0 to %d", n, MaxDays)
		}
		all = append(all, a)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	sorted(all)
	return all, nil
}

// sorted puts accesses into the order of their times.
func sorted(all []Access) {
	slices.SortStableFunc(all, func(a, b Access) int { return a.At.Compare(b.At) })
}
