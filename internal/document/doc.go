// Package document holds what the program prints for other programs: one struct for each noun. The command line prints
// them with --json, the MCP server gives them as structured results, the dashboard answers with them below /api/v1.
//
// A constructor describes what a decision or a run has made. It reads no disk, applies nothing and decides nothing.
package document

import (
	"bytes"
	"encoding/json"
)

// Marshal is [json.Marshal] that leaves <, > and & as they are: people read the document too.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
