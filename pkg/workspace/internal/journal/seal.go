package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// ErrDamaged: a record of a run isn't what was written.
var ErrDamaged = errors.New("damaged")

// Seal writes a record with its checksum in the first line.
func Seal(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append([]byte(durable.Sum(body)+"\n"), body...), nil
}

// Unseal reads a record and compares its checksum.
func Unseal(name string, doc []byte, v any) error {
	sum, body, ok := bytes.Cut(doc, []byte("\n"))
	if !ok || string(sum) != durable.Sum(body) {
		return fmt.Errorf("%s: %w: its checksum doesn't match", name, ErrDamaged)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%s: %w: %w", name, ErrDamaged, err)
	}
	return nil
}

// Read is [Unseal] of a file; an error of the disk is given as it is.
func Read(root durable.FS, name string, v any) error {
	doc, _, err := root.Read(name, durable.MaxSize)
	if err != nil {
		return err
	}
	return Unseal(name, doc, v)
}
