// Package document holds what the program prints for other programs: one struct for each noun. The command line prints
// them with --json, the MCP server gives them as structured results, the dashboard answers with them below /api/v1.
//
// A constructor describes what a decision or a run has made. It reads no disk, applies nothing and decides nothing.
// Names agree: an object about a memory has its id under id, its file under file; a time stands under at, or NAME_at.
// What has no value is absent, but for the list of a list. [Names] lists the documents, [Schema] describes one.
package document

import (
	"bytes"
	"encoding/json"
)

// Page says of which list a document has a part.
type Page struct {
	Total      int    `json:"total,omitempty" jsonschema:"how many there are in all"`
	NextCursor string `json:"next_cursor,omitempty" jsonschema:"where the list goes on, for an agent"`
}

// Error is why something could not be done.
type Error struct {
	Code  string `json:"code" jsonschema:"error, usage, problems, conflict, locked, not_found or forbidden"`
	Error string `json:"error"`
	Hint  string `json:"hint,omitempty" jsonschema:"what to do"`
	Plan  string `json:"plan,omitempty" jsonschema:"run_id of the plan as it is now, where another was requested"`
}

// Edit is what became of memories that an agent changed or archived.
type Edit struct {
	ID       string   `json:"id,omitempty" jsonschema:"of the one that was to be changed"`
	Changed  bool     `json:"changed" jsonschema:"false: it was like that already"`
	Version  string   `json:"version,omitempty" jsonschema:"of the record as it is now"`
	Archived []string `json:"archived,omitempty" jsonschema:"ids that were moved to the archive"`
	Already  []string `json:"already,omitempty" jsonschema:"ids that stood there before"`
	RunID    string   `json:"run_id,omitempty" jsonschema:"for undo"`
	Notes    []string `json:"notes,omitempty"`
}

// Trends says how many memories there were, and what was done, on each day.
type Trends struct {
	Days []Day `json:"days" jsonschema:"the oldest first"`
	Page
}

// Day is one day of [Trends].
type Day struct {
	Day      string         `json:"day"`
	Live     int            `json:"live"`
	Archived int            `json:"archived"`
	Types    map[string]int `json:"types" jsonschema:"live memories by type"`
	Runs     int            `json:"runs"`
	Actions  map[string]int `json:"actions" jsonschema:"by type"`
	Rules    map[string]int `json:"rules" jsonschema:"actions by rule"`
	Tokens   int            `json:"tokens_given"`
	Queue    int            `json:"pairs_to_review" jsonschema:"at the end of the day"`
}

// ActionsInAll counts the actions of the day.
func (t Day) ActionsInAll() (n int) {
	for _, of := range t.Actions {
		n += of
	}
	return n
}

// Settings lists settings.
type Settings struct {
	Settings []Setting `json:"settings"`
}

// Setting is one setting and where it comes from.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value" jsonschema:"as it is written in memory.toml"`
	Origin string `json:"origin" jsonschema:"a file and line, a variable, a flag or default"`
	Doc    string `json:"doc"`
}

// Schemas lists what "memory schema" prints.
type Schemas struct {
	Files     []string `json:"files" jsonschema:"schemas of files of a workspace"`
	Documents []string `json:"documents" jsonschema:"schemas of documents"`
	Revision  int      `json:"revision" jsonschema:"of the documents"`
}

// Marshal is [json.Marshal] that leaves <, > and & as they are: people read the document too. All three surfaces write documents by it.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// MarshalIndent is [Marshal] with a line for each member.
func MarshalIndent(v any) ([]byte, error) {
	text, err := Marshal(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, text, "", "  ")
	return b.Bytes(), err
}
