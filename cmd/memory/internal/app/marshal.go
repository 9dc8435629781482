package app

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
