package journal

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// Content is the bytes of a file. In a record it is an object that holds it as text, or where
// there is much of it, deflated; and base64 where it is no text, as in all records of before.
//
// As text, and not in base64, what a file was and what it will be look alike to whatever packs the
// whole record: of a small edit the second then takes next to nothing.
type Content []byte

// Large is how many bytes stand in a record as they are. The record of a run over a collection
// of 95 MB had 254 MB, and has 31.
const Large = 64 << 10

type packed struct {
	Text     string `json:"text,omitempty"`
	Deflated []byte `json:"deflated,omitempty"` // RFC 1951
}

// MarshalJSON packs in a fraction of the time that it takes to write all of it.
func (c Content) MarshalJSON() ([]byte, error) {
	switch {
	case len(c) > Large:
	case len(c) > 0 && utf8.Valid(c):
		return json.Marshal(packed{Text: string(c)})
	default:
		return json.Marshal([]byte(c))
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(c)
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(packed{Deflated: out.Bytes()})
}

// UnmarshalJSON is its reverse.
func (c *Content) UnmarshalJSON(doc []byte) error {
	if !bytes.HasPrefix(doc, []byte("{")) {
		return json.Unmarshal(doc, (*[]byte)(c))
	}
	var p packed
	if err := json.Unmarshal(doc, &p); err != nil {
		return err
	}
	if p.Text != "" {
		*c = Content(p.Text)
		return nil
	}
	all, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(p.Deflated)), durable.MaxSize+1))
	if err == nil && len(all) > durable.MaxSize {
		err = errors.New("it has more bytes than a file may have")
	}
	if err != nil {
		return fmt.Errorf("what is deflated: %w", err)
	}
	*c = all
	return nil
}
