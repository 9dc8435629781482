package journal

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// Content is the bytes of a file. In a record it is text in base64, and where there is much of
// it, an object that holds it deflated.
type Content []byte

// Large is how many bytes stand in a record as they are. The record of a run over a collection
// of 95 MB had 254 MB, and has 31.
const Large = 64 << 10

type packed struct {
	Deflated []byte `json:"deflated"` // RFC 1951
}

// MarshalJSON packs in a fraction of the time that it takes to write all of it.
func (c Content) MarshalJSON() ([]byte, error) {
	if len(c) <= Large {
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
	return json.Marshal(packed{out.Bytes()})
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
