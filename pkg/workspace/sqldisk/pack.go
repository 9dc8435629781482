package sqldisk

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"sync"
)

// packable is how many bytes a document has at least for packing it to save room.
const packable = 256

// Their tables are larger than most documents.
var (
	writers = sync.Pool{New: func() any {
		w, _ := flate.NewWriter(nil, flate.DefaultCompression) // it fails for levels that there aren't
		return w
	}}
	readers = sync.Pool{New: func() any { return flate.NewReader(nil) }}
)

// pack returns what the column bytes holds of a text: the text and 0, or where that saves an eighth,
// the text deflated (RFC 1951), and how many bytes it had.
func pack(text string) (stored []byte, inflated int64, err error) {
	if len(text) < packable {
		return []byte(text), 0, nil
	}
	var out bytes.Buffer
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	w.Reset(&out)
	if _, err := io.WriteString(w, text); err != nil {
		return nil, 0, err
	}
	if err := w.Close(); err != nil {
		return nil, 0, err
	}
	if out.Len() > len(text)/8*7 {
		return []byte(text), 0, nil
	}
	return out.Bytes(), int64(len(text)), nil
}

// unpack is the reverse of pack.
func unpack(stored []byte, inflated int64) ([]byte, error) {
	if inflated == 0 {
		return stored, nil
	}
	if inflated < 0 {
		return nil, fmt.Errorf("a document of %d bytes", inflated)
	}
	r := readers.Get().(io.ReadCloser)
	defer readers.Put(r)
	if err := r.(flate.Resetter).Reset(bytes.NewReader(stored), nil); err != nil {
		return nil, err
	}
	// No more is made than the bytes can hold: the number may be damaged too.
	text := bytes.NewBuffer(make([]byte, 0, min(inflated, int64(len(stored))*maxRatio)+bytes.MinRead))
	n, err := text.ReadFrom(io.LimitReader(r, inflated+1))
	if err == nil && n != inflated {
		err = errors.New("it has another length")
	}
	if err != nil {
		return nil, fmt.Errorf("what the database has deflated: %w", err)
	}
	return text.Bytes(), nil
}

// maxRatio is how much deflate packs at most.
const maxRatio = 1032
