package note

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// OverlayFile is the file of the overlay: one line of JSON for each note.
const OverlayFile = "overlay.jsonl"

// Line is what the overlay says of one note.
type Line struct {
	ID       string `json:"id"`
	Path     string `json:"path"`                 // relative to the folder; of an archived note, where it was
	Sum      string `json:"sha256,omitempty"`     // of the bytes that the times belong to
	Created  string `json:"created_at,omitempty"` // where the note doesn't say it; likewise the next
	Updated  string `json:"updated_at,omitempty"`
	Arrived  string `json:"adopted_at,omitempty"`
	Archived bool   `json:"archived,omitempty"`
	Listed   bool   `json:"listed,omitempty"` // the index had an entry for it
	// Fields are members of the record that the note has no place for; they replace what was derived from it.
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
}

// JSON is the line as the file has it, without its end.
func (l Line) JSON() string {
	text, err := json.Marshal(l)
	if err != nil { // fields that aren't JSON come from no record
		l.Fields = nil
		text, _ = json.Marshal(l)
	}
	return string(text)
}

// ReadOverlay reads the lines of an overlay. Of several for one id the last counts. What isn't a line is an error, which names it.
func ReadOverlay(doc []byte) (lines []Line, err error) {
	at := map[string]int{}
	var wrong []error
	n := 0
	for text := range bytes.Lines(doc) {
		n++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var l Line
		if err := json.Unmarshal(text, &l); err != nil || l.ID == "" || l.Path == "" {
			wrong = append(wrong, fmt.Errorf("line %d is not a line of JSON with an id and a path", n))
			continue
		}
		if i, ok := at[l.ID]; ok {
			lines[i] = l
			continue
		}
		at[l.ID] = len(lines)
		lines = append(lines, l)
	}
	return lines, errors.Join(wrong...)
}

// Change is what becomes of the line of one note: both as JSON, "" for none.
type Change struct {
	ID  string `json:"id"`
	Was string `json:"was,omitempty"`
	Now string `json:"now,omitempty"`
}

// Inverse takes the change back.
func (c Change) Inverse() Change { return Change{c.ID, c.Now, c.Was} }

// PatchOverlay is an overlay with changes. Lines of other notes stay as they are; doing it twice is doing it once.
func PatchOverlay(doc []byte, changes []Change) []byte {
	now := map[string]string{}
	for _, c := range changes {
		now[c.ID] = c.Now
	}
	var out []byte
	for text := range bytes.Lines(doc) {
		var l struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(text, &l) // a line that is damaged stays: memory check reports it
		line, changed := now[l.ID]
		switch {
		case !changed:
			out = append(out, text...)
			if !bytes.HasSuffix(text, []byte("\n")) {
				out = append(out, '\n')
			}
		case line != "":
			out = append(append(out, line...), '\n')
			now[l.ID] = ""
		}
	}
	for _, c := range changes {
		if now[c.ID] != "" {
			out = append(append(out, c.Now...), '\n')
			now[c.ID] = ""
		}
	}
	return out
}

// Sorted are lines by path.
func Sorted(lines []Line) []Line {
	lines = slices.Clone(lines)
	slices.SortFunc(lines, func(a, b Line) int { return strings.Compare(a.Path, b.Path) })
	return lines
}
